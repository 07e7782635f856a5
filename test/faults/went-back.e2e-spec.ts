import { execFileSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { emptyDatabase, query } from '../machine/databases.js';
import { describeOnPostgres } from '../machine/postgres.js';
import { describeUnless, programPath } from '../machine/programs.js';
import { until } from '../machine/service-process.js';
import { GatewayClient } from '../support/gateway-client.js';
import {
  copyTemplate,
  expectApiError,
  type Gatehouse,
  gatehouse,
  type Persona,
  person,
  signIn,
} from '../support/index.js';

const pgDump = programPath('pg_dump') ?? '';
const psql = programPath('psql') ?? '';
const noClient = pgDump && psql ? undefined : 'no pg_dump and psql on this machine (package postgresql-client)';
const describeWithClient = noClient ? describeUnless(noClient) : describeOnPostgres;

const dump = (url: string, ...more: string[]): Buffer =>
  execFileSync(pgDump, [...more, url], { maxBuffer: 64 * 1024 * 1024 });
const restore = (url: string, input: Buffer): Buffer =>
  execFileSync(psql, ['-q', '-1', '-v', 'ON_ERROR_STOP=1', url], { input, stdio: ['pipe', 'ignore', 'pipe'] });

/** Other replicas have written to the restored database before this process reads it. */
const OTHERS_WRITE = `INSERT INTO public.journal (topic, data, origin) SELECT 'other', '{}', 'other' FROM generate_series(1, 50)`;

describeWithClient('conventions 12: a database that goes back in time', () => {
  let service: Gatehouse;
  let url: string;
  let alice: Persona;
  let token: string;

  beforeEach(async () => {
    url = (await copyTemplate()) ?? '';
    service = await gatehouse({ env: { DATABASE_URL: url, DATABASE_PATIENCE: '1' } });
    alice = await person(service, 'alice');
    token = alice.authorization;
  });
  afterEach(() => service.close());

  const isReady = async () => (await service.anonymous.get('/health/ready')).status === 200;
  const rename = (name: string) => service.as(alice).patch('/v1/users/@me', { global_name: name });

  /** The state before: a session of the backup, and one that only the lost part has. Both have a socket. */
  async function openSockets() {
    const lost = await signIn(service, alice);
    const kept = await GatewayClient.identify(service, token);
    const ended = await GatewayClient.identify(service, lost);
    expect((await rename('Before')).status).toBe(200);
    await kept.client.event('USER_UPDATE');
    const { s: seq = 0 } = await ended.client.event('USER_UPDATE');
    return { lost, kept, ended, seq };
  }

  /** Expects that no socket continues, that no session resumes, and that a new session receives events. */
  async function expectFreshStart({ lost, kept, ended, seq }: Awaited<ReturnType<typeof openSockets>>) {
    const [code] = await ended.client.closed();
    expect([4000, 4004]).toContain(code);
    expect(await kept.client.closed()).toEqual([4000, 'Session drain requested; reconnect to continue']);
    await until(isReady);
    expectApiError(await service.as(lost).get('/v1/users/@me'), 'UNAUTHORIZED');

    const again = await GatewayClient.connect(service);
    again.resume(lost, ended.ready.session_id, seq);
    expect(await again.closed()).toEqual([4004, 'Invalid token']);
    const next = await GatewayClient.connect(service);
    next.resume(token, kept.ready.session_id, seq);
    expect(await next.next()).toMatchObject({ op: 9, d: false });
    next.send({ op: 2, d: { token } });
    expect((await next.event('READY')).d.user.global_name).not.toBe('Before');
    expect((await rename('After')).status).toBe(200);
    expect((await next.event('USER_UPDATE')).d.global_name).toBe('After');
    next.socket.close();
  }

  test('restored as another database within a second: ended sessions lose their sockets, and all others start again', async () => {
    const copy = await emptyDatabase();
    restore(copy, dump(url));
    await query(copy, OTHERS_WRITE);
    const before = await openSockets();
    const admin = process.env.TEST_DATABASE_URL ?? '';
    const [name, spare] = [url, copy].map((each) => new URL(each).pathname.slice(1));
    await query(admin, `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    await query(admin, `SELECT pg_terminate_backend(pid, 1000) FROM pg_stat_activity WHERE datname = '${name}'`);
    await query(admin, `ALTER DATABASE ${name} RENAME TO ${name}_before`);
    await query(admin, `ALTER DATABASE ${spare} RENAME TO ${name}`);
    await expectFreshStart(before);
    await query(admin, `DROP DATABASE ${name}_before WITH (FORCE)`);
  });

  test('restored in place, without closing a connection: the same', async () => {
    const backup = dump(url, '--clean', '--if-exists');
    const before = await openSockets();
    restore(url, Buffer.concat([backup, Buffer.from(`;\n${OTHERS_WRITE};\n`)]));
    await expectFreshStart(before);
  });

  test('entries of the journal that were read are replaced in a snapshot of the disk: the same', async () => {
    const before = await openSockets();
    // Server, database and files keep their identity. Only the contents are older.
    await query(url, 'DELETE FROM session WHERE id = (SELECT max(id) FROM session)');
    await query(url, `UPDATE account SET global_name = 'Older' WHERE id = ${alice.id}`);
    // The last of them may not have been read yet.
    await query(url, "UPDATE journal SET origin = 'other'");
    await expectFreshStart(before);
  });

  test('replaced without a loss: credentials are checked again, and gateway sessions continue', async () => {
    const { kept, ended } = await openSockets();
    await query(url, 'DELETE FROM session WHERE id = (SELECT max(id) FROM session)');
    await query(url, 'VACUUM FULL journal');
    expect(await ended.client.closed()).toEqual([4004, 'Invalid token']);
    expect((await rename('After')).status).toBe(200);
    expect((await kept.client.event('USER_UPDATE')).d.global_name).toBe('After');
    kept.client.socket.close();
  });

  test('a journal without entries gets one that a restored database lacks', async () => {
    await query(url, 'DELETE FROM journal');
    await query(url, 'VACUUM FULL journal');
    await until(async () => (await query(url, "SELECT FROM journal WHERE topic = 'marker'")).length === 1);
    const { client } = await GatewayClient.identify(service, token);
    await delay(1500);
    await query(url, "UPDATE journal SET origin = 'other'");
    expect(await client.closed()).toEqual([4000, 'Session drain requested; reconnect to continue']);
  });
});

describeOnPostgres('gateway 9: checks without a doubt', () => {
  test('all live credentials are checked again every few minutes', async () => {
    const url = (await copyTemplate()) ?? '';
    const env = { DATABASE_URL: url, GATEWAY_NUMBERS: JSON.stringify({ routine_recheck_ms: 300 }) };
    const service = await gatehouse({ env });
    const alice = await person(service, 'alice');
    const other = await GatewayClient.identify(service, await signIn(service, alice));
    const { client } = await GatewayClient.identify(service, alice.authorization);
    await query(url, 'DELETE FROM session WHERE id = (SELECT min(id) FROM session)');
    expect(await client.closed()).toEqual([4004, 'Invalid token']);
    await other.client.sendHeartbeat();
    other.client.socket.close();
    await service.close();
  });
});
