import { hash, hkdfSync } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Config } from '../config.js';
import type { Log } from '../log.js';
import { connectRedis } from './redis-client.js';

const ANSWER_MS = 2000;
const MAX_REMEMBERED = 4096;

/** One channel for the replicas of a deployment: Redis does not tell its databases apart here. */
function channelOf({ secret }: Config, database: string): string {
  const key = hkdfSync('sha256', secret, 'gatehouse', `notices of ${database}`, 16);
  return `gatehouse:notices:${Buffer.from(key).toString('hex')}`;
}

/**
 * The second way of notices, by Redis or Valkey: it works while the first one is interrupted, and nothing rests on it.
 * Nobody waits for it; what it loses, or refuses, is heard from PostgreSQL.
 */
export class RedisNotices {
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
    hear: (message: string) => void,
  ): Promise<RedisNotices> {
    const sender = await connectRedis(url, ANSWER_MS);
    const receiver = await connectRedis(url, ANSWER_MS);
    const notices = new RedisNotices(sender, receiver, channelOf(config, database), log);
    receiver.on('ready', () => notices.attempt(receiver.subscribe(notices.channel)));
    receiver.on('message', (_, message) => hear(message));
    return notices;
  }

  publish(message: string): void {
    this.attempt(this.sender.publish(this.channel, message));
  }

  /** What fails here is heard from PostgreSQL; a Redis that refuses it should be put right. */
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

/**
 * The last messages that were heard. They are told apart by all that they say: whoever has seen the id of one cannot use
 * it up with another.
 */
export class HeardMessages {
  private readonly digests = new Set<string>();

  /** Notes a message; answers whether it was noted before. */
  note(message: string): boolean {
    const digest = hash('sha256', message, 'base64url');
    if (this.digests.has(digest)) return true;
    this.digests.add(digest);
    if (this.digests.size > MAX_REMEMBERED) {
      const [oldest = ''] = this.digests;
      this.digests.delete(oldest);
    }
    return false;
  }
}
