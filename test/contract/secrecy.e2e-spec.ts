import { Routes } from '../../src/policy/routes.js';
import {
  adminKey,
  eventually,
  expectApiError,
  type Gatehouse,
  gatehouse,
  mailTo,
  newApp,
  newCode,
  newTokens,
  newWebhook,
  type Persona,
  person,
  runCleanup,
  sendRaw,
  signIn,
  sudoProof,
  superuser,
  verifiedPerson,
  withTotp,
} from '../support/index.js';

let service: Gatehouse;
let alice: Persona;
beforeAll(async () => {
  service = await gatehouse();
  alice = await person(service, 'alice');
});
afterAll(() => service.close());

/** Forms in which rows could contain the secret: as is, in other encodings, or reversed. */
const spellings = (secret: string): string[] => {
  const bytes = [Buffer.from(secret), Buffer.from(secret, 'base64url')];
  return [
    secret,
    ...bytes.flatMap((of) => [of.toString('hex'), of.toString('base64'), of.toString('base64url')]),
  ].concat([...secret].reverse().join(''));
};

/** The shortest text that does not appear in the rows by chance. */
const LONG_ENOUGH = 8;

/**
 * The texts to search for. If a secret is cut in two at any position, one of the parts contains one of its halves.
 */
const traces = (secret: string): string[] =>
  spellings(secret)
    .flatMap((spelt) => [spelt, spelt.slice(0, spelt.length / 2), spelt.slice(spelt.length / 2)])
    .filter(({ length }) => length >= LONG_ENOUGH);

describe('an attacker with a copy of the database', () => {
  test('SES-12, LOG-01: finds none of the secrets that the service issued or received, in any encoding', async () => {
    const root = await superuser(service);
    const owner = await verifiedPerson(service, 'owner');
    const app = await newApp(service, owner);
    const tokens = await newTokens(service, owner, app);
    const { authenticator, backupCodes } = await withTotp(service, owner);
    await service.anonymous.post('/v1/auth/forgot', { email: alice.email });
    const secrets: Record<string, string> = {
      session: alice.authorization,
      'second session': await signIn(service, alice),
      password: alice.password,
      'client secret': app.secret ?? '',
      'bot token': app.bot.split('.')[1] ?? '',
      'access token': tokens.access_token,
      'refresh token': tokens.refresh_token,
      code: await newCode(service, alice, app),
      'Admin key': (await adminKey(service, root, '*')).authorization.split('_')[2] ?? '',
      webhook: (await newWebhook(service, owner)).token,
      authenticator: authenticator.secret.base32,
      'backup code': backupCodes[0] ?? '',
      'sudo proof': await sudoProof(service, owner, authenticator),
      'token of a mail': (await mailTo(service, alice.email, 'password_reset')).metadata.token ?? '',
      challenge: (await service.anonymous.post('/v1/auth/webauthn/authentication-options')).body.challenge,
    };
    const waiting = await service.anonymous.post('/v1/auth/handoff/initiate');
    secrets['poll secret of another device'] = waiting.body.poll_secret;
    const tables = await service.sql(
      // The development inbox contains delivered emails, including their secrets.
      `SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'inbox_message'`,
    );
    let all = '';
    for (const { tablename } of tables) {
      all += (await service.sql(`SELECT t::text AS row FROM ${tablename} t`)).map(({ row }) => row).join('\n');
    }
    expect(all).toContain(alice.email);
    for (const [name, secret] of Object.entries(secrets)) {
      expect([name, secret.length >= LONG_ENOUGH]).toEqual([name, true]);
      expect([name, traces(secret).filter((trace) => all.includes(trace))]).toEqual([name, []]);
    }
  });
});

