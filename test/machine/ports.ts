import { createServer } from 'node:net';

/**
 * Below the ephemeral port range of most systems, so that no outgoing connection takes a port before its service
 * listens on it.
 */
const FIRST_PORT = 12_000;
const PORTS_OF_A_WORKER = 1000;
const WORKERS = 20;

/** One counter per process, because each test file may have its own instance of this module. */
const GIVEN = Symbol.for('gatehouse.givenPorts');
const given = globalThis as { [GIVEN]?: number };

/**
 * The next port of the range that belongs to this worker. Another test run on this machine starts at a different port.
 */
function nextPort(): number {
  const count = (given[GIVEN] ?? process.pid) + 1;
  given[GIVEN] = count;
  const worker = Number(process.env.JEST_WORKER_ID ?? 0) % WORKERS;
  return FIRST_PORT + worker * PORTS_OF_A_WORKER + (count % PORTS_OF_A_WORKER);
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    // Listens on all addresses, so that a server on any single address is also detected.
    server.listen(port, () => server.close(() => resolve(true)));
  });

/** Returns a port that is free and stays free until the caller listens on it. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < PORTS_OF_A_WORKER; tries++) {
    const port = nextPort();
    if (await isFree(port)) return port;
  }
  throw new Error('no port is free');
}
