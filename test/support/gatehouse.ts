import { randomBytes } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { PGlite } from '@electric-sql/pglite';
import type { DynamicModule, INestApplication, Type } from '@nestjs/common';
import pg from 'pg';
import { createApp } from '../../src/app.js';
import { Clock } from '../../src/core/clock.js';
import { loadConfig } from '../../src/core/config/config.js';
import { Database } from '../../src/platform/database/database.js';
import type { Network } from '../../src/platform/outbound/network.js';
import { Background } from '../../src/platform/process/background.js';
import { Client } from './client.js';
import { holdToDescription } from './described.js';
import { lentDatabase } from './embedded.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read rows of many shapes and assert their columns one by one
export type Row = Record<string, any>;

/** A clock that tests move. It starts at the real time and stands still only when it is told to. */
export class MovableClock extends Clock {
  private offset = 0;

  override now(): number {
    return Date.now() + this.offset;
  }

  override monotonic(): number {
    return performance.now() + this.offset;
  }

  advance({ days = 0, minutes = 0, seconds = 0 }: { days?: number; minutes?: number; seconds?: number }): void {
    this.offset += ((days * 24 * 60 + minutes) * 60 + seconds) * 1000;
  }
}

export interface GatehouseOptions {
  /** Environment on top of that of the kit: limits and allowances are off unless they are switched on here. */
  readonly env?: Record<string, string>;
  /** A team's own modules. */
  readonly modules?: readonly (Type | DynamicModule)[];
  /** What `gatehouse describe` wrote of those modules. */
  readonly descriptions?: readonly string[];
  /** Names and ways of a network of its own, for outbound requests. */
  readonly network?: Network;
}

/** What a service shows to the outside, wherever it runs. */
export interface Front {
  readonly url: string;
  /** A client that presents no credential. */
  readonly anonymous: Client;
  /** A client that presents this `Authorization` value, or that of a persona. */
  as(credential: string | { authorization: string }): Client;
}

