import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Config } from '../../src/core/config/config.js';
import { emptyDatabase } from '../machine/databases.js';
import { describeOnPostgres } from '../machine/postgres.js';
import { describeUnless, missing, programPath } from '../machine/programs.js';
import { hasRedis, redisDatabase } from '../machine/redis.js';
import { GatewayClient } from '../support/gateway-client.js';
import {
  type Gatehouse,
  gatehouse,
  isTokenActive,
  newApp,
  newTokens,
  type Persona,
  person,
  withGatehouse,
} from '../support/index.js';

const run = async (name: string, ...args: string[]): Promise<string> =>
  (await promisify(execFile)(programPath(name) ?? name, args)).stdout.trim();

const programs = missing('psql', 'pg_dump', 'pg_restore');
const onPostgres = programs ? describeUnless(programs) : describeOnPostgres;

onPostgres('psql, pg_dump and pg_restore', () => {
  let service: Gatehouse;
  let alice: Persona;
  let url: string;
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-dump-'));
  const GATEHOUSE_SECRET = Buffer.alloc(32, 7).toString('base64');

  beforeAll(async () => {
    service = await gatehouse({ env: { GATEHOUSE_SECRET } });
    url = service.app.get(Config).databaseUrl ?? '';
    alice = await person(service, 'alice');
  });
  afterAll(async () => {
    await service?.close();
    rmSync(directory, { recursive: true, force: true });
  });

  test('psql accepts the DATABASE_URL of the service, and shows the names of the connections', async () => {
    const count =
      'SELECT count(*) > 0 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()';
    expect(await run('psql', url, '-At', '-c', count)).toBe('t');
    expect(await run('psql', url, '-At', '-c', `SELECT username FROM account WHERE id = ${alice.id}`)).toBe('alice');
  });

  test('a dump as in the guide contains no plain secret, and a restored service works', async () => {
    const app = await newApp(service, alice);
    const tokens = await newTokens(service, alice, app);
    const plain = join(directory, 'plain.sql');
    await run('pg_dump', `--file=${plain}`, url);
    const text = readFileSync(plain, 'utf8');
    expect(text).toContain(alice.email);
    const secrets = [alice.password, alice.authorization, app.secret ?? '', app.bot.split('.').at(-1) ?? ''];
    for (const secret of [...secrets, tokens.access_token, tokens.refresh_token]) expect(text).not.toContain(secret);
    const dump = join(directory, 'gatehouse.dump');
    await run('pg_dump', '--format=custom', `--file=${dump}`, url);
    const restored = await emptyDatabase();
    await run('pg_restore', '--clean', '--if-exists', '--no-owner', `--dbname=${restored}`, dump);
    await withGatehouse({ env: { GATEHOUSE_SECRET, DATABASE_URL: restored } }, async (second) => {
      expect((await second.as(alice).get('/v1/users/@me').expect(200)).body.id).toBe(alice.id);
      expect(await isTokenActive(second, tokens.access_token)).toBe(true);
    });
  });
});

const REDIS_URL = redisDatabase(5);
const redisReason = missing('redis-cli') ?? (hasRedis ? undefined : 'no Redis on this machine');

describeUnless(redisReason)('redis-cli', () => {
  let service: Gatehouse;
  let alice: Persona;
  const redis = (...args: string[]) => run('redis-cli', '-u', REDIS_URL, ...args);

  beforeAll(async () => {
    await redis('FLUSHDB');
    service = await gatehouse({ env: { REDIS_URL, RATE_LIMITS: 'on' } });
    alice = await person(service, 'alice');
  });
  afterAll(() => service?.close());

  test('it shows no credential, neither in names nor in values', async () => {
    const token = alice.authorization;
    const { client } = await GatewayClient.identify(service, token);
    await service.as(alice).get('/v1/users/@me').expect(200);
    const keys = (await redis('--scan')).split('\n').filter((key) => key !== '');
    expect(keys).not.toEqual([]);
    for (const key of keys) {
      const dumped = await redis('--no-auth-warning', 'DUMP', key);
      for (const secret of [token, token.slice('flx_'.length), alice.password]) {
        expect({ key, holds: key.includes(secret) || dumped.includes(secret) }).toEqual({ key, holds: false });
      }
    }
    await client.terminate();
  });

  test('FLUSHDB signs no user out: limits restart and new gateway sessions start', async () => {
    const left = async () =>
      Number((await service.as(alice).get('/v1/users/@me').expect(200)).headers.get('x-ratelimit-remaining'));
    const before = await left();
    for (let request = 0; request < 10; request++) await left();
    expect(await redis('FLUSHDB')).toBe('OK');
    expect(await left()).toBeGreaterThanOrEqual(before - 1);
    const { client, ready } = await GatewayClient.identify(service, alice.authorization);
    expect(ready.user.id).toBe(alice.id);
    await client.terminate();
  });
});
