import { createHash, pbkdf2, pbkdf2Sync, randomBytes, scryptSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { INestApplication } from '@nestjs/common';
import { Algorithm, hash as argon2, Version } from '@node-rs/argon2';
import { hash as bcrypt } from '@node-rs/bcrypt';
import { Secret, TOTP } from 'otpauth';
import { AccountService } from '../../src/accounts/account.service.js';
import { MEMBERS } from '../../src/admin/import/imported-user.js';
import { MAX_LINE_BYTES, readLines } from '../../src/admin/import/lines.js';
import { UserImport } from '../../src/admin/import/user-import.service.js';
import { createApp } from '../../src/app.js';
import { DecoyAccounts } from '../../src/auth/factors/decoy-accounts.service.js';
import { Passwords } from '../../src/auth/factors/passwords.service.js';
import { execute } from '../../src/cli/execute.js';
import { databaseSchema, loadConfig } from '../../src/features.js';
import { Database } from '../../src/platform/database/database.js';
import { Background } from '../../src/platform/process/background.js';
import { Routes } from '../../src/policy/routes.js';
import { type TestResponse } from '../support/exchange.js';
import { openTestDatabase, type TestDatabase } from '../support/gatehouse.js';
import { Client, expectInvalid, type Row } from '../support/index.js';
import { GENEROUS_TIMEOUTS } from '../support/timeouts.js';

const root = join(import.meta.dirname, '../..');
const directory = mkdtempSync(join(tmpdir(), 'gatehouse-import-'));
const env: Record<string, string | undefined> = {
  NODE_ENV: 'test',
  DATA_DIR: directory,
  GATEHOUSE_SECRET: randomBytes(32).toString('base64'),
  LOG_LEVEL: 'silent',
  ARGON2_MEMORY_KIB: '64',
  ARGON2_PASSES: '1',
  ...GENEROUS_TIMEOUTS,
};

/**
 * If the database is embedded, it is opened once for all commands. `cli.e2e-spec.ts` shows that each command can open
 * it.
 */
let own: TestDatabase;
const lent = () => (own.embedded ? { embeddedDatabase: own.embedded } : {});

beforeAll(async () => {
  own = await openTestDatabase();
  env.DATABASE_URL = own.databaseUrl;
});
afterAll(async () => {
  await own.release();
  rmSync(directory, { recursive: true, force: true });
});

const at = (name: string): string => join(directory, name);
type Line = Readonly<Record<string, unknown>> | string | Buffer;
const bytesOf = (line: Line): Buffer =>
  Buffer.isBuffer(line) ? line : Buffer.from(typeof line === 'string' ? line : JSON.stringify(line));

function write(name: string, lines: readonly Line[]): string {
  writeFileSync(at(name), Buffer.concat(lines.flatMap((line) => [bytesOf(line), Buffer.from('\n')])));
  return at(name);
}

const PROGRESS = /^\d+ lines \(\d+%\): .+; \d+ a second$/;

/** Runs `import users` in this process. `cli.e2e-spec.ts` tests the command in its own process. */
async function importUsers(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const [out, err]: [string[], string[]] = [[], []];
  const terminal = {
    ...{ env, ...lent() },
    out: (line: string) => void out.push(line),
    // Ignores the progress lines, which appear if the import takes more than a second.
    err: (line: string) => void (PROGRESS.test(line) || err.push(line)),
  };
  const code = await execute(['import', 'users', ...args], terminal);
  return { code, out: out.join('\n'), err: err.join('\n') };
}

async function sql(text: string, values: unknown[] = []): Promise<Row[]> {
  const database = await Database.open(loadConfig(env), databaseSchema(), own.embedded);
  try {
    return await database.manager.query(text, values);
  } finally {
    await database.close();
  }
}

/** Starts the service on the database that the commands use. */
async function started(): Promise<{ app: INestApplication; as(authorization?: string): Client }> {
  const limits = { RATE_LIMITS: 'off', LOGIN_ALLOWANCES: 'off', REGISTRATION_ALLOWANCES: 'off' };
  const others = { IP_AUTHORIZATION: 'off', PORT: '0' };
  const app = await createApp(loadConfig({ ...env, ...limits, ...others }), lent());
  await app.listen(0, '127.0.0.1');
  const url = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
  return { app, as: (authorization) => new Client(url, authorization, []) };
}

const accountCount = async (): Promise<number> => Number((await sql('SELECT count(*) FROM account'))[0]?.count);
/** Everything that an import can write. */
const everything = async (): Promise<string> =>
  JSON.stringify([
    await sql('SELECT * FROM account ORDER BY id'),
    await sql('SELECT * FROM account_settings ORDER BY account_id'),
    await sql('SELECT * FROM sso_identity ORDER BY issuer, subject'),
    await sql('SELECT * FROM connection_identity ORDER BY id'),
  ]);
const lastAuditEntry = async () =>
  (await sql('SELECT admin_user_id, action, target_type, metadata FROM audit_log ORDER BY sequence DESC LIMIT 1'))[0];

interface Told {
  readonly line: number;
  readonly field: string;
  readonly code: string;
}
const reported = (path: string): Told[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

const EXAMPLE = join(root, 'docs/importing.jsonl');
const PAGE = readFileSync(join(root, 'docs/importing.md'), 'utf8');
const PASSWORD = 'correct horse battery staple';

describe('the example of docs/importing.md', () => {
  test('a dry run reports the result, and changes nothing', async () => {
    const before = await everything();
    const { code, out, err } = await importUsers(EXAMPLE, '--dry-run');
    expect({ code, out, err }).toEqual({
      code: 0,
      out: '5 lines: 5 can be imported, 0 already present, 0 rejected',
      err: '',
    });
    expect(await everything()).toBe(before);
    expect(await lastAuditEntry()).toMatchObject({
      ...{ admin_user_id: '0', action: 'import_users', target_type: 'instance' },
      metadata: { dry_run: 'true', complete: 'true', user_count: '5', present_count: '0', refused_count: '0' },
    });
  });

  test('it is imported, and a second run changes nothing', async () => {
    const first = await importUsers(EXAMPLE);
    expect(first).toMatchObject({ code: 0, out: '5 lines: 5 imported, 0 already present, 0 rejected' });
    const after = await everything();
    for (const secret of [PASSWORD, 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP']) expect(after).not.toContain(secret);
    const again = await importUsers(EXAMPLE);
    expect(again).toMatchObject({
      ...{ code: 0, out: '5 lines: 0 imported, 5 already present, 0 rejected\nNothing was changed.' },
    });
    expect(await everything()).toBe(after);
    const entries = await sql(`SELECT metadata->>'user_count' AS count FROM audit_log WHERE action = 'import_users'
      AND metadata->>'dry_run' = 'false' ORDER BY sequence`);
    expect(entries).toEqual([{ count: '5' }, { count: '0' }]);
    expect(await sql("SELECT 1 FROM audit_log WHERE action = 'begin_user_import'")).toHaveLength(2);
  });

  test('all users sign in with their old credentials, and have the imported data', async () => {
    const { app, as } = await started();
    try {
      const logIn = (email: string) => as().post('/v1/auth/login', { email, password: PASSWORD });
      const ada = (await logIn('Ada@Example.com')).body;
      expect(ada.user_id).toBe('175928847299117063');
      const { body: me } = await as(ada.token).get('/v1/users/@me');
      expect(me).toMatchObject({
        ...{ id: '175928847299117063', username: 'ada', discriminator: '0001', global_name: 'Ada Lovelace' },
        ...{ email: 'ada@example.com', verified: true, locale: 'en-GB' },
      });
      const { body: settings } = await as(ada.token).get('/v1/users/@me/settings');
      expect(settings.theme).toBe('dark');
      const [row] = await sqlOf(app, 'SELECT * FROM account WHERE id = $1', [me.id]);
      expect(row?.created_at.toISOString()).toBe('2016-04-30T11:18:25.796Z');
      expect(row?.terms_agreed_at.toISOString()).toBe('2016-04-30T11:18:20.000Z');

      const { body: challenge } = await logIn('grace@example.com');
      expect(challenge).toMatchObject({ mfa: true, allowed_methods: ['totp'] });
      const totp = new TOTP({ secret: Secret.fromBase32('JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP') });
      const { ticket } = challenge;
      expectInvalid(await as().post('/v1/auth/login/mfa/totp', { ticket, code: '000000' }), 'code: INVALID_CODE');
      const { status } = await as().post('/v1/auth/login/mfa/totp', { ticket, code: totp.generate() });
      expect(status).toBe(200);

      const { body: guido } = await logIn('guido@example.com');
      const { body: him } = await as(guido.token).get('/v1/users/@me');
      expect(him).toMatchObject({ username: 'Guido', global_name: 'Guido', verified: false, locale: 'en-US' });
      expect(him.discriminator).toMatch(/^(?!0000)\d{4}$/);
      expect((await logIn('colin@example.com')).status).toBe(200);

      expectWrong(await logIn('mary@example.com'));
      const [mary] = await sqlOf(
        app,
        `SELECT a.traits, i.issuer, i.subject FROM account a JOIN sso_identity i ON i.account_id = a.id
         WHERE a.email = 'mary@example.com'`,
      );
      expect(mary).toEqual({ traits: ['sso'], issuer: 'https://login.example.com', subject: '00u1a2b3c4' });
    } finally {
      await app.close();
    }
  });
});

async function sqlOf(app: INestApplication, text: string, values: unknown[] = []): Promise<Row[]> {
  return app.get(Database).manager.query(text, values);
}

const expectWrong = (response: TestResponse): void =>
  expectInvalid(response, 'email: INVALID_EMAIL_OR_PASSWORD', 'password: INVALID_EMAIL_OR_PASSWORD');

const BCRYPT = `$2b$10$${'a'.repeat(21)}.${'a'.repeat(31)}`;
const FUTURE_ID = String((BigInt(Date.now() + 86_400_000 - 1420070400000) << 22n) + 1n);
const TOTP_OF_16_LETTERS = 'JBSWY3DPEHPK3PXP';

/**
 * Lines with every field and code that the report must name. None means that the line is accepted. The first user of
 * the example is `ada`.
 */
const REFUSED: readonly (readonly [about: string, line: Line, faults: readonly string[]])[] = [
  ['no JSON', '{"email": "a@example.com"', [': INVALID_JSON']],
  ['a list', '["a@example.com"]', [': INVALID_JSON']],
  ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), [': INVALID_UTF8']],
  ['a line that is too long', { email: 'a@example.com', global_name: 'x'.repeat(MAX_LINE_BYTES) }, [': LINE_TOO_LONG']],
  ['a member that is misspelt', { email: 'a@example.com', email_verifed: true }, ['email_verifed: UNKNOWN_MEMBER']],
  [
    'more unknown members than the report lists',
    Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`x${n}`, 1])),
    Array.from({ length: 20 }, (_, n) => `x${n}: UNKNOWN_MEMBER`),
  ],
  ['a member whose name is no name', '{"email":"a@example.com","__proto__ x":{"a":1}}', [': UNKNOWN_MEMBER']],
  ['nothing to sign in with', { username: 'nobody' }, ['email: INVALID_FORMAT']],
  ['a password without an address', { password_hash: BCRYPT, username: 'nobody' }, ['email: INVALID_FORMAT']],
  ['no address', { email: 'example.com' }, ['email: INVALID_EMAIL_FORMAT']],
  ['a local part that is none', { email: 'a..b@example.com' }, ['email: INVALID_EMAIL_LOCAL_PART']],
  ['an address that is too long', { email: `${'a'.repeat(250)}@example.com` }, ['email: EMAIL_LENGTH_INVALID']],
  ['a verified nothing', { email: 'a@example.com', email_verified: 'yes' }, ['email_verified: INVALID_FORMAT']],
  ['an id of the future', { id: FUTURE_ID, email: 'a@example.com' }, ['id: SNOWFLAKE_OUT_OF_RANGE']],
  ['the id of the console', { id: '0', email: 'a@example.com' }, ['id: SNOWFLAKE_OUT_OF_RANGE']],
  ['an id that is none', { id: '0x1', email: 'a@example.com' }, ['id: INVALID_SNOWFLAKE_FORMAT']],
  ['an id with lost digits', '{"id": 175928847299117063, "email": "a@example.com"}', ['id: INVALID_SNOWFLAKE_FORMAT']],
  ['a reserved username', { email: 'a@example.com', username: 'everyone' }, ['username: USERNAME_RESERVED_VALUE']],
  [
    'a reserved term',
    { email: 'a@example.com', username: 'system_message', global_name: 'Gatehouse' },
    ['username: USERNAME_CANNOT_CONTAIN_RESERVED_TERMS', 'global_name: GLOBAL_NAME_CANNOT_CONTAIN_RESERVED_TERMS'],
  ],
  ['letters of a username', { email: 'a@example.com', username: 'a b' }, ['username: USERNAME_INVALID_CHARACTERS']],
  [
    'a global name of blanks',
    { email: 'a@example.com', global_name: ' ' },
    ['global_name: GLOBAL_NAME_LENGTH_INVALID'],
  ],
  ['a discriminator alone', { email: 'a@example.com', discriminator: '0001' }, ['username: INVALID_FORMAT']],
  [
    'a discriminator of a deleted account',
    { email: 'a@example.com', username: 'a', discriminator: '0000' },
    ['discriminator: DISCRIMINATOR_OUT_OF_RANGE'],
  ],
  ['a locale that nobody may choose', { email: 'a@example.com', locale: 'tlh' }, ['locale: INVALID_FORMAT']],
  ['a theme', { email: 'a@example.com', theme: 'blue' }, ['theme: INVALID_FORMAT']],
  [
    'no day of the calendar',
    { email: 'a@example.com', created_at: '2023-02-30T00:00:00Z' },
    ['created_at: INVALID_FORMAT'],
  ],
  ['a time of no zone', { email: 'a@example.com', created_at: '2023-02-28T00:00:00' }, ['created_at: INVALID_FORMAT']],
  ['a time to come', { email: 'a@example.com', created_at: '2999-01-01T00:00:00Z' }, ['created_at: INVALID_FORMAT']],
  [
    'a secret of nine bytes',
    { email: 'a@example.com', totp_secret: 'JBSWY3DPEHPK3PA' },
    ['totp_secret: INVALID_FORMAT'],
  ],
  ['a secret that is none', { email: 'a@example.com', totp_secret: '0189' }, ['totp_secret: INVALID_FORMAT']],
  [
    'a hash of MD5',
    { email: 'a@example.com', password_hash: '5f4dcc3b5aa765d61d8327deb882cf99' },
    ['password_hash: PASSWORD_HASH_UNSUPPORTED'],
  ],
  [
    'a hash that works for hours',
    { email: 'a@example.com', password_hash: BCRYPT.replace('$10$', '$24$') },
    ['password_hash: PASSWORD_HASH_TOO_COSTLY'],
  ],
  [
    'an endless hash',
    { email: 'a@example.com', password_hash: 'x'.repeat(513) },
    ['password_hash: CONTENT_EXCEEDS_MAX_LENGTH'],
  ],
  [
    'an issuer of plain http',
    { identities: [{ issuer: 'http://a.example', subject: 'x' }] },
    ['identities.0.issuer: INVALID_URL_FORMAT'],
  ],
  [
    'an identity of nobody',
    { identities: [{ issuer: 'https://a.example' }] },
    ['identities.0.subject: INVALID_FORMAT'],
  ],
  [
    'two identities of one issuer',
    { identities: ['x', 'y'].map((subject) => ({ issuer: 'https://a.example', subject })) },
    ['identities: INVALID_FORMAT'],
  ],
  [
    'an identity of single sign-on without an issuer',
    { identities: [{ connection_id: 'sso', subject: 'x' }] },
    ['identities.0.issuer: INVALID_URL_FORMAT'],
  ],
  [
    'a malformed connection',
    { identities: [{ connection_id: 'Git Hub', subject: 'x' }] },
    ['identities.0.connection_id: INVALID_FORMAT'],
  ],
  [
    'an unknown connection',
    {
      email: 'a@example.com',
      identities: [
        { issuer: 'https://a.example', subject: 'x' },
        { connection_id: 'unknown', subject: 'x' },
      ],
    },
    ['identities.1.connection_id: UNKNOWN_CONNECTION'],
  ],
  [
    'an identity with members that are misspelt',
    {
      email: 'a@example.com',
      identities: [
        { issuer: 'https://a.example', subject: 'x' },
        { connection_id: 'unknown', subject: 'y', sub: 'y', 'e mail': 'a@example.com' },
      ],
    },
    ['identities.1.sub: UNKNOWN_MEMBER', 'identities.1: UNKNOWN_MEMBER'],
  ],
  [
    'two identities of one connection',
    { identities: ['x', 'y'].map((subject) => ({ connection_id: 'unknown', subject })) },
    ['identities: INVALID_FORMAT'],
  ],
  ['the id of somebody', { id: '175928847299117063', email: 'a@example.com' }, ['id: ID_ALREADY_IN_USE']],
  ['the address of somebody', { email: 'ADA@example.com', username: 'eve' }, ['email: EMAIL_ALREADY_IN_USE']],
  [
    'somebody who is described otherwise',
    { email: 'ada@example.com', created_at: '2016-04-30T11:18:25.795Z' },
    ['email: EMAIL_ALREADY_IN_USE'],
  ],
  [
    'the tag of somebody',
    { email: 'a@example.com', username: 'ADA', discriminator: '0001' },
    ['discriminator: TAG_ALREADY_TAKEN'],
  ],
  [
    'the identity of somebody',
    { email: 'a@example.com', identities: [{ issuer: 'https://login.example.com', subject: '00u1a2b3c4' }] },
    ['identities.0: IDENTITY_ALREADY_IN_USE'],
  ],
  ['the first of two', { email: 'twice@example.com', username: 'one' }, []],
  ['the second of two', { email: 'TWICE@example.com', username: 'two' }, ['email: EMAIL_ALREADY_IN_USE']],
  ['a short secret of another service', { email: 'short@example.com', totp_secret: TOTP_OF_16_LETTERS }, []],
  ['what is not said', { email: 'nulls@example.com', global_name: null, id: null, password_hash: null }, []],
];