/** A running service of a test file: a real server on a real, migrated database of its own. */
export interface Gatehouse extends Front {
  readonly app: INestApplication<Server>;
  readonly port: number;
  readonly clock: MovableClock;
  /** Everything that the service wrote to its log. */
  readonly log: string[];
  /** Everything that gateway clients were sent. */
  readonly frames: string[];
  /** Reads or prepares rows that no operation reaches. */
  sql(text: string, values?: unknown[]): Promise<Row[]>;
  /** Waits for work that answers do not wait for. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

/** The URL of a migrated database of one's own on a server; none where the suite runs on the embedded one. */
export async function copyOfTemplate(): Promise<string | undefined> {
  const { GATEHOUSE_TEST_TEMPLATE: template, TEST_DATABASE_URL: server } = process.env;
  if (!template || !server) return undefined;
  const name = `${template}_${randomBytes(4).toString('hex')}`;
  const admin = new pg.Client({ connectionString: server });
  await admin.connect();
  try {
    await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
    // How long a disk takes is not what these tests are about; those of crashes have databases of their own.
    await admin.query(`ALTER DATABASE ${name} SET synchronous_commit = off`);
  } finally {
    await admin.end();
  }
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** A migrated database of one's own. */
export interface OwnDatabase {
  /** Where it is, on a server. */
  readonly databaseUrl?: string;
  /** It, where it is embedded. */
  readonly embedded?: PGlite;
  /** To be called once nothing uses it any more. */
  giveBack(): Promise<void>;
}

export async function ownDatabase(): Promise<OwnDatabase> {
  const databaseUrl = await copyOfTemplate();
  const folder = process.env.GATEHOUSE_TEST_EMBEDDED;
  if (databaseUrl || !folder) return { ...(databaseUrl ? { databaseUrl } : {}), giveBack: async () => {} };
  const { engine: embedded, giveBack } = await lentDatabase(join(folder, 'template.tar'));
  return { embedded, giveBack };
}

const CHEAP_HASHES = { ARGON2_MEMORY_KIB: '64', ARGON2_PASSES: '1' };

/** Password hashes as an installation makes them, for tests that look at a hash or wait for one. */
export const PRODUCTION_HASHES = { ARGON2_MEMORY_KIB: '19456', ARGON2_PASSES: '2' };

/** Boots a service for a test file. Close it in `afterAll`. */
export async function gatehouse(options: GatehouseOptions = {}): Promise<Gatehouse> {
  const { databaseUrl, embedded, giveBack } = await ownDatabase();
  const config = loadConfig({
    NODE_ENV: 'test',
    HOST: '127.0.0.1',
    PORT: '0',
    HTTP_PLATFORM: process.env.HTTP_PLATFORM,
    GATEHOUSE_SECRET: process.env.GATEHOUSE_TEST_SECRET ?? randomBytes(32).toString('base64'),
    DATA_DIR: join(process.env.GATEHOUSE_TEST_DIR ?? 'data/test', randomBytes(4).toString('hex')),
    DATABASE_URL: databaseUrl,
    DATABASE_POOL_SIZE: '10',
    RATE_LIMITS: 'off',
    LOGIN_ALLOWANCES: 'off',
    REGISTRATION_ALLOWANCES: 'off',
    MAX_LOOP_DELAY_MS: '0',
    ...CHEAP_HASHES,
    LOG_LEVEL: 'debug',
    ...options.env,
  });
  // Where the sources run as they are; what was built of them knows its own.
  const { GATEHOUSE_TEST_DESCRIPTION: ofSources } = process.env;
  const descriptions = [...(ofSources === undefined ? [] : [ofSources]), ...(options.descriptions ?? [])];
  const clock = new MovableClock();
  const log: string[] = [];
  const frames: string[] = [];
  const app = await createApp(config, {
    clock,
    logDestination: { write: (line) => void log.push(line) },
    ...(embedded ? { embeddedDatabase: embedded } : {}),
    ...(options.modules ? { modules: options.modules } : {}),
    descriptions,
    ...(options.network ? { network: options.network } : {}),
  });
  await app.listen(config.port, config.host);
  const { port } = app.getHttpServer().address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  holdToDescription(url, app, {
    files: descriptions,
    isWhole: options.modules === undefined || options.descriptions !== undefined,
  });
  const canaries: string[] = [];
  const as = (credential: string | { authorization: string }) =>
    new Client(url, typeof credential === 'string' ? credential : credential.authorization, canaries);
  return {
    app,
    url,
    port,
    clock,
    log,
    frames,
    anonymous: new Client(url, undefined, canaries),
    as,
    sql: (text, values = []) => app.get(Database).manager.query(text, values),
    idle: () => app.get(Background).idle(),
    async close() {
      await app.close();
      await giveBack();
      const leaked = leaks(canaries, log);
      if (process.env.GATEHOUSE_TEST_DIR) {
        appendFileSync(join(process.env.GATEHOUSE_TEST_DIR, 'canaries.log'), `${canaries.length}\n`);
      }
      if (leaked.length > 0) throw new Error(`secrets were written to the log:\n${leaked.join('\n')}`);
      const told = leaks(
        canaries.filter(({ length }) => length >= TOKEN_LENGTH),
        frames,
      );
      if (told.length > 0) throw new Error(`secrets were sent to gateway clients:\n${told.join('\n')}`);
    },
  };
}

/** A service of its own for a part of a test. */
export async function withGatehouse(options: GatehouseOptions, work: (service: Gatehouse) => Promise<void>) {
  const service = await gatehouse(options);
  try {
    await work(service);
  } finally {
    await service.close();
  }
}

// What clients choose themselves and are shown again is shorter.
const TOKEN_LENGTH = 32;

/** Lines that hold a secret which the service issued or was sent, in any spelling they could give it. */
function leaks(canaries: readonly string[], lines: readonly string[]): string[] {
  const text = lines.join('');
  return [...new Set(canaries)].filter((secret) =>
    [...new Set([secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64').replace(/=+$/, '')])].some(
      (form) => text.includes(form),
    ),
  );
}
