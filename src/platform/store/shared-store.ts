import type { Log } from '../../core/log.js';
import { connectRedis, type RedisConnection } from './redis-client.js';

/** Amount that is added to a bucket. 0 only reads it, -1 refunds one and is always admitted. */
export type Amount = -1 | 0 | 1;

/** The part of the client library that is used. */
interface RedisClient {
  defineCommand(name: string, definition: { numberOfKeys: number; lua: string }): void;
  gatehouseTake(
    key: string,
    limit: number,
    seconds: number,
    amount: Amount,
  ): Promise<[admitted: number, level: string]>;
  gatehouseAdd(key: string, amount: string, seconds: number): Promise<string>;
  gatehouseDistinct(key: string, member: string, seconds: number): Promise<number>;
  gatehouseStrike(key: string, seconds: number): Promise<number>;
  get(key: string): Promise<string | null>;
  del(key: string): Promise<number>;
  disconnect(): void;
}

/** State of a leaky bucket after one request (conventions.md 7.1). Times are in seconds. */
export interface Allowance {
  readonly admitted: boolean;
  /** Requests that would still be admitted. */
  readonly remaining: number;
  /** Time until the bucket is empty. */
  readonly resetAfter: number;
  /** Time until the next request is admitted; 0 if this one was. */
  readonly retryAfter: number;
}

/**
 * Counters that replicas may share and that may be lost, so they never decide about a credential. A key starts with the
 * name of its kind and a space. There are only a few kinds.
 */
export abstract class SharedStore {
  /** Atomically adds one to the bucket if it fits, checks whether one would fit, or refunds one. */
  abstract take(key: string, limit: number, seconds: number, amount?: Amount): Allowance | Promise<Allowance>;
  abstract reset(key: string): void | Promise<void>;
  /** Adds to a sum that expires `seconds` after its first addition, and returns the sum. */
  abstract add(key: string, amount: number, seconds: number): number | Promise<number>;
  /** Adds a member to a set that expires `seconds` after its first member, and returns the size of the set. */
  abstract distinct(key: string, member: string, seconds: number): number | Promise<number>;
  /** Counts a strike and returns the number of strikes. They all expire `seconds` after the last one. */
  abstract strike(key: string, seconds: number): number | Promise<number>;
  /** Returns the number of strikes. */
  abstract strikes(key: string): number | Promise<number>;
  abstract close(): Promise<void>;

  /** The part of a limit that this store counts. */
  share(limit: number): number {
    return limit;
  }
}

/** The share of one of several processes that count limits separately. All shares of a limit add up to it. */
export interface Share {
  readonly index: number;
  readonly count: number;
}

interface Bucket {
  level: number;
  at: number;
  emptyAt: number;
}

const MAX_PER_KIND = 100_000;
const MAX_MEMBERS = 1000;
const SWEEP_MS = 10_000;

/**
 * Bounded per-kind map that evicts the least recently written entry. Each kind has its own limit, so that requests from
 * many IP addresses evict only counters of IP addresses, not those of password guesses.
 */
class BoundedKindMap<T> {
  private readonly kinds = new Map<string, Map<string, T>>();

  get(key: string): T | undefined {
    return this.kinds.get(keyKind(key))?.get(key);
  }

  set(key: string, value: T): void {
    const kind = keyKind(key);
    const kept = this.kinds.get(kind) ?? new Map<string, T>();
    this.kinds.set(kind, kept);
    kept.delete(key);
    kept.set(key, value);
    if (kept.size <= MAX_PER_KIND) return;
    const [oldest] = kept.keys();
    if (oldest !== undefined) kept.delete(oldest);
  }

  delete(key: string): void {
    this.kinds.get(keyKind(key))?.delete(key);
  }

  sweep(isOver: (value: T) => boolean): void {
    for (const kept of this.kinds.values()) for (const [key, value] of kept) if (isOver(value)) kept.delete(key);
  }
}

const keyKind = (key: string): string => key.slice(0, Math.max(0, key.indexOf(' ')));

/**
 * The store of a single process, in memory. One of several workers counts its share of a limit, which is at least 1,
 * because otherwise a worker would reject all requests.
 */
