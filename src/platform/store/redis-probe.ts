import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { StartError } from '../../core/config/start-error.js';
import { connectRedis, type RedisConnection } from './redis-client.js';

const REDIS_PROBE_TIMEOUT_MS = 2000;

const WRITE_PROBE = ['gatehouse:probe', '1', 'PX', 1000] as const;
const CLUSTER_MESSAGE = 'it is a Redis Cluster. Use redis-cluster:// instead of redis://';
const NO_CLUSTER_MESSAGE = 'it is not a Redis Cluster. Use redis:// instead of redis-cluster://';
const OLDEST_REDIS = [6, 2] as const;
const READ_ONLY_MESSAGE = 'it is read-only. Use the primary, not a replica';
/** Error replies of a server that will be usable shortly. */
const TEMPORARY_ERROR = /^(?:LOADING|BUSY|TRYAGAIN|MASTERDOWN)\b/;

/**
 * Returns why a Redis server that responds cannot be used. Returns undefined if it does not respond or is temporarily
 * unavailable, which all callers tolerate.
 */
function explainError(error: unknown): string | undefined {
  const { name, message, cause } = error as Error & { cause?: { lastNodeError?: Error } };
  if (cause?.lastNodeError?.message.includes('cluster support disabled')) return NO_CLUSTER_MESSAGE;
  if (name !== 'ReplyError' || TEMPORARY_ERROR.test(message)) return undefined;
  return message.startsWith('READONLY') ? READ_ONLY_MESSAGE : `it rejects writes (${message.slice(0, 100)})`;
}

/** Valkey and other servers report the version of Redis that they are compatible with. */
function explainVersion(info: string): string | undefined {
  const [, version = '', major, minor] = /^redis_version:((\d+)\.(\d+)\S*)/m.exec(info) ?? [];
  if (version === '') return undefined;
  const [oldestMajor, oldestMinor] = OLDEST_REDIS;
  const isRecent = Number(major) > oldestMajor || (Number(major) === oldestMajor && Number(minor) >= oldestMinor);
  return isRecent ? undefined : `Redis ${version} is too old. Use ${OLDEST_REDIS.join('.')} or newer`;
}

/** Checks whether the server of `REDIS_URL` can do what the service needs. A server that is down is not an error. */
export class RedisProbe {
  constructor(readonly client: RedisConnection) {}

  static async open(url: string): Promise<RedisProbe> {
    return new RedisProbe(await connectRedis(url, REDIS_PROBE_TIMEOUT_MS));
  }

  /** Returns why the server cannot be used, or undefined if it can be used or does not respond. */
  async findFault(): Promise<string | undefined> {
    try {
      const info = await this.client.info('cluster');
      if (!this.client.isCluster && info.includes('cluster_enabled:1')) return CLUSTER_MESSAGE;
      const tooOld = explainVersion(await this.client.info('server'));
      if (tooOld) return tooOld;
      await this.client.set(...WRITE_PROBE);
    } catch (error) {
      return explainError(error);
    }
    return undefined;
  }

  /** Waits until the first attempt to connect has succeeded or failed. */
  async whenConnected(): Promise<void> {
    const { client } = this;
    const late = delay(REDIS_PROBE_TIMEOUT_MS, undefined, { ref: false });
    if (client.status !== 'ready')
      await Promise.race([once(client, 'ready'), once(client, 'close'), late]).catch(() => {});
  }

  /**
   * Checks the server at startup.
   * @throws StartError if it responds but cannot be used
   */
  async assertUsable(): Promise<void> {
    await this.whenConnected();
    const fault = await this.findFault();
    if (fault) throw new StartError(`REDIS_URL cannot be used: ${fault}`);
  }

  async close(): Promise<void> {
    this.client.disconnect();
  }
}
