import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { INestApplication } from '@nestjs/common';
import { AccountRecords } from './accounts/account-records.service.js';
import { SetupToken } from './admin/setup/setup.service.js';
import { Clock } from './core/clock.js';
import { commandLine } from './core/command-line.js';
import { Config } from './core/config/config.js';
import { StartError } from './core/config/start-error.js';
import { exitSafely } from './core/exit-safely.js';
import { Log } from './core/log.js';
import { stopListening } from './core/machine/node-internals.js';
import { MetricsReader } from './core/metrics.js';
import { onUncaughtError } from './core/uncaught-errors.js';
import type { EndSignal } from './core/workers/messages.js';
import { ownWorker } from './core/workers/own-worker.js';
import { Gateway } from './gateway/gateway.service.js';
import { ConnectionRegistry } from './http/front-door/connection-registry.js';
import { LiveRequests } from './http/live-requests.js';
import { Load } from './http/load.js';
import { Database } from './platform/database/database.js';
import { releaseIdleMemory } from './platform/process/idle-memory.js';
import { ReplicaStatistics } from './platform/replicas/replica-statistics.js';
import { ErasureLedger } from './restore/erasure-ledger.service.js';
import { DemoData } from './service/demo/demo-data.service.js';
import { serveMetrics } from './service/metrics-server.js';
import { Readiness } from './service/readiness.service.js';

/** Time limit for the rest of the shutdown after requests have drained. */
const SHUTDOWN_GRACE_MS = 3000;
/** Timeout for the final metrics report to the primary. */
const METRICS_REPORT_TIMEOUT_MS = 1000;
/** How long a connection that was just accepted has to send its first request. */
const FIRST_REQUEST_MS = 1000;
/** Poll interval for running requests and for readiness. */
const POLL_INTERVAL_MS = 20;

/**
 * Listens and, on SIGTERM or SIGINT, drains: accepts no new work, finishes running requests, releases everything. Before
 * that, SIGTERM leaves load balancers the time to notice. After an uncaught failure it drains and exits with 1. A worker
 * does the same after a message of the primary process.
 */
export async function run(app: INestApplication<Server>): Promise<void> {
  await app
    .get(ErasureLedger)
    .assertFinished()
    .catch(async (error) => {
      await app.close();
      throw error;
    });
  const metrics = await listen(app);
  app.get(ReplicaStatistics).start();
  const log = app.get(Log);
  let isEnding = false;
  let exitCode = 0;
  const reportFault = (error: unknown) => log.error('a shutdown step failed', { error });
  const end = (signal: EndSignal = 'SIGINT') => {
    if (isEnding) return;
    isEnding = true;
    const shutDown = async () => {
      if (signal === 'SIGTERM') await leave(app);
      metrics?.close();
      await drain(app);
      await finishesBy(performance.now() + METRICS_REPORT_TIMEOUT_MS, sendFinalReport(app));
    };
    shutDown()
      .catch((error) => {
        log.error('shutdown failed', { error });
        exitCode = 1;
      })
      .then(() => exitSafely(exitCode))
      .catch(() => process.exit(1));
  };
  const stopServers = () => {
    stopListening(app.getHttpServer());
    metrics?.close();
  };
  const retire = async () => {
    if (isEnding) return;
    log.info('another worker replaces this one: no new connections are accepted');
    stopServers();
    const deadline = performance.now() + app.get(Config).shutdownSeconds * 1000;
    await Promise.all([app.get(Gateway).drainConnections(), app.get(ConnectionRegistry).retire(deadline)]);
    end();
  };
  onUncaughtError((error) => {
    log.fatal('uncaught error: the process exits', { error });
    exitCode = 1;
    if (ownWorker && !isEnding) {
      // New connections go to other workers.
      stopServers();
      ownWorker.notify('leaving').catch(reportFault);
    }
    end();
  });
  if (ownWorker) {
    // A terminal or supervisor may signal all processes. Only the primary reacts.
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
    ownWorker.handleOrders({
      end,
      retire: () => retire().catch(reportFault),
      report: () => app.get(MetricsReader).report(),
      failed: reportFault,
    });
  } else shutDownOnSignals(end);
  const { address, port } = app.getHttpServer().address() as AddressInfo;
  if (ownWorker?.printsBanner ?? true)
    await printBanner(app, `http://${address.includes(':') ? `[${address}]` : address}:${port}`);
  releaseIdleMemory(log);
  if (ownWorker) await reportReadiness(app);
  else if (app.get(Config).workers > 1) log.warn('WORKERS has no effect without start(): only one process runs');
}

/** A second signal exits immediately. */
function shutDownOnSignals(end: (signal: EndSignal) => void): void {
  let signals = 0;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (++signals > 1) process.exit(1);
      end(signal);
    });
  }
}

/** Sends the final metrics of a worker to the primary. */
const sendFinalReport = async (app: INestApplication): Promise<void> =>
  ownWorker?.sendReport(await app.get(MetricsReader).report());

/** Reports to the primary that this worker has started, and later that it is ready. */
async function reportReadiness(app: INestApplication): Promise<void> {
  await ownWorker?.notify('started');
  const readiness = app.get(Readiness);
  const log = app.get(Log);
  const check = () => {
    if (readiness.secondsToWait === undefined)
      ownWorker
        ?.notify('ready')
        .catch((error) => log.error('sending a message to the primary process failed', { error }));
    else setTimeout(check, POLL_INTERVAL_MS).unref();
  };
  check();
}

