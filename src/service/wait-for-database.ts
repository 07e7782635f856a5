import { createServer, type Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../core/config/config.js';
import { StartError } from '../core/config/start-error.js';
import type { Log } from '../core/log.js';
import { connectionErrorMessage } from '../platform/database/embedded.js';
import { connectTo } from '../platform/database/hosts.js';
import { canBecomeAvailable } from '../platform/database/unavailable.js';

const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5000;
const CONNECT_TIMEOUT_MS = 2000;
const RETRY_AFTER_SECONDS = '5';

const UNAVAILABLE = JSON.stringify({
  code: 'SERVICE_UNAVAILABLE',
  message: 'The service is temporarily unavailable. Try again later.',
});

/** Responds while there is no service: the process is alive, and everything else is unavailable. */
async function listenUnavailable({ port, host }: Config): Promise<Server> {
  const server = createServer((req, res) => {
    const isAlive = req.url?.split('?')[0] === '/health/live';
    const headers = {
      'Content-Type': 'application/json; charset=utf-8',
      Connection: 'close',
      'Cache-Control': 'no-store',
    };
    if (isAlive) res.writeHead(200, headers).end('{"status":"ok"}');
    else res.writeHead(503, { ...headers, 'Retry-After': RETRY_AFTER_SECONDS }).end(UNAVAILABLE);
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  return server;
}

async function tryConnections({ databaseUrl, databaseDirectUrl, databasePatience }: Config): Promise<void> {
  for (const url of [databaseUrl, databaseDirectUrl]) {
    if (url === undefined) continue;
    const client = await connectTo(url, { connectionTimeoutMillis: CONNECT_TIMEOUT_MS * databasePatience });
    await client.query<never>('SELECT 1').finally(() => client.end().catch(() => {}));
  }
}

/** Tries again with a growing pause until the database accepts connections. @throws StartError */
async function waitUntilAvailable(config: Config, log: Log, deadline: number): Promise<void> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
    await delay(Math.max(0, Math.min(pause, deadline - performance.now())));
    try {
      return await tryConnections(config);
    } catch (error) {
      if (!canBecomeAvailable(error) || performance.now() >= deadline) {
        throw new StartError(`Connecting to the database failed: ${connectionErrorMessage(error)}`, { cause: error });
      }
      log.info('still waiting for the database', { cause: connectionErrorMessage(error) });
    }
  }
}

/**
 * Creates the service. If the database is away, waits for it up to `DATABASE_WAIT_SECONDS`. In the meantime, this process
 * is alive and not ready.
 * @returns the result of `create`, and a function that frees the port for the service
 * @throws as `create`, and StartError if the database stays away
 */
export async function createWithDatabase<T>(
  config: Config,
  log: Log,
  create: () => Promise<T>,
): Promise<{ created: T; freePort: () => void }> {
  const deadline = performance.now() + config.databaseWaitSeconds * 1000;
  let server: Server | undefined;
  const stop = () => process.exit(0);
  const free = () => {
    process.off('SIGTERM', stop).off('SIGINT', stop);
    server?.close();
  };
  for (;;) {
    try {
      return { created: await create(), freePort: free };
    } catch (error) {
      const isAway = error instanceof StartError && canBecomeAvailable(error.cause);
      if (!isAway || performance.now() >= deadline) {
        free();
        throw error;
      }
      log.warn('the database is unavailable: waiting for it', {
        seconds: config.databaseWaitSeconds,
        cause: connectionErrorMessage(error.cause),
      });
      if (!server) {
        server = await listenUnavailable(config);
        process.on('SIGTERM', stop).on('SIGINT', stop);
      }
      await waitUntilAvailable(config, log, deadline).catch((failure) => {
        free();
        throw failure;
      });
      log.info('the database is available');
    }
  }
}