export class MemoryStore extends SharedStore {
  private readonly buckets = new BoundedKindMap<Bucket>();
  private readonly sums = new BoundedKindMap<{ value: number; until: number }>();
  private readonly sets = new BoundedKindMap<{ members: Set<string>; until: number }>();
  private readonly sweeper = setInterval(() => this.sweep(), SWEEP_MS).unref();

  constructor(private readonly part: Share = { index: 0, count: 1 }) {
    super();
  }

  override share(limit: number): number {
    const { index, count } = this.part;
    return Math.max(1, Math.floor(limit / count) + (index < limit % count ? 1 : 0));
  }

  take(key: string, whole: number, seconds: number, amount: Amount = 1): Allowance {
    const limit = this.share(whole);
    const now = performance.now() / 1000;
    const rate = limit / seconds;
    const bucket = this.buckets.get(key);
    const level = bucket ? Math.max(0, bucket.level - (now - bucket.at) * rate) : 0;
    const admitted = amount < 0 || level + 1 <= limit;
    const after = admitted ? Math.max(0, level + amount) : level;
    this.buckets.set(key, { level: after, at: now, emptyAt: now + after / rate });
    return {
      admitted,
      remaining: Math.max(0, Math.floor(limit - after)),
      resetAfter: after / rate,
      retryAfter: admitted ? 0 : Math.max(0.001, (level + 1 - limit) / rate),
    };
  }

  reset(key: string): void {
    this.buckets.delete(key);
  }

  add(key: string, amount: number, seconds: number): number {
    const sum = this.getOrCreate(this.sums, key, () => ({ value: 0, until: this.expiresAt(seconds) }));
    sum.value += amount;
    return sum.value;
  }

  distinct(key: string, member: string, seconds: number): number {
    const set = this.getOrCreate(this.sets, key, () => ({
      members: new Set<string>(),
      until: this.expiresAt(seconds),
    }));
    if (set.members.size < MAX_MEMBERS) set.members.add(member);
    return set.members.size;
  }

  strike(key: string, seconds: number): number {
    const count = this.strikes(key) + 1;
    this.sums.set(key, { value: count, until: this.expiresAt(seconds) });
    return count;
  }

  strikes(key: string): number {
    const known = this.sums.get(key);
    return known && known.until > performance.now() / 1000 ? known.value : 0;
  }

  private expiresAt(seconds: number): number {
    return performance.now() / 1000 + seconds;
  }

  private getOrCreate<T extends { until: number }>(kept: BoundedKindMap<T>, key: string, fresh: () => T): T {
    const known = kept.get(key);
    if (known && known.until > performance.now() / 1000) return known;
    const entry = fresh();
    kept.set(key, entry);
    return entry;
  }

  private sweep(): void {
    const now = performance.now() / 1000;
    this.buckets.sweep(({ emptyAt }) => emptyAt <= now);
    this.sums.sweep(({ until }) => until <= now);
    this.sets.sweep(({ until }) => until <= now);
  }

  async close(): Promise<void> {
    clearInterval(this.sweeper);
  }
}

/**
 * The leaky bucket as one atomic script, with the time of the Redis server. Returns 1 or 0, then the level as a string
 * with six decimals, because Redis would truncate a number.
 */
const TAKE = `
local time = redis.call('TIME')
local now = tonumber(time[1]) + tonumber(time[2]) / 1000000
local limit = tonumber(ARGV[1])
local rate = limit / tonumber(ARGV[2])
local bucket = redis.call('HMGET', KEYS[1], 'level', 'at')
local level = math.max(0, (tonumber(bucket[1]) or 0) - (now - (tonumber(bucket[2]) or now)) * rate)
local amount = tonumber(ARGV[3])
local admitted = 0
if amount < 0 or level + 1 <= limit then
  level = math.max(0, level + amount)
  admitted = 1
end
redis.call('HSET', KEYS[1], 'level', tostring(level), 'at', string.format('%.6f', now))
redis.call('PEXPIRE', KEYS[1], math.ceil(level / rate * 1000) + 1000)
return { admitted, string.format('%.6f', level) }
`;

