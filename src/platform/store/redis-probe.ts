import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { StartError } from '../../core/config/start-error.js';
import { connectRedis } from './redis-client.js';

const ANSWER_MS = 2000;

const WRITE = ['gatehouse:probe', '1', 'PX', '1000'] as const;
const CLUSTER = 'it is a Redis Cluster. Gatehouse needs one server, with or without replicas';
const READ_ONLY = 'it is read-only. Use the primary, not a replica';
/** It will serve in a moment. */
const PASSING = /^(?:LOADING|BUSY|TRYAGAIN|MASTERDOWN)\b/;

/** Why a Redis that answers is of no use; undefined where it gives no answer, which everybody who asks it expects. */
function causeOf(error: unknown): string | undefined {
  const { name, message } = error as Error;
  if (name !== 'ReplyError' || PASSING.test(message)) return undefined;
  return message.startsWith('READONLY') ? READ_ONLY : `it rejects writes (${message.slice(0, 100)})`;
}

/** Whether the server of `REDIS_URL` does what the service needs of it. One that is down is none of its concerns. */
export class RedisProbe {
  private constructor(private readonly client: Redis) {}

  static async open(url: string): Promise<RedisProbe> {
    return new RedisProbe(await connectRedis(url, ANSWER_MS));
  }

  /** Why it cannot be used, if it answers. */
  async fault(): Promise<string | undefined> {
    try {
      if ((await this.client.info('cluster')).includes('cluster_enabled:1')) return CLUSTER;
      await this.client.call('SET', ...WRITE);
    } catch (error) {
      return causeOf(error);
    }
    return undefined;
  }

  /** @throws StartError */
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