/** Values that are neither names nor codes. The report must not contain them. */
const SECRETS = [BCRYPT.slice(7), '5f4dcc3b5aa765d61d8327deb882cf99', 'JBSWY3DPEHPK3PA', 'example.com', '00u1a2b3c4'];

describe('rejected lines', () => {
  const path = at('refused.jsonl');
  const expected = REFUSED.flatMap(([, , faults], index) => faults.map((fault) => `${index + 1} ${fault}`));
  const told = () => reported(path).map(({ line, field, code }) => `${line} ${field}: ${code}`);
  const taken = REFUSED.filter(([, , faults]) => faults.length === 0).length;

  let file: string;
  beforeAll(() => {
    file = write(
      'faulty.jsonl',
      REFUSED.map(([, line]) => line),
    );
  });

  test.each([
    ['a dry run', ['--dry-run'], `${taken} can be imported, 0 already present`],
    ['a run', [], `${taken} imported, 0 already present`],
    ['the same again', [], `0 imported, ${taken} already present`],
  ])('%s reports line, field and code of each, and never its content', async (_, options, ending) => {
    const before = await accountCount();
    const { code, out, err } = await importUsers(file, ...options, '--report', path);
    expect(told()).toEqual(expected);
    expect({ code, err }).toEqual({ code: 1, err: '' });
    expect(out.split('\n')[0]).toBe(`${REFUSED.length} lines: ${ending}, ${REFUSED.length - taken} rejected`);
    for (const secret of SECRETS) expect(readFileSync(path, 'utf8')).not.toContain(secret);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect((await accountCount()) - before).toBe(options.length === 0 && ending.startsWith(String(taken)) ? taken : 0);
  });

  test('without a report, the first twenty are printed next to the progress', async () => {
    const { code, err } = await importUsers(file);
    const [first, ...more] = err.split('\n');
    expect({ code, first, more: more.length, last: more.at(-1) }).toEqual({
      ...{ code: 1, first: 'line 1: INVALID_JSON', more: 20 },
      last: 'More lines were rejected. To save all of them, use --report <file>.',
    });
  });

  test('a missing file, a report that would replace it, and unknown options are errors', async () => {
    const before = readFileSync(file);
    expect(await importUsers(at('nothing.jsonl'))).toMatchObject({
      code: 1,
      err: `Cannot read the file ${at('nothing.jsonl')}.`,
    });
    expect(await importUsers(directory)).toMatchObject({ code: 1 });
    for (const args of [[], [file, file], [file, '--all'], [file, '--report', file]]) {
      expect(await importUsers(...args)).toMatchObject({ code: 2 });
    }
    expect(readFileSync(file).equals(before)).toBe(true);
    expect((await importUsers(file, '--report', at('no/such/folder'))).code).toBe(1);
  });

  test('the page documents every member and every code', async () => {
    for (const member of MEMBERS) expect([member, PAGE.includes(`| \`${member}\` |`)]).toEqual([member, true]);
    for (const { code } of reported(path)) expect([code, PAGE.includes(code)]).toEqual([code, true]);
    expect(PAGE).toContain(PASSWORD);
    expect(PAGE).toContain(readFileSync(EXAMPLE, 'utf8').split('\n')[1]);
  });
});