const describeListenError = (
  { code, port: taken, message }: NodeJS.ErrnoException & { port?: number },
  port: number,
) =>
  code === 'EADDRINUSE'
    ? `Port ${taken} is in use. Set ${taken === port ? 'PORT' : 'METRICS_PORT'}.`
    : `Listening failed: ${message}`;

/**
 * Listens, also on the metrics port if there is one.
 * @throws StartError if the service cannot listen
 */
async function listen(app: INestApplication): Promise<Server | undefined> {
  const { host, port } = app.get(Config);
  try {
    await app.listen(port, host);
    return await serveMetrics(app);
  } catch (error) {
    await app.close();
    throw new StartError(describeListenError(error as NodeJS.ErrnoException & { port?: number }, port), {
      cause: error,
    });
  }
}

/**
 * Prints the startup banner: one JSON line in production, otherwise plain lines. The log redacts secrets, but the setup
 * token must appear on the console of the first start.
 */
async function printBanner(app: INestApplication, origin: string): Promise<void> {
  const config = app.get(Config);
  const { publicOrigin } = config;
  const isEmbedded = app.get(Database).isEmbedded;
  const example = config.isDemo ? [['Example data', await demoHint(app)]] : [];
  const setupToken = await app.get(SetupToken).issueIfNeeded();
  const lines = [
    ['Pages', config.web.pages ? `${publicOrigin}/ (register there)` : `hosted at ${config.webAppUrl}`],
    ['Listening', origin],
    ['Public origin', publicOrigin],
    ['API reference', config.docsEnabled ? `${publicOrigin}/docs and ${publicOrigin}/openapi.json` : 'turned off'],
    [
      'Email',
      config.mailTransport === 'inbox'
        ? `${publicOrigin}/dev/inbox`
        : `sent with MAIL_TRANSPORT=${config.mailTransport}`,
    ],
    ...example,
    ['Administrator', await adminSetupHint(app, setupToken)],
    ['Database', isEmbedded ? `embedded in ${config.dataDir}` : 'PostgreSQL at DATABASE_URL'],
  ];
  if (config.production && config.logFormat === 'json') {
    const details = Object.fromEntries(lines.map(([name = '', text = '']) => [toMember(name), text]));
    const line = { level: 30, time: app.get(Clock).date(), version: config.buildId, msg: 'started', ...details };
    const token = setupToken === null ? {} : { setup_token: setupToken };
    process.stdout.write(`${JSON.stringify({ ...line, ...token })}\n`);
  } else process.stdout.write(`${lines.map(([name, text]) => `${name?.padEnd(16)} ${text}`).join('\n')}\n`);
}

const toMember = (title: string): string => title.toLowerCase().replaceAll(' ', '_');

async function demoHint(app: INestApplication): Promise<string> {
  const administrator = await app.get(DemoData).fill();
  if (!administrator) return 'not added, because the database already has accounts';
  return `200 users. Sign in as ${administrator.email} with the password ${administrator.password} (shown only now)`;
}

async function adminSetupHint(app: INestApplication, token: string | null): Promise<string> {
  const { web, publicOrigin } = app.get(Config);
  const way = web.admin ? `enter the setup token at ${publicOrigin}/admin, or POST` : 'register, then POST';
  if (token !== null)
    return `none yet. To become the administrator, ${way} /v1/setup {"token": "${token}"} (works once and is shown only now)`;
  const grant = commandLine("user grant-acl <email> '*'");
  if (await app.get(AccountRecords).hasAdministrator()) return `exists. To add another one, run ${grant}`;
  const isPreset = app.get(Config).setupToken !== undefined;
  const where = isPreset ? 'is GATEHOUSE_SETUP_TOKEN' : 'was shown at the first start';
  return `none yet. The setup token for POST /v1/setup ${where}. Or run ${grant}`;
}

/**
 * Serves requests while readiness fails, and closes each connection after its next response. Gateway clients reconnect
 * (contract/conventions.md section 12).
 */
async function leave(app: INestApplication<Server>): Promise<void> {
  const { drainSeconds } = app.get(Config);
  if (app.get(Database).isEmbedded || drainSeconds === 0) return;
  app.get(Log).info('not ready: shutting down soon', { seconds: drainSeconds });
  const load = app.get(Load);
  load.leaving = true;
  load.retiring = true;
  await Promise.all([delay(drainSeconds * 1000), app.get(Gateway).drainConnections()]);
  // The system resets connections that wait to be accepted. At this point of the event loop, all have just been accepted.
  await new Promise(setImmediate);
  stopListening(app.getHttpServer());
  await app.get(ConnectionRegistry).retire(performance.now() + FIRST_REQUEST_MS);
}

/** Shuts down within one deadline. Work that is not finished by then is cut off. */
async function drain(app: INestApplication<Server>): Promise<void> {
  const live = app.get(LiveRequests);
  const load = app.get(Load);
  const log = app.get(Log);
  const { shutdownSeconds } = app.get(Config);
  log.info('shutting down');
  load.draining = true;
  const deadline = performance.now() + shutdownSeconds * 1000;
  const sockets = app.get(Gateway).drain();
  while (live.size > 0 && performance.now() < deadline) await delay(POLL_INTERVAL_MS);
  await finishesBy(deadline, sockets);
  if (live.size === 0) await app.get(ConnectionRegistry).drainIdleConnections();
  app.getHttpServer().closeAllConnections();
  if (!(await finishesBy(deadline + SHUTDOWN_GRACE_MS, app.close()))) throw new Error('shutdown timed out');
}

/** Whether `work` finished in time. */
const finishesBy = (deadline: number, work: Promise<unknown>): Promise<boolean> =>
  Promise.race([work.then(() => true), delay(Math.max(0, deadline - performance.now()), false, { ref: false })]);
