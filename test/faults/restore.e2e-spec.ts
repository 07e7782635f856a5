import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { objectName } from '../../src/platform/storage/storage.js';
import { query } from '../machine/databases.js';
import { describeOnPostgres } from '../machine/postgres.js';
import { describeUnless, missing, programPath } from '../machine/programs.js';
import { s3Server } from '../machine/s3.js';
import { endProcesses, identify, ServiceProcess, until } from '../machine/service-process.js';
import { copyTemplate, expectApiError, type Persona, person, signIn } from '../support/index.js';
import { picture } from '../support/pictures.js';

const root = join(import.meta.dirname, '../..');
const CLI = join(root, 'dist/src/cli.js');
const absent = missing('pg_dump', 'pg_restore');
const describeWithClient = absent ? describeUnless(absent) : describeOnPostgres;

const directory = mkdtempSync(join(tmpdir(), 'gatehouse-restore-'));
let env: Record<string, string>;

beforeEach(async () => {
  const folder = mkdtempSync(join(directory, 'instance-'));
  env = {
    DATABASE_URL: (await copyTemplate()) ?? '',
    GATEHOUSE_SECRET: randomBytes(32).toString('base64'),
    ERASURE_LEDGER_DIR: join(folder, 'ledger'),
    MEDIA_LOCAL_ROOT: join(folder, 'media'),
    DATA_DIR: folder,
  };
});
afterAll(async () => {
  await endProcesses();
  rmSync(directory, { recursive: true, force: true });
});

/** Runs a program with the settings of the instance. */
function run(file: string, ...args: string[]): Promise<{ code: number; out: string }> {
  const GATEHOUSE = `${process.execPath} ${CLI}`;
  const options = { cwd: directory, env: { PATH: process.env.PATH, ...env, GATEHOUSE, LOG_LEVEL: 'error' } };
  return new Promise((resolve) => {
    execFile(file, args, options, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, out: stdout + stderr });
    });
  });
}

const cli = (...args: string[]) => run(process.execPath, CLI, ...args);

function dump(): string {
  const file = join(directory, `${randomBytes(4).toString('hex')}.dump`);
  execFileSync(programPath('pg_dump') ?? '', ['--format=custom', `--file=${file}`, env.DATABASE_URL ?? '']);
  return file;
}

const sql = (text: string, values: unknown[] = []) => query(env.DATABASE_URL ?? '', text, values);

/** Waits until the ledger has all events. */
const written = () => until(async () => (await sql('SELECT 1 FROM erasure_ledger WHERE NOT is_written')).length === 0);

const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);

/** A start that must fail. Returns its error. */
async function failedStart(): Promise<string> {
  const service = ServiceProcess.start(env);
  expect(await service.exited).toBe(1);
  expect(service.out).not.toContain('Listening');
  return service.err;
}

/** Replaces the database by the dump, as an operator does who does not know of the ledger. */
const restoreOnly = (file: string) =>
  run(
    'pg_restore',
    '--clean',
    '--if-exists',
    '--no-owner',
    '--single-transaction',
    `--dbname=${env.DATABASE_URL}`,
    file,
  );

