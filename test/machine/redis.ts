import { connect } from 'node:net';
import { describeOnPostgres } from './postgres.js';

/** Where tests look for a Redis or Valkey server; database 9, which they may empty. */
export const REDIS_URL = process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379/9';

/** Database 10, for gateway sessions: other files empty database 9. */
export const SESSIONS_REDIS_URL = Object.assign(new URL(REDIS_URL), { pathname: '/10' }).href;

/** Database 11, for connections that are counted. */
export const NOTICES_REDIS_URL = Object.assign(new URL(REDIS_URL), { pathname: '/11' }).href;

const answers = (): Promise<boolean> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(REDIS_URL);
    const socket = connect({ host: hostname, port: Number(port || 6379), timeout: 500 });
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
