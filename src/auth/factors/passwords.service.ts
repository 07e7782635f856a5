import { hash as digestOf } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Algorithm, hash, verify } from '@node-rs/argon2';
import { Account } from '../../accounts/account.entities.js';
import { Config } from '../../core/config/config.js';
import { unavailable, validationError } from '../../core/errors.js';
import { Log } from '../../core/log.js';
import { Metrics } from '../../core/metrics.js';
import { mintToken } from '../../core/secrets.js';
import { Database } from '../../platform/database/database.js';
import { Outbound } from '../../platform/outbound/outbound.js';
import { Background } from '../../platform/process/background.js';
import { importedHashVerifier } from './imported-hashes.js';

/** Runs at most `slots` tasks in parallel and queues up to `queue` more. Further requests are shed. */
export class BoundedQueue {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly slots: number,
    private readonly queue: number,
    private readonly onShed: () => void,
  ) {}

  /** @throws ApiError SERVICE_UNAVAILABLE when the queue is full */
  assertCapacity(): void {
    if (this.running < this.slots || this.waiting.length < this.queue) return;
    this.onShed();
    throw unavailable(1).withCause('too many password hashes (ARGON2_QUEUE)');
  }

  /** @throws ApiError SERVICE_UNAVAILABLE when the queue is full */
  async run<T>(task: () => Promise<T>): Promise<T> {
    this.assertCapacity();
    if (this.running >= this.slots) {
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    } else this.running++;
    try {
      return await task();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }
}

const BREACH_TIMEOUT_MS = 5_000;

/**
 * Hashes and verifies passwords with argon2id. The queue is bounded, so that a login flood cannot exhaust CPU and
 * memory.
 */
@Injectable()
export class Passwords {
  private readonly queue: BoundedQueue;
  private readonly options: { algorithm: Algorithm; memoryCost: number; timeCost: number; parallelism: number };
  private readonly dummy: Promise<string>;

  constructor(
    private readonly database: Database,
    private readonly outbound: Outbound,
    private readonly background: Background,
    private readonly log: Log,
    private readonly config: Config,
    metrics: Metrics,
  ) {
    const { concurrency, queue, memoryKib, passes } = config.argon2;
    metrics.startAtZero('gatehouse_shed_total', { queue: ['password_hashes'] });
    this.queue = new BoundedQueue(concurrency, queue, () =>
      metrics.add('gatehouse_shed_total', { queue: 'password_hashes' }),
    );
    this.options = { algorithm: Algorithm.Argon2id, memoryCost: memoryKib, timeCost: passes, parallelism: 1 };
    this.dummy = hash(mintToken(), this.options);
  }

  /**
   * Call this before an operation that will hash, first of all checks. A request that is shed here costs no rate limit
   * and no query.
   * @throws ApiError SERVICE_UNAVAILABLE
   */
  assertCapacity(): void {
    this.queue.assertCapacity();
  }

  /** Normalizes to NFKC, so that different keyboards produce the same password. */
  hash(password: string): Promise<string> {
    return this.queue.run(() => hash(password.normalize('NFKC'), this.options));
  }

  /**
   * Hashes a new password and rejects one that is known from a breach. If the breach service fails or needs more than 5
   * seconds, the password is accepted, so that users can still secure their accounts.
   * @throws ApiError FV(PASSWORD_IS_TOO_COMMON@member)
   */
  async hashNew(password: string, member = 'password'): Promise<string> {
    if (await this.isBreached(password.normalize('NFKC'))) throw validationError(member, 'PASSWORD_IS_TOO_COMMON');
    return this.hash(password);
  }

  /** Sends only the first five digits of the SHA-1 digest, which thousands of passwords share. */
  private async isBreached(password: string): Promise<boolean> {
    const { passwordBreachUrl: url } = this.config;
    if (!url) return false;
    const sha1 = digestOf('sha1', password, 'hex').toUpperCase();
    try {
      const { status, body } = await this.outbound.request({
        url: `${url}/${sha1.slice(0, 5)}`,
        headers: { 'add-padding': 'true' },
        timeoutMs: BREACH_TIMEOUT_MS,
      });
      if (status !== 200) throw new Error(`status ${status}`);
      // Padding lines have the count 0.
      return body
        .toString('latin1')
        .toUpperCase()
        .split('\n')
        .some((line) => {
          const [suffix, count] = line.trim().split(':');
          return suffix === sha1.slice(5) && Number(count) > 0;
        });
    } catch {
      this.log.warn('the breached-password API does not respond: the password was accepted without the check');
      return false;
    }
  }

  /** Replaces an imported or weaker hash after a successful login, in the background. */
  rehashIfWeak(accountId: string, stored: string, password: string): void {
    if (!this.isWeak(stored)) return;
    this.background.run('strengthening a password hash', async () => {
      const passwordHash = await this.hash(password);
      await this.database.manager.update(Account, { id: accountId, passwordHash: stored }, { passwordHash });
    });
  }

  /**
   * Verifies a password. Without a stored hash, the result is always false. To take the same time, it verifies `decoy`
   * or a native dummy hash.
   */
  verify(stored: string | null, password: string, decoy: string | null = null): Promise<boolean> {
    return this.queue.run(async () => {
      const examined = stored ?? decoy ?? (await this.dummy);
      const foreign = importedHashVerifier(examined);
      const matches = foreign ? await foreign(password) : await verify(examined, password.normalize('NFKC'));
      return stored !== null && matches;
    });
  }

  async isPasswordOf(accountId: string, password: string): Promise<boolean> {
    this.assertCapacity();
    const row = await this.database.manager.findOne(Account, {
      where: { id: accountId },
      select: { id: true, passwordHash: true },
    });
    return this.verify(row?.passwordHash ?? null, password);
  }

  /** Whether a hash is imported or has weaker parameters than the current ones. */
  private isWeak(stored: string): boolean {
    const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$/.exec(stored);
    return !match || Number(match[1]) < this.options.memoryCost || Number(match[2]) < this.options.timeCost;
  }
}