describe('an ended credential', () => {
  test('ORA-09: leaves no trace of its use', async () => {
    const bob = await person(service, 'bob');
    const { access_token } = await newTokens(service, bob, await newApp(service, bob));
    await service.as(bob).get('/v1/users/@me');
    await service.as(bob).post('/v1/auth/logout', {});
    await service.sql('DELETE FROM oauth_token WHERE account_id = $1', [bob.id]);
    await runCleanup(service);
    const long = "now() - interval '1 day'";
    await service.sql(`UPDATE session SET last_used_at = ${long} WHERE account_id = $1`, [bob.id]);
    await service.sql(`UPDATE account SET last_active_at = ${long} WHERE id = $1`, [bob.id]);
    const seen = async () => [
      ...(await service.sql('SELECT last_used_at FROM session WHERE account_id = $1', [bob.id])),
      ...(await service.sql('SELECT last_active_at FROM account WHERE id = $1', [bob.id])),
    ];
    const before = await seen();
    service.clock.advance({ minutes: 2 });
    for (const credential of [bob.authorization, `Bearer ${access_token}`]) {
      expectApiError(await service.as(credential).get('/v1/users/@me'), 'UNAUTHORIZED');
    }
    await runCleanup(service);
    expect(await seen()).toEqual(before);
  });

  test('WAN-23: unused challenges and other one-time secrets are deleted by the next cleanup', async () => {
    for (let i = 0; i < 20; i++) await service.anonymous.post('/v1/auth/webauthn/authentication-options');
    const count = async () => (await service.sql('SELECT 1 FROM one_time_secret WHERE expires_at < now()')).length;
    await service.sql(
      "UPDATE one_time_secret SET expires_at = now() - interval '8 days' WHERE purpose = 'webauthn-login'",
    );
    expect(await count()).toBeGreaterThanOrEqual(20);
    await runCleanup(service);
    expect(await count()).toBe(0);
  });
});

describe('stored parts of responses and requests', () => {
  test('HDS-01, OAU-49: no response of an operation may be cached, for any caller and result', async () => {
    const kept: string[] = [];
    for (const { method, path } of service.app.get(Routes).all) {
      // Pages and files are the same for every caller, so they may be cached.
      if (!/^\/(?:v1|health|metrics)\b/.test(path)) continue;
      const target = path.replace(/:\w+/g, '1').replace(/\*\w+/g, 'a/b');
      for (const lines of [[], [`Authorization: ${alice.authorization}`]]) {
        // Other methods could end the session or delete the account, which later requests need.
        if (lines.length > 0 && method !== 'GET') continue;
        const response = await sendRaw(service, [`${method} ${target} HTTP/1.1`, 'Content-Length: 0', ...lines]);
        const said = response.headers.get('cache-control') ?? 'nothing';
        if (said !== 'no-store') kept.push(`${method} ${path} ${response.status}: ${said}`);
      }
    }
    expect(kept).toEqual([]);
  });

  test('LOG-02: each log line is one JSON object without control characters, for any input', async () => {
    const hostile = 'a\r\n{"level":60,"msg":"forged"}\u001b[31m\u2028b';
    const encoded = encodeURIComponent(hostile);
    const bob = await person(service, 'mallory');
    await service.as(bob).patch('/v1/users/@me', { global_name: hostile, bio: hostile, pronouns: hostile });
    await service.anonymous.post('/v1/auth/login', { email: hostile, password: hostile });
    await service.anonymous.get(`/v1/${encoded}?${encoded}=${encoded}`);
    await service.as(bob).get(`/v1/webhooks/${encoded}`);
    const latin = Buffer.from('x\u001b[31m\u0085{"level":60}').toString('latin1');
    for (const name of ['User-Agent', 'X-Request-ID', 'Referer', 'Origin', 'Accept-Language', 'X-Forwarded-For']) {
      await sendRaw(service, ['GET /v1/users/@me HTTP/1.1', `${name}: ${latin}`]);
    }
    const lines = () => service.log.join('').split('\n').filter(Boolean);
    await eventually('the refusals in the log', async () => (lines().length > 5 ? true : undefined));
    for (const line of lines()) {
      expect(JSON.parse(line)).toEqual(expect.objectContaining({ level: expect.any(Number) }));
      expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
      expect(JSON.parse(line).msg).not.toBe('forged');
    }
  });
});