describe('identities of connections', () => {
  const GITHUB = { connection_id: 'github', subject: '583231' };
  const OPENID = { connection_id: 'corp', subject: '00u9' };
  beforeAll(async () => {
    const insert = 'INSERT INTO connection (id, kind, position, settings) VALUES ($1, $2, 0, $3)';
    const corp = { issuer: 'https://corp.example.com', client_id: 'x' };
    const none = { issuer: null, authorization_url: null, token_url: null, userinfo_url: null, scope: null };
    const rest = { ...none, jwks_url: null, emails_url: null, claims: null, enabled: false };
    await sql(insert, ['corp', 'oidc', { ...rest, ...corp }]);
    await sql(insert, ['github', 'github', rest]);
    await sql(insert, ['tenant', 'microsoft', rest]);
  });

  const linksOf = (email: string) =>
    sql(
      `SELECT a.traits, i.connection_id, i.issuer, i.subject, i.email FROM connection_identity i
       JOIN account a ON a.id = i.account_id WHERE a.email = $1 ORDER BY i.connection_id`,
      [email],
    );

  test('get the issuer of the connection, and a dry run and a second run write nothing', async () => {
    const sso = { issuer: 'https://login.example.com', subject: 'ofboth' };
    const file = write('connections.jsonl', [
      { email: 'both@example.com', email_verified: true, identities: [GITHUB, OPENID, sso] },
      { email: 'former@example.com', identities: [{ ...OPENID, issuer: 'https://former.example.com' }] },
    ]);
    const before = await everything();
    expect(await importUsers(file, '--dry-run')).toEqual({
      ...{ code: 0, err: '', out: '2 lines: 2 can be imported, 0 already present, 0 rejected' },
    });
    expect(await everything()).toBe(before);
    expect((await importUsers(file)).code).toBe(0);
    const linked = { traits: ['sso', 'connection'], email: null };
    expect(await linksOf('both@example.com')).toEqual([
      { ...linked, connection_id: 'corp', issuer: 'https://corp.example.com', subject: '00u9' },
      { ...linked, connection_id: 'github', issuer: 'https://api.github.com', subject: '583231' },
    ]);
    // The same subject at the former issuer is another user, whose link is dormant.
    expect(await linksOf('former@example.com')).toEqual([
      {
        traits: ['connection'],
        connection_id: 'corp',
        issuer: 'https://former.example.com',
        subject: '00u9',
        email: null,
      },
    ]);
    const after = await everything();
    const repeated = await importUsers(file);
    expect(repeated.out.split('\n')[0]).toBe('2 lines: 0 imported, 2 already present, 0 rejected');
    expect(await everything()).toBe(after);
  });

  test.each([['--dry-run'], []])('are free once, and need a connection with an issuer %s', async (...options) => {
    const path = at('connections-refused.jsonl');
    const file = write('connections-faulty.jsonl', [
      { email: 'c1@example.com', identities: [GITHUB] },
      { email: 'c2@example.com', identities: [{ ...GITHUB, issuer: 'https://api.github.com' }] },
      { email: 'c3@example.com', identities: [{ connection_id: 'tenant', subject: 'x' }] },
      ...(options.length > 0
        ? ['c4@example.com', 'c5@example.com'].map((email) => ({
            email,
            identities: [{ ...OPENID, subject: 'twice' }],
          }))
        : []),
    ]);
    const before = await everything();
    expect((await importUsers(file, ...options, '--report', path)).code).toBe(1);
    expect(reported(path)).toEqual([
      { line: 1, field: 'identities.0', code: 'IDENTITY_ALREADY_IN_USE' },
      { line: 2, field: 'identities.0', code: 'IDENTITY_ALREADY_IN_USE' },
      { line: 3, field: 'identities.0.issuer', code: 'INVALID_URL_FORMAT' },
      ...(options.length > 0 ? [{ line: 5, field: 'identities.0', code: 'IDENTITY_ALREADY_IN_USE' }] : []),
    ]);
    expect(await everything()).toBe(before);
  });
});

