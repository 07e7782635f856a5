import { connect } from 'node:net';
import { Redis } from 'ioredis';
import { describeOnPostgres } from './postgres.js';

/** Where tests look for a Redis or Valkey server. */
const SERVER_URL = process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379';

/** A database of that server for one file of tests, which may empty it: files run at the same time. */
export const redisDatabase = (index: number): string =>
  Object.assign(new URL(SERVER_URL), { pathname: `/${index}` }).href;

/** Takes out of one what an earlier run of its file has counted there. */
export async function emptyRedis(url: string): Promise<void> {
  const client = new Redis(url);
  await client.flushdb();
  client.disconnect();
}

const answers = (): Promise<boolean> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(SERVER_URL);
    const socket = connect({ host: hostname, port: Number(port || 6379), timeout: 2000 });
    const end = (found: boolean) => {
      socket.destroy();
      resolve(found);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
    socket.once('timeout', () => end(false));
  });

export const hasRedis = await answers();

/** `describe`, or a skipped one that says why, where no Redis answers. */
export const describeWithRedis = (title: string, suite: () => void): void => {
  if (hasRedis) describe(title, suite);
  else describe.skip(`${title} (skipped: no Redis on this machine)`, suite);
};

/** `describe`, or a skipped one that says why, where replicas have no PostgreSQL or no Redis to share. */
export const describeWithSharedStore = (title: string, suite: () => void): void =>
  (hasRedis ? describeOnPostgres : describeWithRedis)(title, suite);