describeWithClient('docs/guides/operators/backup.md: a restore', () => {
  test('under live load: no old credential works, erasures and bans hold, and lost media is deleted', async () => {
    const replicas = [await ServiceProcess.ready(env), await ServiceProcess.ready(env)] as const;
    const [one, other] = replicas;
    const [admin, erased, banned, free, late] = (await Promise.all(
      ['admin', 'erased', 'banned', 'free', 'late'].map((name) => person(one, name)),
    )) as [Persona, Persona, Persona, Persona, Persona];
    await sql(`UPDATE account SET acls = '{*}' WHERE id = $1`, [admin.id]);
    const ban = (id: string, hours = 0) => other.as(admin).put(`/v1/admin/users/${id}/ban`, { duration_hours: hours });
    expect((await ban(free.id)).status).toBe(200);
    const { body: key } = await one.as(admin).post('/v1/admin/api-keys', { name: 'key', acls: ['admin:authenticate'] });
    const { body: app } = await one
      .as(admin)
      .post('/v1/oauth2/applications', { name: 'Client', redirect_uris: ['https://client.example/callback'] });
    await written();
    const file = dump();

    // What the clients saw, by phase.
    let phase = 'before';
    const seen: Record<string, Record<string, number>> = {};
    const note = (what: string) => {
      const counts = seen[phase] ?? {};
      seen[phase] = { ...counts, [what]: (counts[what] ?? 0) + 1 };
    };
    let isOver = false;
    let urls: readonly string[] = replicas.map(({ url }) => url);
    const clients = [admin, late]
      .flatMap((user) => [user, user])
      .map(async ({ authorization }, index) => {
        while (!isOver) {
          const url = urls[index % 2] ?? '';
          const response = await fetch(`${url}/v1/users/@me`, { headers: { authorization } }).catch(() => undefined);
          note(response ? String(response.status) : 'no connection');
          await response?.arrayBuffer();
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      });
    const sockets = [await identify(one, admin.authorization), await identify(other, late.authorization)];

    const avatar = `data:image/png;base64,${(await picture('png')).toString('base64')}`;
    expect((await one.as(late).patch('/v1/users/@me', { avatar })).status).toBe(200);
    expect(filesOf(join(env.MEDIA_LOCAL_ROOT ?? '', 'media'))).toHaveLength(1);
    expect(await cli('user', 'delete', erased.id, '--yes')).toMatchObject({ code: 0 });
    expect((await ban(banned.id)).status).toBe(200);
    expect((await other.as(admin).delete(`/v1/admin/users/${free.id}/ban`)).status).toBe(200);
    const loggedOut = await signIn(one, late);
    expect((await one.as(loggedOut).post('/v1/auth/logout', {})).status).toBe(204);

    const refused = await cli('restore', 'begin');
    expect(refused).toEqual({ code: 1, out: 'Stop all replicas and commands first: 2 still use the database.\n' });
    expect((await one.as(late).get('/v1/users/@me')).status).toBe(200);

    phase = 'restore';
    await Promise.all(replicas.map((replica) => replica.stop()));
    for (const { closed } of sockets) expect((await closed)[0]).toBe(4000);
    expect(await cli('restore', 'begin')).toMatchObject({ code: 0 });
    expect(await failedStart()).toContain('A restore is in progress');
    expect(await restoreOnly(file)).toMatchObject({ code: 0 });
    expect(await failedStart()).toContain('A restore is in progress');
    const finished = await run(join(root, 'deploy/restore/restore.sh'), file);
    expect(finished).toMatchObject({ code: 0 });
    expect(finished.out).toContain('Repeated 1 erasure and 1 ban, and removed 1 ban.');
    expect(finished.out).toContain('Removed 1 file without a row.');

    phase = 'after';
    const next = await ServiceProcess.ready(env);
    urls = [next.url, next.url];
    await until(() => (seen.after?.['401'] ?? 0) > 20);
    isOver = true;
    await Promise.all(clients);
    process.stdout.write(`clients of the restore saw ${JSON.stringify(seen)}\n`);
    expect(Object.keys(seen.before ?? {})).toEqual(['200']);
    expect(seen.after).not.toHaveProperty('200');

    for (const { authorization } of [admin, erased, banned, free, late])
      expectApiError(await next.as(authorization).get('/v1/users/@me'), 'UNAUTHORIZED');
    expectApiError(await next.as(loggedOut).get('/v1/users/@me'), 'UNAUTHORIZED');
    expectApiError(await next.as(`Admin ${key.key}`).get('/v1/admin/users/@me'), 'UNAUTHORIZED');
    expectApiError(await next.as(`Bot ${app.bot.token}`).get('/v1/users/@me'), 'UNAUTHORIZED');
    const logIn = ({ email, password }: Persona) => next.anonymous.post('/v1/auth/login', { email, password });
    expectApiError(await logIn(banned), 'ACCOUNT_SUSPENDED_PERMANENTLY', { banned_until: null, reason: null });
    expect((await logIn(erased)).status).toBe(400);
    expect((await logIn(free)).status).toBe(200);
    const again = next.as(await signIn(next, late));
    expect((await again.get('/v1/users/@me')).body.avatar).toBeNull();
    expect(filesOf(join(env.MEDIA_LOCAL_ROOT ?? '', 'media'))).toEqual([]);
    const [entry] = await sql(`SELECT action, metadata FROM audit_log ORDER BY sequence DESC LIMIT 1`);
    expect(entry).toMatchObject({ action: 'finish_restore', metadata: { erased: '1', banned: '1', unbanned: '1' } });
    expect(await next.stop()).toBe(0);
  });

  test('without `restore begin`: a replica does not start, because the ledger has newer lines', async () => {
    const service = await ServiceProcess.ready(env);
    const user = await person(service);
    const file = dump();
    expect(await cli('user', 'delete', user.id, '--yes')).toMatchObject({ code: 0 });
    await written();
    // A running replica stops to receive requests.
    expect(await restoreOnly(file)).toMatchObject({ code: 0 });
    await until(async () => (await service.anonymous.get('/health/ready')).status === 503);
    await service.stop();
    expect(await failedStart()).toContain('The database was restored from a backup');

    // Lines of the ledger are checked before anything changes.
    const [line = ''] = readdirSync(join(env.ERASURE_LEDGER_DIR ?? '', 'media'), { recursive: true, encoding: 'utf8' })
      .map((name) => join(env.ERASURE_LEDGER_DIR ?? '', 'media', name))
      .filter((name) => /[\da-f]{64}$/.test(name));
    writeFileSync(line, '{"number":1');
    const damaged = await cli('restore', 'finish');
    expect(damaged).toEqual({ code: 1, out: expect.stringContaining('Line 1 of the ledger is truncated or damaged') });
    expect(await sql('SELECT 1 FROM session WHERE revoked_at IS NULL')).toHaveLength(1);
    expect(await failedStart()).toContain('A restore is in progress');
  });

  test('with the ledger in S3: damaged and lost lines are reported, bans of IP addresses hold, and all lines stay', async () => {
    const store = await s3Server();
    const { ERASURE_LEDGER_DIR: _, ...others } = env;
    env = { ...others, ...store.env, ERASURE_LEDGER_BUCKET: 'test-ledger' };
    const lineNames = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((number) => objectName(`line ${number}`));
    const nameOf = (number: number) => lineNames[number - 1] ?? '';
    const service = await ServiceProcess.ready(env);
    const [admin, banned] = [await person(service, 'admin'), await person(service, 'banned')];
    await sql(`UPDATE account SET acls = '{*}' WHERE id = $1`, [admin.id]);
    const api = service.as(admin);
    const entries = '/v1/admin/blocklists/ip/entries';
    const banIp = async (ip: string, hours?: number) =>
      expect((await api.post(entries, { ip, duration_hours: hours })).status).toBe(204);
    const avatar = `data:image/png;base64,${(await picture('png')).toString('base64')}`;
    expect((await api.patch('/v1/users/@me', { avatar })).status).toBe(200);
    const [kept = ''] = store.objects('media');
    await banIp('203.0.113.1');
    await banIp('203.0.113.2');
    await written();
    const file = dump();

    expect((await api.put(`/v1/admin/users/${banned.id}/ban`, { duration_hours: 0 })).status).toBe(200);
    await banIp('198.51.100.0/24');
    expect((await api.delete(`${entries}/203.0.113.1`)).status).toBe(204);
    // A temporary ban replaces the permanent one of the backup.
    await banIp('203.0.113.2', 24);
    await banIp('203.0.113.3', 1);
    // A replica behind a proxy bans this address itself.
    const abuse = { TRUSTED_PROXIES: '127.0.0.1', IP_BAN_SCORE: '5', IP_BAN_STRIKES: '1', ABUSE_BANS: 'on' };
    const proxied = await ServiceProcess.ready({ ...env, ...abuse });
    const scanner = proxied.anonymous.with({ 'x-forwarded-for': '8.8.4.4' });
    await until(async () => (await scanner.get('/v1/nothing')).body.code === 'GLOBAL_IP_TEMPORARILY_BANNED');
    await proxied.stop();
    await written();
    expect(store.objects('ledger')).toEqual(lineNames.slice(0, 9).sort());
    await service.stop();
    // The last ban expires before the end of the restore.
    await sql(`INSERT INTO erasure_ledger (kind, network, until)
      SELECT kind, network, now() FROM erasure_ledger WHERE number = 8`);

    expect(await cli('restore', 'begin')).toMatchObject({ code: 0 });
    expect(store.objects('ledger')).toEqual([...lineNames, objectName('lock')].sort());
    const texts = lineNames.map((name) => store.read('ledger', name));
    expect(texts.join('')).not.toMatch(/203\.0|198\.51/);
    expect(await restoreOnly(file)).toMatchObject({ code: 0 });
    expect(await failedStart()).toContain('A restore is in progress');

    const failures = async (message: string) => {
      expect(await cli('restore', 'finish')).toEqual({ code: 1, out: expect.stringContaining(message) });
      expect(await sql('SELECT 1 FROM session WHERE revoked_at IS NULL')).toHaveLength(2);
      expect(store.objects('media')).toEqual([kept]);
    };
    const third = store.read('ledger', nameOf(3));
    store.put('ledger', nameOf(3), third.replace(banned.id, admin.id));
    await failures('Line 3 of the ledger has an invalid signature');
    store.put('ledger', nameOf(3), third);
    const second = store.read('ledger', nameOf(2));
    store.remove('ledger', nameOf(2));
    await failures('Line 2 of the ledger is missing');
    store.put('ledger', nameOf(2), second);

    // A listing of S3 has at most 1,000 names.
    const many = Array.from({ length: 1000 }, (_, number) => `kept ${number}`);
    await sql(
      `INSERT INTO media_object (key, owner_id, account_id, filename, size, sha256, content_type)
       SELECT key, $2, $2, 'kept', 1, sha256('-'), 'text/plain' FROM unnest($1::text[]) AS key`,
      [many, admin.id],
    );
    for (const key of many) store.put('media', objectName(key), '-');
    for (let number = 0; number < 12; number++) store.put('media', objectName(`lost ${number}`), '-');
    const lines = [
      ...['Repeated 0 erasures and 1 ban, and removed 0 bans.', 'Repeated 3 bans of IP addresses, and removed 1 ban.'],
      ...['Removed 12 files without a row.', 'The restore is finished. You can start the replicas.'],
    ];
    expect(await cli('restore', 'finish')).toEqual({ code: 0, out: expect.stringContaining(lines.join('\n')) });
    expect(store.objects('media')).toEqual([kept, ...many.map((key) => objectName(key))].sort());
    expect(store.objects('ledger')).toEqual([...lineNames].sort());
    expect(lineNames.map((name) => store.read('ledger', name))).toEqual(texts);

    const next = await ServiceProcess.ready(env);
    const { email, password } = banned;
    const refused = await next.anonymous.post('/v1/auth/login', { email, password });
    expectApiError(refused, 'ACCOUNT_SUSPENDED_PERMANENTLY', { banned_until: null, reason: null });
    const bans = await sql('SELECT value, kind, reason, expires_at > now() AS runs FROM ip_ban ORDER BY value');
    const [reason, kind] = ['platform_admin_enforcement', 'temporary_24h'];
    expect(bans).toEqual([
      { value: '198.51.100.0/24', kind: 'permanent', reason, runs: null },
      { value: '203.0.113.2', kind, reason, runs: true },
      { value: '8.8.4.4', kind, reason: 'automatic', runs: true },
    ]);
    const again = next.as(await signIn(next, admin));
    for (const [ip, isBanned] of [
      ['198.51.100.7', true],
      ['8.8.4.4', true],
      ['203.0.113.1', false],
    ])
      expect((await again.get(`${entries}/${ip}`)).body.banned).toBe(isBanned);
    await next.stop();
    await store.close();
  });

  test('an acknowledged ban is in the ledger, although its process was killed immediately', async () => {
    let service = await ServiceProcess.ready(env);
    const admin = await person(service, 'admin');
    await sql(`UPDATE account SET acls = '{*}' WHERE id = $1`, [admin.id]);
    const users = [await person(service), await person(service), await person(service)];
    for (const user of users) {
      const banned = await service.as(admin).put(`/v1/admin/users/${user.id}/ban`, { duration_hours: 0 });
      await service.stop('SIGKILL');
      expect(banned.status).toBe(200);
      service = await ServiceProcess.ready(env);
    }
    await written();
    expect(filesOf(env.ERASURE_LEDGER_DIR ?? '')).toHaveLength(3);
    const lines = await sql('SELECT account_id, number::int FROM erasure_ledger ORDER BY number');
    expect(lines).toEqual(users.map(({ id }, index) => ({ account_id: id, number: index + 1 })));
    await service.stop();
  });
});
