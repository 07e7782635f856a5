import { connect } from 'node:net';
import { Redis } from 'ioredis';
import { describeOnPostgres } from './postgres.js';

/** The URL of a Redis or Valkey server for tests. */
const SERVER_URL = process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379';

/** The URL of a database on that server for one test file, which may empty it. Test files run in parallel. */
export const redisDatabase = (index: number): string =>
  Object.assign(new URL(SERVER_URL), { pathname: `/${index}` }).href;

/** Deletes the counters that an earlier run of the test file left in a database. */
export async function emptyRedis(url: string): Promise<void> {
  const client = new Redis(url);
  await client.flushdb();
  client.disconnect();
}

const isReachable = (): Promise<boolean> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(SERVER_URL);
    const socket = connect({ host: hostname, port: Number(port || 6379), timeout: 20_000 });
    const end = (found: boolean) => {
      socket.destroy();
      resolve(found);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
    socket.once('timeout', () => end(false));
  });

export const hasRedis = await isReachable();

/** `describe`, or a skipped suite with the reason in its title if no Redis server is available. */
export const describeWithRedis = (title: string, suite: () => void): void => {
  if (hasRedis) describe(title, suite);
  else describe.skip(`${title} (skipped: no Redis on this machine)`, suite);
};

/**
 * `describe`, or a skipped suite with the reason in its title if replicas cannot share a PostgreSQL and a Redis server.
 */
export const describeWithSharedStore = (title: string, suite: () => void): void =>
  (hasRedis ? describeOnPostgres : describeWithRedis)(title, suite);
