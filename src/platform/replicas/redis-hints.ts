import { hkdfSync, randomUUID } from 'node:crypto';
import type { Config } from '../../core/config/config.js';
import type { Log } from '../../core/log.js';
import { connectRedis, type RedisConnection } from '../store/redis-client.js';

const REDIS_HINT_TIMEOUT_MS = 2000;

/** Derives the channel name of a deployment, because Redis channels are shared by all its databases. */
function deriveChannel({ secret }: Config, database: string): string {
  const key = hkdfSync('sha256', secret, 'gatehouse', `notices of ${database}`, 16);
  return `gatehouse:notices:${Buffer.from(key).toString('hex')}`;
}

export interface Hint {
  readonly topic: string;
  readonly data: Record<string, unknown>;
}

/**
 * Hints between replicas by Redis or Valkey: that there are journal entries, and which connections to renew. Anyone
 * with access to that Redis can forge or drop them, so correctness never depends on them. No operation waits for them.
 */
export class RedisHints {
  private readonly origin = randomUUID();

  private constructor(
    private readonly sender: RedisConnection,
    private readonly receiver: RedisConnection,
    private readonly channel: string,
    private readonly log: Log,
  ) {}

  /** Connects in the background, so that a Redis server that is down does not delay startup. */
  static async open(
    config: Config,
    { url, database, log }: { url: string; database: string; log: Log },
    hear: (hint: Hint) => void,
  ): Promise<RedisHints> {
    const sender = await connectRedis(url, REDIS_HINT_TIMEOUT_MS);
    const receiver = await connectRedis(url, REDIS_HINT_TIMEOUT_MS);
    const hints = new RedisHints(sender, receiver, deriveChannel(config, database), log);
    receiver.on('ready', () => hints.logErrorReplies(receiver.subscribe(hints.channel)));
    receiver.on('message', (_, message) => {
      const hint = hints.parse(message);
      if (hint) hear(hint);
    });
    return hints;
  }

  publish(hint: Hint): void {
    this.logErrorReplies(this.sender.publish(this.channel, JSON.stringify({ origin: this.origin, ...hint })));
  }

  private parse(text: string): Hint | null {
    try {
      const { origin, topic, data } = JSON.parse(text);
      const isOurs = origin !== this.origin && typeof topic === 'string';
      return isOurs && typeof data === 'object' && data !== null ? { topic, data } : null;
    } catch {
      return null;
    }
  }

  /**
   * Failures are ignored because journal polling compensates for them. Only an error reply is logged, since the
   * operator should fix it.
   */
  private logErrorReplies(command: Promise<unknown>): void {
    command.catch((error: Error) => {
      if (error.name === 'ReplyError')
        this.log.warn('Redis rejected the subscription to notifications: only PostgreSQL delivers them', { error });
    });
  }

  close(): void {
    this.sender.disconnect();
    this.receiver.disconnect();
  }
}