const ADD = `
local sum = redis.call('INCRBYFLOAT', KEYS[1], ARGV[1])
if redis.call('PTTL', KEYS[1]) < 0 then redis.call('EXPIRE', KEYS[1], ARGV[2]) end
return sum
`;

const DISTINCT = `
redis.call('SADD', KEYS[1], ARGV[1])
if redis.call('PTTL', KEYS[1]) < 0 then redis.call('EXPIRE', KEYS[1], ARGV[2]) end
return redis.call('SCARD', KEYS[1])
`;

const STRIKE = `
local strikes = redis.call('INCR', KEYS[1])
redis.call('EXPIRE', KEYS[1], ARGV[1])
return strikes
`;

const PREFIX = 'gatehouse:bucket:';
const REDIS_STORE_TIMEOUT_MS = 250;

/** Counters that all replicas share, in Redis or Valkey. If it does not respond, each process limits on its own. */
export class RedisStore extends SharedStore {
  private readonly fallback = new MemoryStore();
  private failing = false;

  constructor(
    private readonly client: RedisClient,
    private readonly log: Log,
  ) {
    super();
    client.defineCommand('gatehouseTake', { numberOfKeys: 1, lua: TAKE });
    client.defineCommand('gatehouseAdd', { numberOfKeys: 1, lua: ADD });
    client.defineCommand('gatehouseDistinct', { numberOfKeys: 1, lua: DISTINCT });
    client.defineCommand('gatehouseStrike', { numberOfKeys: 1, lua: STRIKE });
  }

  static async open(url: string, log: Log): Promise<RedisStore> {
    return new RedisStore((await connectRedis(url, REDIS_STORE_TIMEOUT_MS)) as RedisConnection & RedisClient, log);
  }

  take(key: string, limit: number, seconds: number, amount: Amount = 1): Promise<Allowance> {
    return this.withFallback(
      async () => {
        const [admitted, text] = await this.client.gatehouseTake(PREFIX + key, limit, seconds, amount);
        const level = Number(text);
        const rate = limit / seconds;
        return {
          admitted: admitted === 1,
          remaining: Math.max(0, Math.floor(limit - level)),
          resetAfter: level / rate,
          retryAfter: admitted === 1 ? 0 : Math.max(0.001, (level + 1 - limit) / rate),
        };
      },
      () => this.fallback.take(key, limit, seconds, amount),
    );
  }

  async reset(key: string): Promise<void> {
    this.fallback.reset(key);
    await this.withFallback(
      () => this.client.del(PREFIX + key),
      () => 0,
    );
  }

  add(key: string, amount: number, seconds: number): Promise<number> {
    return this.withFallback(
      async () => Number(await this.client.gatehouseAdd(PREFIX + key, String(amount), seconds)),
      () => this.fallback.add(key, amount, seconds),
    );
  }

  distinct(key: string, member: string, seconds: number): Promise<number> {
    return this.withFallback(
      () => this.client.gatehouseDistinct(PREFIX + key, member, seconds),
      () => this.fallback.distinct(key, member, seconds),
    );
  }

  strike(key: string, seconds: number): Promise<number> {
    return this.withFallback(
      () => this.client.gatehouseStrike(PREFIX + key, seconds),
      () => this.fallback.strike(key, seconds),
    );
  }

  strikes(key: string): Promise<number> {
    return this.withFallback(
      async () => Number(await this.client.get(PREFIX + key)),
      () => this.fallback.strikes(key),
    );
  }

  private async withFallback<T>(shared: () => Promise<T>, alone: () => T): Promise<T> {
    try {
      const response = await shared();
      this.onRecovery();
      return response;
    } catch (error) {
      this.onFailure(error);
      return alone();
    }
  }

  private onFailure(error: unknown): void {
    if (!this.failing) this.log.warn('Redis does not respond: each process enforces rate limits separately', { error });
    this.failing = true;
  }

  private onRecovery(): void {
    if (this.failing) this.log.info('Redis responds again');
    this.failing = false;
  }

  async close(): Promise<void> {
    await this.fallback.close();
    this.client.disconnect();
  }
}