describe('a file of several batches', () => {
  const many = Array.from({ length: 2_500 }, (_, n) => ({ email: `many${n}@example.com`, username: 'many' }));
  // Duplicates of lines in the first batch and in others. The last batch contains both kinds.
  const lines = [
    ...many,
    { email: 'many3@example.com', username: 'other' },
    many[7],
    { email: 'MANY2400@example.com', username: 'many' },
  ];
  const clash = { line: 2_501, field: 'email', code: 'EMAIL_ALREADY_IN_USE' };
  let file: string;
  beforeAll(() => {
    file = write('many.jsonl', lines as Line[]);
  });

  test('a dry run finds duplicates at any distance', async () => {
    const before = await everything();
    const { code, out } = await importUsers(file, '--dry-run', '--report', at('twice.jsonl'));
    expect({ code, out }).toEqual({ code: 1, out: '2503 lines: 2500 can be imported, 2 already present, 1 rejected' });
    expect(reported(at('twice.jsonl'))).toEqual([clash]);
    expect(await everything()).toBe(before);
  });

  test('an interrupted run continues, and imports every user once', async () => {
    const before = await accountCount();
    async function* cutOff() {
      for await (const line of readLines(chunksOf(readFileSync(file), 1000))) {
        if (line.number === 1_700) throw new Error('the lights went out');
        yield line;
      }
    }
    const { app } = await started();
    try {
      const options = { dryRun: false, onRefused: async () => {}, onProgress: () => {} };
      await expect(app.get(UserImport).run(cutOff(), options)).rejects.toThrow('the lights went out');
    } finally {
      await app.close();
    }
    const ofFirstBatch = (await accountCount()) - before;
    expect(ofFirstBatch).toBe(1_000);
    const { code, out } = await importUsers(file, '--report', at('twice.jsonl'));
    expect({ code, out }).toEqual({ code: 1, out: '2503 lines: 1500 imported, 1002 already present, 1 rejected' });
    expect(reported(at('twice.jsonl'))).toEqual([clash]);
    const [tags] = await sql(
      `SELECT count(*)::int AS count, count(DISTINCT a.discriminator)::int AS tags, count(DISTINCT s.account_id)::int AS settings
       FROM account a JOIN account_settings s ON s.account_id = a.id WHERE a.username = 'many'`,
    );
    expect(tags).toEqual({ count: 2_500, tags: 2_500, settings: 2_500 });
  });

  test('a registered account is never taken for that of a line, even with common data', async () => {
    const { app, as } = await started();
    try {
      const registered = { email: 'self@example.com', password: PASSWORD, username: 'self' };
      expect((await as().post('/v1/auth/register', registered)).status).toBe(200);
    } finally {
      await app.close();
    }
    const before = await everything();
    const self = write('self.jsonl', [{ email: 'self@example.com', username: 'self' }]);
    expect(await importUsers(self)).toMatchObject({ code: 1, err: 'line 1: email: EMAIL_ALREADY_IN_USE' });
    expect(await everything()).toBe(before);
  });
});

