import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { INestApplication } from '@nestjs/common';
import { SetupToken } from './admin/setup.service.js';
import { Config, StartError } from './config.js';
import { Gateway } from './gateway/gateway.service.js';
import { Log } from './log.js';
import { Database } from './platform/database.js';
import { LoadGuard } from './policy/guards.js';
import { serveMetrics } from './service/metrics-server.js';
import { AccountRecords } from './users/account-records.service.js';

/** Listens and, on SIGTERM or SIGINT, drains: no new work, running requests finish, everything is let go of. */
export async function run(app: INestApplication<Server>): Promise<void> {
  const metrics = await listen(app);
  let signals = 0;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (++signals > 1) process.exit(1);
      metrics?.close();
      drain(app).then(
        () => process.exit(0),
        (error) => {
          app.get(Log).error('the shutdown failed', { error });
          process.exit(1);
        },
      );
    });
  }
  const { address, port } = app.getHttpServer().address() as AddressInfo;
  await greet(app, `http://${address.includes(':') ? `[${address}]` : address}:${port}`);
}

/**
 * Listens, on the port of the metrics too if they have one.
 * @throws StartError when an address is not to be had
 */
async function listen(app: INestApplication): Promise<Server | undefined> {
  const { host, port } = app.get(Config);
  try {
    await app.listen(port, host);
    return await serveMetrics(app);
  } catch (error) {
    await app.close();
    throw new StartError(`the service cannot listen: ${(error as Error).message}`, { cause: error });
  }
}

/** What a newcomer needs, as plain lines. Past the log: the console of the first boot alone shows the setup token. */
async function greet(app: INestApplication, origin: string): Promise<void> {
  const config = app.get(Config);
  const isEmbedded = app.get(Database).isEmbedded;
  const lines = [
    ['Listening', origin],
    ['API description', config.docsEnabled ? `${origin}/docs and ${origin}/openapi.json` : 'switched off'],
    ['Mail', config.mailTransport === 'inbox' ? `${origin}/dev/inbox` : `sent by ${config.mailTransport}`],
    ['Administrator', await wayToAdministration(app)],
    ['Database', isEmbedded ? `embedded in ${config.dataDir}` : 'PostgreSQL, as DATABASE_URL says'],
  ];
  process.stdout.write(`${lines.map(([name, text]) => `${name?.padEnd(16)} ${text}`).join('\n')}\n`);
}

async function wayToAdministration(app: INestApplication): Promise<string> {
  const token = await app.get(SetupToken).reveal();
  if (token !== null)
    return `none yet; register, then POST /v1/setup {"token": "${token}"} (works once, shown only now)`;
  const exists = await app.get(AccountRecords).hasAdministrator();
  const words = exists ? 'there is one; more by' : 'none yet; the setup token was shown at the first start, or use';
  return `${words} npm run cli -- user grant-acl <email> '*'`;
}

async function drain(app: INestApplication<Server>): Promise<void> {
  const load = app.get(LoadGuard);
  const { shutdownSeconds } = app.get(Config);
  app.get(Log).info('shutting down');
  load.draining = true;
  const sockets = app.get(Gateway).drain();
  const deadline = performance.now() + shutdownSeconds * 1000;
  while (load.inFlight > 0 && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
  await sockets;
  if (load.inFlight > 0) app.getHttpServer().closeAllConnections();
  else app.getHttpServer().closeIdleConnections();
  await app.close();
}
