/** Three replicas of the built service, with servers of their own. */
import { chmodSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { start, stop } from '../lib.mjs';
import { Pair } from './postgres.mjs';
import { Disk, Mailbox, Redis, Way } from './servers.mjs';

export const REPLICAS = 3;
export const DISK_MIB = 64;
const STARTS = 20;
const root = join(import.meta.dirname, '..', '..');

/** Rate limits that the load would exceed. All others keep their defaults. */
const OFTEN = [
  ...['auth:login', 'auth:logout', 'auth:register', 'auth:verify', 'user:settings:get', 'user:update'],
  ...['oauth:authorize', 'oauth:token', 'oauth:introspect', 'media:relay', 'media:upload', 'media:read'],
  ...['webhook:create', 'webhook:execute'],
];
const NUMBERS = {
  sockets_per_address: 1e6,
  payloads_per_address: 1e6,
  attempts_per_address: 1e6,
  sessions_per_user: 1000,
};

export class Stage {
  replicas = [];
  pair;
  redis = new Redis();
  mailbox = new Mailbox();
  way;
  disk;
  #directory = mkdtempSync(join(tmpdir(), 'gatehouse-chaos-'));

  async open() {
    // PostgreSQL runs as another user.
    chmodSync(this.#directory, 0o755);
    this.disk = new Disk(join(this.#directory, 'media'), DISK_MIB);
    this.pair = new Pair(this.#directory);
    await Promise.all([this.pair.open(), this.redis.open(), this.mailbox.open()]);
    this.way = new Way(this.pair.primary.port);
    const env = this.#env(await this.way.open());
    // The first replica migrates the database before the others start.
    this.replicas.push(await this.#replica(0, env));
    const others = Array.from({ length: REPLICAS - 1 }, (_, n) => this.#replica(n + 1, env));
    this.replicas.push(...(await Promise.all(others)));
  }

  #env(databasePort) {
    return {
      // Development mode runs background jobs, as in production, and allows changing limits.
      NODE_ENV: 'development',
      LOG_LEVEL: 'warn',
      LOG_FORMAT: 'json',
      WORKERS: '',
      // Turns load shedding off, because other load on the machine could trigger it.
      MAX_LOOP_DELAY_MS: '0',
      DATABASE_URL: `postgres://gatehouse@127.0.0.1:${databasePort}/postgres`,
      REDIS_URL: `redis://127.0.0.1:${this.redis.port}/0`,
      MAIL_TRANSPORT: 'smtp',
      MAIL_FROM: 'us@example.com',
      SMTP_URL: `smtp://127.0.0.1:${this.mailbox.port}`,
      MEDIA_LOCAL_ROOT: this.disk.path,
      TRUSTED_PROXIES: '127.0.0.1',
      LOGIN_ALLOWANCES: 'off',
      REGISTRATION_ALLOWANCES: 'off',
      IP_AUTHORIZATION: 'off',
      ABUSE_BANS: 'off',
      RATE_LIMIT_OVERRIDES: JSON.stringify(Object.fromEntries(OFTEN.map((bucket) => [bucket, '1000/1']))),
      GATEWAY_NUMBERS: JSON.stringify(NUMBERS),
      GATEHOUSE_SECRET: Buffer.alloc(32, 7).toString('base64'),
    };
  }

  /** Retries like a supervisor, because a process that gets no connection in time exits. */
  async #replica(n, env) {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#process(n, env);
      } catch (error) {
        if (tries === STARTS) throw error;
      }
    }
  }

  #process(n, env) {
    const log = process.env.CHAOS_LOG ? `${process.env.CHAOS_LOG}-${n}.log` : '/dev/null';
    return start(
      join(import.meta.dirname, 'replica.mjs'),
      { ...env, DATA_DIR: join(this.#directory, `replica-${n}`) },
      {
        pinned: false,
        args: ['-r', join(root, 'dist/src/core/thread-pool.cjs'), '--expose-gc'],
        serialization: 'advanced',
        stdout: openSync(log, 'a'),
      },
    );
  }

  async close() {
    await Promise.all(this.replicas.map(stop));
    this.way?.close();
    await this.pair?.close();
    await this.redis.kill();
    await this.mailbox.die();
    this.disk?.close();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