/** A file as a slow disk delivers it: chunks do not end where lines do. */
async function* chunksOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let begin = 0; begin < bytes.length; begin += size) yield bytes.subarray(begin, begin + size);
}

describe('lines', () => {
  const read = async (text: string | Buffer, size: number) => {
    const lines: unknown[] = [];
    for await (const { number, text: line, fault, end } of readLines(chunksOf(Buffer.from(text), size))) {
      lines.push([number, fault ?? line, end]);
    }
    return lines;
  };

  test.each([1, 2, 3, 5, 7, 1000])('are equal when read in chunks of %i', async (size) => {
    expect(await read('\ufeffone\n\n  \ntwo\r\nthr\u00e9\u00e9\nlast', size)).toEqual([
      [1, 'one', 7],
      [4, 'two\r', 16],
      [5, 'thr\u00e9\u00e9', 24],
      [6, 'last', 28],
    ]);
    expect(await read('', size)).toEqual([]);
    expect(await read('\n\n', size)).toEqual([]);
  });

  test.each([1, 4096, 100_000])('too many bytes are an error only of their line, in chunks of %i', async (size) => {
    const longest = 'x'.repeat(MAX_LINE_BYTES);
    expect(await read(`${longest}\n${longest}x\nend`, size)).toEqual([
      [1, longest, MAX_LINE_BYTES + 1],
      [2, 'LINE_TOO_LONG', 2 * MAX_LINE_BYTES + 3],
      [3, 'end', 2 * MAX_LINE_BYTES + 6],
    ]);
  });

  test('bytes that are not UTF-8 are an error only of their line', async () => {
    expect(await read(Buffer.from([0x61, 0x0a, 0xc3, 0x28, 0x0a, 0x62]), 2)).toEqual([
      [1, 'a', 2],
      [2, 'INVALID_UTF8', 5],
      [3, 'b', 6],
    ]);
  });
});

