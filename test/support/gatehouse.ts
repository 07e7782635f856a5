import { randomBytes } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import pg from 'pg';
import { createApp } from '../../src/app.js';
import { Clock } from '../../src/core/clock.js';
import { loadConfig } from '../../src/features.js';
import { UNAUDITED_MESSAGE } from '../../src/http/recorder.js';
import type { Override } from '../../src/pipeline/nest-internals.js';
import { Database } from '../../src/platform/database/database.js';
import type { EmbeddedEngine } from '../../src/platform/database/engine.js';
import type { Network } from '../../src/platform/outbound/network.js';
import { Background } from '../../src/platform/process/background.js';
import { type Extension, settingsOf } from '../../src/policy/extension.js';
import { FeatureRegistry } from '../../src/policy/feature-registry.js';
import { Client } from './client.js';
import { stopValidatingResponses, validateResponses } from './described.js';
import { borrowDatabase, emptyDatabase } from './embedded.js';
import { learnErrorCodes } from './expect-api-error.js';
import { forbidExternalCallsInTransactions } from './external-calls.js';
import { assertPagesExist, watchLinks } from './followed-links.js';
import { recordLog, stopRecordingLog } from './log-lines.js';
import { type EndOutage, OutageProxies } from './outages.js';
import { statementsForPooler, throughPooler } from './pooled.js';
import { SHIFT_SQL, shareClockOf, shareClockOfEngine } from './shared-clock.js';
import { GENEROUS_TIMEOUTS } from './timeouts.js';

/** A row that `service.sql` reads. */
// biome-ignore lint/suspicious/noExplicitAny: tests read rows of many shapes and assert each column
export type Row = Record<string, any>;

forbidExternalCallsInTransactions();

/** A clock that tests can move. It starts at the real time and continues from there. */
export class MovableClock extends Clock {
  private offset = 0;

  override now(): number {
    return Date.now() + this.offset;
  }

  override monotonic(): number {
    return performance.now() + this.offset;
  }

  advance(by: Duration): void {
    this.offset += inMilliseconds(by);
  }
}

/** A time by which tests move a clock. */
export interface Duration {
  readonly days?: number;
  readonly hours?: number;
  readonly minutes?: number;
  readonly seconds?: number;
}

