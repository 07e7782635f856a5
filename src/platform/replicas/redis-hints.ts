import { hkdfSync, randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Config } from '../../core/config/config.js';
import type { Log } from '../../core/log.js';
import { connectRedis } from '../store/redis-client.js';

const ANSWER_MS = 2000;

/** One channel for the replicas of a deployment: Redis does not tell its databases apart here. */
function channelOf({ secret }: Config, database: string): string {
  const key = hkdfSync('sha256', secret, 'gatehouse', `notices of ${database}`, 16);
  return `gatehouse:notices:${Buffer.from(key).toString('hex')}`;
}

export interface Hint {
  readonly topic: string;
  readonly data: Record<string, unknown>;
}

/**
 * Hints between replicas, by Redis or Valkey: where to look, which connections have to come back. Anybody with access to
 * that Redis can make one up, and any may be lost: nothing rests on them. Nobody waits for them.
 */
export class RedisHints {
  private readonly origin = randomUUID();

  private constructor(
    private readonly sender: Redis,
    private readonly receiver: Redis,
    private readonly channel: string,
    private readonly log: Log,
  ) {}

  /** Connects in the background: a Redis that is down at boot delays nothing. */
  static async open(
    config: Config,
    { url, database, log }: { url: string; database: string; log: Log },
    hear: (hint: Hint) => void,
  ): Promise<RedisHints> {
    const sender = await connectRedis(url, ANSWER_MS);
    const receiver = await connectRedis(url, ANSWER_MS);
    const hints = new RedisHints(sender, receiver, channelOf(config, database), log);
    receiver.on('ready', () => hints.attempt(receiver.subscribe(hints.channel)));
    receiver.on('message', (_, message) => {
      const hint = hints.parse(message);
      if (hint) hear(hint);
    });
    return hints;
  }

  publish(hint: Hint): void {
    this.attempt(this.sender.publish(this.channel, JSON.stringify({ origin: this.origin, ...hint })));
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

  /** What fails here is found out in another way; a Redis that refuses it should be put right. */
  private attempt(command: Promise<unknown>): void {
    command.catch((error: Error) => {
      if (error.name === 'ReplyError') this.log.warn('Redis takes no part in notices', { error });
    });
  }

  close(): void {
    this.sender.disconnect();
    this.receiver.disconnect();
  }
}