const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');
const salt = Buffer.from('sixteen of bytes');

/** A cheap hash of every format that docs/importing.md lists. */
const KINDS: Readonly<Record<string, (password: string) => string | Promise<string>>> = {
  ...Object.fromEntries(
    [Algorithm.Argon2id, Algorithm.Argon2i, Algorithm.Argon2d].map((algorithm) => [
      `argon2 ${algorithm}`,
      (password: string) => argon2(password, { algorithm, memoryCost: 64, timeCost: 1, parallelism: 2 }),
    ]),
  ),
  'argon2id of version 16': (password) => argon2(password, { version: Version.V0x10, memoryCost: 64, timeCost: 1 }),
  'argon2id of Django': async (password) => `argon2${await argon2(password, { memoryCost: 64, timeCost: 1 })}`,
  ...Object.fromEntries(
    (['2a', '2b', '2y'] as const).map((version) => [
      `bcrypt ${version}`,
      async (password: string) => (await bcrypt(password, 4)).replace('$2b$', `$${version}$`),
    ]),
  ),
  'bcrypt of Django': async (password) => `bcrypt$${await bcrypt(password, 4)}`,
  'bcrypt_sha256 of Django': async (password) =>
    `bcrypt_sha256$${await bcrypt(createHash('sha256').update(password).digest('hex'), 4)}`,
  ...Object.fromEntries(
    ['sha1', 'sha256', 'sha512'].flatMap((digest) => {
      const derive = (password: string, bytes = salt) => pbkdf2Sync(password, bytes, 10, 32, digest);
      const text = (rounds: string) => (password: string) =>
        `$pbkdf2-${digest}$${rounds}$${base64(salt)}$${base64(derive(password))}`;
      return [
        [`PBKDF2 ${digest}`, text('i=10,l=32')],
        [`PBKDF2 ${digest} of passlib`, text('10')],
        [
          `PBKDF2 ${digest} of Django`,
          (password: string) =>
            `pbkdf2_${digest}$10$pepper$${derive(password, Buffer.from('pepper')).toString('base64')}`,
        ],
      ];
    }),
  ),
  scrypt: (password) => `$scrypt$ln=4,r=8,p=1$${base64(salt)}$${base64(scryptSync(password, salt, 32, { N: 16 }))}`,
  'scrypt of Django': (password) =>
    `scrypt$16$pepper$8$1$${scryptSync(password, 'pepper', 64, { N: 16 }).toString('base64')}`,
};

/**
 * Every operation that accepts a password as proof, with the rest of its body. Operations that end sessions come last.
 */