const inMilliseconds = ({ days = 0, hours = 0, minutes = 0, seconds = 0 }: Duration): number =>
  (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000;

/** Options of `gatehouse`: the extension, settings, and replacements of external services. */
export interface GatehouseOptions extends Extension {
  /** Environment variables in addition to those of the test kit. Rate limits and allowances are off by default. */
  readonly env?: Record<string, string>;
  /** A simulated network for outbound requests, with its own name resolution and endpoints. */
  readonly network?: Network;
  /** Values in place of providers: `[[SearchClient, new FakeSearch()]]`. Each is the same for all modules. */
  readonly override?: readonly Override[];
  /** Required for `cutDatabase` and `cutRedis`. All connections to both backends then pass through a proxy. */
  readonly cuttable?: boolean;
  /**
   * Required for `advance`. `now()` and the other functions of time in SQL then follow the clock of the service, also
   * in column defaults. The keyword `CURRENT_TIMESTAMP` does not.
   */
  readonly sharedClock?: boolean;
}

/** The public interface of a service, in this process or in another. */
export interface ServiceEndpoint {
  readonly url: string;
  /** A client that sends no credential. */
  readonly anonymous: Client;
  /** A client that sends this `Authorization` value, or that of a persona. */
  as(credential: string | { authorization: string }): Client;
}

/** A running service of a test file. It is a real server with its own real, migrated database. */
export interface Gatehouse extends ServiceEndpoint {
  readonly app: INestApplication<Server>;
  readonly port: number;
  readonly clock: MovableClock;
  /** All lines that the service wrote to its log. */
  readonly log: string[];
  /** All frames that gateway clients received. */
  readonly frames: string[];
  /** Reads or prepares rows that no operation can access. */
  sql(text: string, values?: unknown[]): Promise<Row[]>;
  /** Moves the clocks of the service and of its database. The service must be started with `sharedClock: true`. */
  advance(by: Duration): Promise<void>;
  /** Waits for background work that responses do not wait for. */
  idle(): Promise<void>;
  /**
   * Cuts the database of a `cuttable` service: its connections end, and new ones fail. Resolves when the service has
   * detected the outage. Call the returned function to end the outage. It resolves when the service has detected the
   * end.
   */
  cutDatabase(): Promise<EndOutage>;
  /**
   * Cuts Redis in the same way. The returned function resolves when the service has as many connections to Redis as
   * before.
   */
  cutRedis(): Promise<EndOutage>;
  close(): Promise<void>;
}

/**
 * Creates a migrated database on a server and returns its URL. Returns undefined if the tests run on the embedded
 * database.
 */
export async function copyTemplate(): Promise<string | undefined> {
  const { GATEHOUSE_TEST_TEMPLATE: template, TEST_DATABASE_URL: server } = process.env;
  if (!template || !server) return undefined;
  const name = `${template}_${randomBytes(4).toString('hex')}`;
  const admin = new pg.Client({ connectionString: server });
  await admin.connect();
  try {
    await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
    // These tests do not depend on the speed of the disk. Tests of crashes have their own databases.
    await admin.query(`ALTER DATABASE ${name} SET synchronous_commit = off`);
    for (const statement of statementsForPooler(name)) await admin.query(statement);
  } finally {
    await admin.end();
  }
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

const bringsModules = ({ features = [], modules }: Extension): boolean =>
  modules !== undefined || features.some((feature) => feature.modules !== undefined);

/** A database for one service. */
export interface TestDatabase {
  /** The URL, if the database is on a server. */
  readonly databaseUrl?: string;
  /** The engine, if the database is embedded. */
  readonly embedded?: EmbeddedEngine;
  /** Call this when the database is no longer used. */
  release(): Promise<void>;
}

/** Creates a database on the server of `TEST_DATABASE_URL`. `release` deletes it. */
async function emptyDatabaseOn(server: string): Promise<TestDatabase> {
  const name = `gatehouse_test_${randomBytes(8).toString('hex')}`;
  const ask = async (text: string) => {
    const client = new pg.Client({ connectionString: server });
    await client.connect();
    await client.query(text).finally(() => client.end());
  };
  await ask(`CREATE DATABASE ${name}`);
  const databaseUrl = Object.assign(new URL(server), { pathname: `/${name}` }).href;
  return { databaseUrl, release: () => ask(`DROP DATABASE ${name} WITH (FORCE)`) };
}

/**
 * A copy of the database that the test run prepared. Without a prepared one, an empty database, which the service
 * migrates. With `sharedClock`, its functions of time follow the clock of the service.
 */
export async function openTestDatabase(sharedClock = false): Promise<TestDatabase> {
  const database = await unchangedTestDatabase();
  if (!sharedClock) return database;
  const { databaseUrl, embedded } = database;
  if (databaseUrl !== undefined) await shareClockOf(databaseUrl);
  return embedded ? { ...database, embedded: await shareClockOfEngine(embedded) } : database;
}

async function unchangedTestDatabase(): Promise<TestDatabase> {
  const databaseUrl = await copyTemplate();
  if (databaseUrl) return { databaseUrl, release: async () => {} };
  const { GATEHOUSE_TEST_EMBEDDED: folder, TEST_DATABASE_URL: server } = process.env;
  if (folder) {
    const { engine, release } = await borrowDatabase(join(folder, 'template.tar'));
    return { embedded: engine, release };
  }
  if (server) return emptyDatabaseOn(server);
  const engine = await emptyDatabase();
  return { embedded: engine, release: () => engine.close() };
}

const CHEAP_HASHES = { ARGON2_MEMORY_KIB: '64', ARGON2_PASSES: '1' };

/** Password hashing as in production, for tests that inspect a hash or depend on its duration. */
export const PRODUCTION_HASHES = { ARGON2_MEMORY_KIB: '19456', ARGON2_PASSES: '2' };

/**
 * Starts a service for a test file, optionally with an extension: `gatehouse({ ...extension })`. Close it in
 * `afterAll`.
 */
export async function gatehouse({
  env,
  network,
  cuttable,
  sharedClock,
  ...extension
}: GatehouseOptions = {}): Promise<Gatehouse> {
  const { databaseUrl, embedded, release } = await openTestDatabase(sharedClock);
  const settings: Record<string, string | undefined> = throughPooler({
    NODE_ENV: 'test',
    HOST: '127.0.0.1',
    PORT: '0',
    HTTP_PLATFORM: process.env.HTTP_PLATFORM,
    GATEHOUSE_SECRET: process.env.GATEHOUSE_TEST_SECRET ?? randomBytes(32).toString('base64'),
    DATA_DIR: join(process.env.GATEHOUSE_TEST_DIR ?? 'data/test', randomBytes(4).toString('hex')),
    DATABASE_URL: databaseUrl,
    DATABASE_POOL_SIZE: '10',
    ...GENEROUS_TIMEOUTS,
    // Uses the default timeouts, so that a service soon gives up on a database that is cut off.
    ...(cuttable ? { DATABASE_PATIENCE: '1' } : {}),
    RATE_LIMITS: 'off',
    LOGIN_ALLOWANCES: 'off',
    REGISTRATION_ALLOWANCES: 'off',
    ...CHEAP_HASHES,
    LOG_LEVEL: 'debug',
    ...env,
  });
  const backends = { databaseUrl: settings.DATABASE_URL, redisUrl: settings.REDIS_URL, embedded };
  const proxies = cuttable ? await OutageProxies.between(backends) : undefined;
  const on = proxies?.backends ?? backends;
  const config = loadConfig(
    { ...settings, DATABASE_URL: on.databaseUrl, REDIS_URL: on.redisUrl },
    settingsOf(extension),
  );
  const clock = new MovableClock();
  const log: string[] = [];
  recordLog(log);
  const frames: string[] = [];
  const app = await createApp(config, {
    clock,
    logDestination: { write: (line) => void log.push(line) },
    ...(on.embedded ? { embeddedDatabase: on.embedded } : {}),
    ...extension,
    ...(network ? { network } : {}),
  }).catch(async (error) => {
    stopRecordingLog(log);
    await release();
    throw error;
  });
  learnErrorCodes(app.get(FeatureRegistry));
  await app.listen(config.port, config.host);
  const front = await startFront({ ...settings, DATABASE_URL: on.databaseUrl }, (line) => log.push(line));
  const { port } = front ?? (app.getHttpServer().address() as AddressInfo);
  const url = `http://127.0.0.1:${port}`;
  validateResponses(url, app, {
    files: extension.descriptions ?? [],
    isWhole: !bringsModules(extension) || extension.descriptions !== undefined,
  });
  watchLinks(url, app);
  const canaries: string[] = [];
  const sql: Gatehouse['sql'] = (text, values = []) => app.get(Database).manager.query(text, values);
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
    sql,
    async advance(by) {
      if (!sharedClock)
        throw new Error('the database has its own clock: start the service by gatehouse({ sharedClock: true, ... })');
      clock.advance(by);
      await sql(SHIFT_SQL, [inMilliseconds(by)]);
    },
    idle: () => app.get(Background).idle(),
    cutDatabase: async () => requireProxies(proxies).database(app),
    cutRedis: async () => requireProxies(proxies).redis(),
    async close() {
      await front?.close();
      await app.close();
      stopValidatingResponses(url);
      stopRecordingLog(log);
      proxies?.close();
      await release();
      assertPagesExist(url, app);
      const unaudited = log.filter((line) => line.includes(UNAUDITED_MESSAGE));
      if (unaudited.length > 0) throw new Error(unaudited.join(''));
      const leaked = leaks(canaries, log);
      if (process.env.GATEHOUSE_TEST_DIR) {
        appendFileSync(join(process.env.GATEHOUSE_TEST_DIR, 'canaries.log'), `${canaries.length}\n`);
      }
      if (leaked.length > 0) throw new Error(`secrets were written to the log:\n${leaked.join('\n')}`);
      const reported = leaks(
        canaries.filter(({ length }) => length >= TOKEN_LENGTH),
        frames,
      );
      if (reported.length > 0) throw new Error(`secrets were sent to gateway clients:\n${reported.join('\n')}`);
    },
  };
}

type StartFront = (
  env: Readonly<Record<string, string | undefined>>,
  write: (line: string) => void,
) => Promise<{ readonly port: number; close(): Promise<void> }>;

/**
 * Starts the process that clients call instead of the application, if `GATEHOUSE_TEST_FRONT` names a file that starts
 * one.
 * @internal
 */
export async function startFront(env: Readonly<Record<string, string | undefined>>, write: (line: string) => void) {
  const { GATEHOUSE_TEST_FRONT: file } = process.env;
  if (file === undefined) return undefined;
  const { startFront } = (await import(file)) as { startFront: StartFront };
  return startFront(env, write);
}

/** Runs a part of a test with its own service. */
export async function withGatehouse(options: GatehouseOptions, work: (service: Gatehouse) => Promise<void>) {
  const service = await gatehouse(options);
  try {
    await work(service);
  } finally {
    await service.close();
  }
}

function requireProxies(proxies: OutageProxies | undefined): OutageProxies {
  if (!proxies) throw new Error('nothing can be cut: start the service by gatehouse({ cuttable: true, ... })');
  return proxies;
}

// Shorter values may be chosen by clients, and the gateway may send those back.
const TOKEN_LENGTH = 32;

/** The secrets that appear in the lines, as plain text, URL-encoded or in Base64. */
function leaks(canaries: readonly string[], lines: readonly string[]): string[] {
  const text = lines.join('');
  return [...new Set(canaries)].filter((secret) =>
    [...new Set([secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64').replace(/=+$/, '')])].some(
      (form) => text.includes(form),
    ),
  );
}
