import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { StartError } from '../../core/config/start-error.js';
import { connectRedis } from './redis-client.js';

const ANSWER_MS = 2000;

const WRITE = ['gatehouse:probe', '1', 'PX', '1000'] as const;
const CLUSTER = 'it is a Redis Cluster. Gatehouse needs one server, with or without replicas';
const READ_ONLY = 'it is read-only. Use the primary, not a replica';
/** Error replies of a server that will be usable shortly. */
const PASSING = /^(?:LOADING|BUSY|TRYAGAIN|MASTERDOWN)\b/;

/**
 * Returns why a Redis server that responds cannot be used. Returns undefined if it does not respond or is temporarily
 * unavailable, which all callers tolerate.
 */
function causeOf(error: unknown): string | undefined {
  const { name, message } = error as Error;
  if (name !== 'ReplyError' || PASSING.test(message)) return undefined;
  return message.startsWith('READONLY') ? READ_ONLY : `it rejects writes (${message.slice(0, 100)})`;
}

/** Checks whether the server of `REDIS_URL` can do what the service needs. A server that is down is not an error. */
export class RedisProbe {
  private constructor(private readonly client: Redis) {}

  static async open(url: string): Promise<RedisProbe> {
    return new RedisProbe(await connectRedis(url, ANSWER_MS));
  }

  /** Returns why the server cannot be used, or undefined if it can be used or does not respond. */
  async fault(): Promise<string | undefined> {
    try {
      if ((await this.client.info('cluster')).includes('cluster_enabled:1')) return CLUSTER;
      await this.client.call('SET', ...WRITE);
    } catch (error) {
      return causeOf(error);
    }
    return undefined;
  }

  /**
   * Checks the server at startup.
   * @throws StartError if it responds but cannot be used
   */
  async demand(): Promise<void> {
    const { client } = this;
    const late = delay(ANSWER_MS, undefined, { ref: false });
    if (client.status !== 'ready')
      await Promise.race([once(client, 'ready'), once(client, 'close'), late]).catch(() => {});
    const fault = await this.fault();
    if (fault) throw new StartError(`REDIS_URL cannot be used: ${fault}`);
  }

  async check(): Promise<void> {
    const fault = await this.fault();
    if (fault) throw new Error(`Redis cannot be used: ${fault}`);
  }

  async close(): Promise<void> {
    this.client.disconnect();
  }
}