const PLACES: Readonly<Record<string, object>> = {
  'POST /v1/auth/sessions/logout': { session_id_hashes: [] },
  'DELETE /v1/oauth2/applications/:id': {},
  'POST /v1/oauth2/applications/:id/bot/reset-token': {},
  'POST /v1/oauth2/applications/:id/client-secret/reset': {},
  'POST /v1/oauth2/applications/:id/bot/tokens': {},
  'DELETE /v1/oauth2/applications/:id/bot/tokens/:token_id': {},
  'POST /v1/users/@me/access-tokens': { name: 'x', scopes: ['identify'] },
  'POST /v1/users/@me/identities/start': { connection_id: 'x', nonce_hash: '0'.repeat(64) },
  'DELETE /v1/users/@me/identities/:identity_id': {},
  'DELETE /v1/users/@me/authorized-ips': {},
  'POST /v1/users/@me/email-change/apply': { email_token: 'x' },
  'POST /v1/users/@me/export': {},
  'POST /v1/users/@me/mfa/backup-codes': { regenerate: false },
  'POST /v1/users/@me/mfa/totp/disable': { code: '000000' },
  'POST /v1/users/@me/mfa/totp/enable': { secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', code: '000000' },
  'DELETE /v1/users/@me/mfa/webauthn/credentials/:credential_id': {},
  'PATCH /v1/users/@me/mfa/webauthn/credentials/:credential_id': { name: 'x' },
  'POST /v1/users/@me/mfa/webauthn/credentials/registration-options': {},
  'PUT /v1/users/@me/mfa/webauthn/two-factor': { enabled: false },
  'POST /v1/webhooks/:id/token/rotate': {},
  'PATCH /v1/users/@me': { new_password: 'another long password' },
  'POST /v1/users/@me/lockdown': {},
  'POST /v1/users/@me/disable': {},
  'POST /v1/users/@me/delete': {},
};

describe('hashes of other services', () => {
  const emailOf = (kind: string): string => `${kind.toLowerCase().replace(/[^a-z0-9]/g, '.')}@hashes.example.com`;
  const password = 'pass word of before';
  let service: Awaited<ReturnType<typeof started>>;
  const foreign = new Map<string, string>();

  const logIn = (kind: string, given = password) =>
    service.as().post('/v1/auth/login', { email: emailOf(kind), password: given });
  const storedOf = async (kind: string): Promise<Row> => {
    const [row] = await sqlOf(service.app, 'SELECT password_hash, epoch FROM account WHERE email = $1', [
      emailOf(kind),
    ]);
    return row as Row;
  };
  /** Restores the imported hash and the account, as if the user had signed in without the password. */
  const putBack = (kind: string) =>
    sqlOf(service.app, 'UPDATE account SET password_hash = $2, flags = 0, deletion_at = NULL WHERE email = $1', [
      ...[emailOf(kind), foreign.get(kind)],
    ]);
  const idle = () => service.app.get(Background).idle();

  beforeAll(async () => {
    const lines = await Promise.all(
      Object.entries(KINDS).map(async ([kind, make]) => ({
        ...{ email: emailOf(kind), email_verified: true, password_hash: await make(password) },
      })),
    );
    expect(await importUsers(write('kinds.jsonl', lines))).toMatchObject({ code: 0, err: '' });
    service = await started();
    for (const kind of Object.keys(KINDS)) foreign.set(kind, (await storedOf(kind)).password_hash);
  });
  afterAll(() => service.app.close());

  test('are stored unchanged until the first sign-in, and distinguished from ours', () => {
    for (const stored of foreign.values()) expect(stored).toMatch(/^imported:/);
    expect(new Set(foreign.values()).size).toBe(Object.keys(KINDS).length);
  });

  test('every operation that accepts a password as proof is covered', () => {
    const { all } = service.app.get(Routes);
    const asking = all.filter(({ policy }) => policy.sudo !== undefined).map(({ method, path }) => `${method} ${path}`);
    expect(asking.length).toBeGreaterThan(10);
    expect(Object.keys(PLACES).sort()).toEqual(asking.sort());
  });

  test.each(Object.keys(KINDS))('%s: signs in once, is replaced by ours, and ends nothing', async (kind) => {
    expectWrong(await logIn(kind, `${password}.`));
    await idle();
    expect((await storedOf(kind)).password_hash).toBe(foreign.get(kind));
    const { epoch } = await storedOf(kind);
    const { status, body } = await logIn(kind);
    expect(status).toBe(200);
    await idle();
    const stored = await storedOf(kind);
    expect(stored.password_hash).toMatch(/^\$argon2id\$v=19\$m=64,t=1,p=1\$/);
    expect(stored.epoch).toBe(epoch);
    expect((await service.as(body.token).get('/v1/users/@me')).body.password_last_changed_at).toBeNull();
    expectWrong(await logIn(kind, `${password}.`));
    expect((await logIn(kind)).status).toBe(200);
    expect((await service.as(body.token).get('/v1/users/@me')).status).toBe(200);
  });

  /** One kind of hash for each way to read and compute it. */
  const ways = ['argon2 2', 'bcrypt 2y', 'bcrypt_sha256 of Django', 'PBKDF2 sha256', 'PBKDF2 sha512 of Django'];

  test.each([...ways, 'scrypt', 'scrypt of Django'])(
    '%s: proves its owner wherever a password is required',
    async (kind) => {
      await putBack(kind);
      let { token } = (await logIn(kind)).body;
      for (const [place, members] of Object.entries(PLACES)) {
        await idle();
        await putBack(kind);
        const [method = '', path = ''] = place.split(' ');
        const send = (given: string) =>
          service.as(token).send(method, path.replace(/:\w+/g, '1'), { ...members, password: given });
        const wrong = await send(`${password}.`);
        expect([place, wrong.body.errors?.map(({ path: at, code }: Row) => `${at}: ${code}`)]).toEqual([
          ...[place, ['password: INVALID_PASSWORD']],
        ]);
        const right = await send(password);
        expect([place, right.status < 500, right.body?.code === 'SUDO_MODE_REQUIRED']).toEqual([place, true, false]);
        expect([place, JSON.stringify(right.body ?? '').includes('INVALID_PASSWORD')]).toEqual([place, false]);
        if ('new_password' in members) {
          expect(right.status).toBe(200);
          expect((await logIn(kind, 'another long password')).status).toBe(200);
          expectWrong(await logIn(kind));
        }
        if ((await service.as(token).get('/v1/users/@me')).status === 401) {
          await putBack(kind);
          ({ token } = (await logIn(kind)).body);
        }
      }
    },
  );

  test.each(['argon2 2', 'bcrypt 2b', 'scrypt', 'PBKDF2 sha256'])(
    '%s: a password changed during sign-ins wins over the imported one',
    async (kind) => {
      for (let round = 0; round < 4; round++) {
        await putBack(kind);
        const { token } = (await logIn(kind)).body;
        await idle();
        await putBack(kind);
        const fresh = `changed in round ${round}`;
        const [changed] = await Promise.all([
          service.as(token).patch('/v1/users/@me', { password, new_password: fresh }),
          ...Array.from({ length: 8 }, () => logIn(kind)),
        ]);
        await idle();
        expect(changed.status).toBe(200);
        expectWrong(await logIn(kind));
        expect((await logIn(kind, fresh)).status).toBe(200);
        expect((await service.as(changed.body.token).get('/v1/users/@me')).status).toBe(200);
      }
    },
  );

  test('parallel first sign-ins all succeed, and one hash of ours remains', async () => {
    const kind = 'bcrypt 2y';
    await putBack(kind);
    const responses = await Promise.all(Array.from({ length: 32 }, () => logIn(kind)));
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
    await idle();
    expect((await storedOf(kind)).password_hash).toMatch(/^\$argon2id\$/);
    expect((await logIn(kind)).status).toBe(200);
  });

  test('bcrypt used 72 bytes of a long password; after the first sign-in all bytes count', async () => {
    const kind = 'bcrypt 2a';
    const long = '0123456789'.repeat(9);
    const hash = `imported:${await bcrypt(long, 4)}`;
    await sqlOf(service.app, 'UPDATE account SET password_hash = $2 WHERE email = $1', [emailOf(kind), hash]);
    expect((await logIn(kind, long)).status).toBe(200);
    await idle();
    expectWrong(await logIn(kind, long.slice(0, 72)));
    expect((await logIn(kind, long)).status).toBe(200);
  });

  test('the work uses the same queue as ours, and is shed beyond it', async () => {
    const passwords = service.app.get(Passwords);
    const stored = foreign.get('scrypt') as string;
    const attempts = Array.from({ length: 200 }, () => passwords.verify(stored, password));
    const ended = await Promise.allSettled(attempts);
    const shed = ended.filter((one) => one.status === 'rejected');
    expect(shed.length).toBeGreaterThan(0);
    for (const { reason } of shed) expect(reason).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    for (const one of ended) if (one.status === 'fulfilled') expect(one.value).toBe(true);
  });
});

describe('email addresses without an account', () => {
  const ROUNDS = 120_000;
  const password = 'pass word of before';
  const text = `pbkdf2_sha512$${ROUNDS}$pepper$${pbkdf2Sync(password, 'pepper', ROUNDS, 32, 'sha512').toString('base64')}`;
  const strangers = Array.from({ length: 200 }, (_, n) => `stranger${n}@elsewhere.example.com`);
  type Service = Awaited<ReturnType<typeof started>>;

  async function withStarted<T>(work: (service: Service) => Promise<T>): Promise<T> {
    const service = await started();
    try {
      return await work(service);
    } finally {
      await service.app.close();
    }
  }

  /** The lowest CPU time of several runs. Other work of the process can only increase it. */
  async function leastWork(work: () => Promise<unknown>): Promise<number> {
    const times: number[] = [];
    for (let i = 0; i < 4; i++) {
      const before = process.cpuUsage();
      await work();
      const { user, system } = process.cpuUsage(before);
      times.push(user + system);
    }
    return Math.min(...times);
  }

  const refusedLogIn =
    ({ as }: Service, email: string) =>
    async () =>
      expectWrong(await as().post('/v1/auth/login', { email, password }));
  const derived = () => promisify(pbkdf2)(password, 'pepper', ROUNDS, 32, 'sha512');

  /** The unknown email addresses whose check costs as much as an imported hash. */
  const costly = async ({ app }: Service): Promise<string[]> => {
    const found = await Promise.all(
      strangers.map(async (email) =>
        app.get(AccountService).findPassword(email, app.get(DecoyAccounts).decoyFor(email)),
      ),
    );
    for (const { id, passwordHash } of found) expect([id, passwordHash]).toEqual([null, null]);
    return strangers.filter((_, index) => found[index]?.decoyHash?.startsWith('imported:pbkdf2_sha512'));
  };

  beforeAll(async () => {
    await sql('DELETE FROM account');
    await sql("DELETE FROM instance WHERE name = 'password_decoys'");
  });

  test('they cost as much work as accounts, in equal shares; no user can sign in with that password', async () => {
    const [first] = strangers as [string];
    const ours = await withStarted(async (service) => {
      for (let n = 0; n < 20; n++) {
        const registered = { email: `ours${n}@example.com`, password, username: 'ours' };
        expect((await service.as().post('/v1/auth/register', registered)).status).toBe(200);
      }
      return leastWork(refusedLogIn(service, first));
    });
    const brought = Array.from({ length: 80 }, (_, n) => ({ email: `brought${n}@example.com`, password_hash: text }));
    expect(await importUsers(write('brought.jsonl', brought))).toMatchObject({ code: 0 });
    const drawn = await withStarted(async (service) => {
      const found = await costly(service);
      // The expected count is 160. The bounds are seven standard deviations away on either side.
      expect(found.length).toBeGreaterThan(120);
      expect(found.length).toBeLessThan(200);
      const least = await leastWork(derived);
      expect(ours).toBeLessThan(least / 2);
      expect(await leastWork(refusedLogIn(service, found[0] as string))).toBeGreaterThan(least / 2);
      return found;
    });
    expect(await withStarted(costly)).toEqual(drawn);
  });

  test('after every account has a hash of ours, no address costs more', async () => {
    await sql(
      "UPDATE account SET password_hash = (SELECT password_hash FROM account WHERE email = 'ours0@example.com')",
    );
    await withStarted(async (service) => {
      expect(await costly(service)).toEqual([]);
      await refusedLogIn(service, strangers[0] as string)();
    });
  });
});
