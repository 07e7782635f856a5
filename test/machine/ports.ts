import { createServer } from 'node:net';

/** Below what systems give to connections that go out, so that none of those takes a port before its service listens. */
const FIRST_PORT = 12_000;
const PORTS_OF_A_WORKER = 1000;
const WORKERS = 20;

/** One count for the process, whatever modules a file of tests has for itself. */
const GIVEN = Symbol.for('gatehouse.givenPorts');
const given = globalThis as { [GIVEN]?: number };

/** Ports of this worker alone; another run on this machine begins elsewhere among them. */
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
    // At every address, so that whoever listens at one of them is met.
    server.listen(port, () => server.close(() => resolve(true)));
  });

/** A port where nobody listens, now or until whoever asked for it does. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < PORTS_OF_A_WORKER; tries++) {
    const port = nextPort();
    if (await isFree(port)) return port;
  }
  throw new Error('no port is free');
}
