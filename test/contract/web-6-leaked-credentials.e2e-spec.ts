import { AsyncLocalStorage } from 'node:async_hooks';
import { crc32 } from 'node:zlib';
import { jest } from '@jest/globals';
import pg from 'pg';
import type { QueryRunner } from 'typeorm';
import { SessionService } from '../../src/auth/sessions/sessions.service.js';
import { digest } from '../../src/core/secrets.js';
import { LeakReportJobs1797680000000 } from '../../src/migrations/1797680000000-leak-report-jobs.js';
import { LeakReports } from '../../src/protection/leak-reports.service.js';
import { adminKey, auditOf, setAcls } from '../support/admin.js';
import {
  type CreatedWebhook,
  consent,
  eventually,
  expectInvalid,
  type Gatehouse,
  GatewayClient,
  gatehouse,
  inboxAfterDelivery,
  isTokenActive,
  newApp,
  newTokens,
  newWebhook,
  type Persona,
  refresh,
  runJobs,
  signIn,
  type TestResponse,
  verifiedPerson,
  withGatehouse,
} from '../support/index.js';

const REVOKE = '/v1/credentials/revoke';
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const checksumOf = (text: string): string => {
  let [rest, digits] = [crc32(text), ''];
  for (; digits.length < 6; rest = Math.floor(rest / 62)) digits = `${DIGITS[rest % 62]}${digits}`;
  return digits.slice(-4);
};

let service: Gatehouse;
beforeAll(async () => {
  service = await gatehouse();
});
afterAll(() => service.close());

const ok = ({ status, body }: TestResponse) => {
  if (status !== 200 && status !== 204) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
};
const report = async (...credentials: unknown[]) => {
  const response = await service.anonymous.post(REVOKE, { credentials });
  expect([response.status, response.body]).toEqual([202, {}]);
  // Only one report is processed at a time, also if many are sent.
  await eventually('the end of every report', async () => {
    await runJobs(service);
    return (await service.sql('SELECT 1 FROM leak_report')).length === 0 ? true : undefined;
  });
};
const works = async (credential: string, path = '/v1/users/@me') =>
  (await service.as(credential).get(path)).status === 200;
const factsOf = async ({ id }: { id: string }, type: string) => {
  const query = 'SELECT data FROM security_event WHERE account_id = $1 AND type = $2 ORDER BY id';
  return (await service.sql(query, [id, type])).map(({ data }) => data);
};
const leakAudit = async ({ id }: { id: string }) =>
  (await auditOf(service, 'end_leaked_credential')).filter(({ target_id }) => target_id === id);
const noticesOf = async ({ email }: Persona) =>
  (await inboxAfterDelivery(service, email, 'security_notice')).filter(
    ({ metadata }) => metadata.event === 'credential_leaked',
  );

describe('web.md 6: a reported credential of each kind', () => {
  test('a session ends with its socket; the owner is notified, and the audit log names the kind and not the value', async () => {
    const owner = await verifiedPerson(service, 'owner');
    const leaked = await signIn(service, owner);
    const { client: socket } = await GatewayClient.identify(service, leaked);
    await report(leaked);
    expect((await socket.closed())[0]).toBe(4004);
    expect([await works(leaked), await works(owner.authorization)]).toEqual([false, true]);
    expect(await factsOf(owner, 'credential_leaked')).toEqual([{ kind: 'session' }]);
    expect(await factsOf(owner, 'session_ended')).toEqual([{ by: 'finder', reason: 'leaked' }]);
    const [entry, ...more] = await leakAudit(owner);
    expect(more).toEqual([]);
    expect(entry).toMatchObject({ admin_user_id: '0', target_type: 'user', metadata: { kind: 'session' } });
    const [notice] = await noticesOf(owner);
    expect(notice?.text).toContain('/auth/lockdown#token=');
    const written =
      JSON.stringify([entry, notice, await service.sql('SELECT * FROM security_event')]) + service.log.join('');
    expect(written).not.toContain(leaked);
  });

  test('the token of a bot is replaced by one that is not shown', async () => {
    const owner = await verifiedPerson(service, 'owner');
    const app = await newApp(service, owner);
    await report(app.bot);
    expect(await works(app.bot)).toBe(false);
    const [row] = await service.sql('SELECT bot_digest FROM application WHERE id = $1', [app.id]);
    expect(row?.bot_digest).toHaveLength(32);
    expect(await factsOf(owner, 'credential_leaked')).toEqual([{ kind: 'bot' }]);
    expect(await factsOf(owner, 'bot_token_reset')).toEqual([
      { application_id: app.id, name: 'Client', by: 'finder', reason: 'leaked' },
    ]);
  });

  test.each(['access_token', 'refresh_token'] as const)('an %s revokes its grant', async (which) => {
    const [owner, alice] = [await verifiedPerson(service, 'owner'), await verifiedPerson(service, 'alice')];
    const [app, other] = [await newApp(service, owner), await newApp(service, owner)];
    const [tokens, others] = [await newTokens(service, alice, app), await newTokens(service, alice, other)];
    await report(tokens[which]);
    expect([
      await isTokenActive(service, tokens.access_token),
      await isTokenActive(service, others.access_token),
    ]).toEqual([false, true]);
    expect((await refresh(service, app, tokens.refresh_token)).body.code).toBe('INVALID_GRANT');
    expect(await factsOf(alice, 'credential_leaked')).toEqual([{ kind: 'oauth2_token' }]);
    expect(await factsOf(owner, 'credential_leaked')).toEqual([]);
    expect((await consent(service, alice, app)).status).toBe(200);
  });

  test('an Admin API key is deleted', async () => {
    const owner = await verifiedPerson(service, 'owner');
    await setAcls(service, owner, ['*']);
    const { authorization } = await adminKey(service, owner, 'admin_api_key:manage');
    expect(await works(authorization, '/v1/admin/api-keys')).toBe(true);
    await report(authorization.slice('Admin '.length));
    expect(await works(authorization, '/v1/admin/api-keys')).toBe(false);
    expect(await factsOf(owner, 'credential_leaked')).toEqual([{ kind: 'admin_key' }]);
  });

  test('the URL of a webhook stops working; for that of a bot, its owner is notified', async () => {
    const owner = await verifiedPerson(service, 'owner');
    const app = await newApp(service, owner);
    const [own, ofBot] = [await newWebhook(service, owner), await newWebhook(service, app.bot)];
    await report(own.url, `${ofBot.url}/slack?wait=true`);
    for (const { path } of [own, ofBot]) expect((await service.anonymous.get(path)).status).toBe(404);
    expect((await service.as(owner).get(`/v1/webhooks/${own.id}`)).status).toBe(200);
    expect(await factsOf(owner, 'credential_leaked')).toEqual([{ kind: 'webhook' }, { kind: 'webhook' }]);
  });
});

describe('web.md 6: POST /v1/credentials/revoke', () => {
  test('responds in the same way to any value, and does not change unknown values', async () => {
    const owner = await verifiedPerson(service, 'owner');
    const app = await newApp(service, owner);
    const hook = await newWebhook(service, owner);
    const foreign = app.bot.replace(/\d+\./, '999999999999999999999.');
    const junk = [
      ...[
        'x',
        'Bearer',
        `flx_${'a'.repeat(36)}`,
        'A'.repeat(43),
        `fa_1_${'a'.repeat(32)}`,
        foreign.slice('Bot '.length),
      ],
      ...[
        `${app.id}.${'a'.repeat(43)}`,
        hook.url.slice(0, -1),
        `https://else.example/webhooks/${hook.id}/${'a'.repeat(64)}`,
      ],
    ];
    await report(...junk, ...Array.from({ length: 100 - junk.length }, (_, n) => `${n} 💥`));
    expect([await works(owner.authorization), await works(app.bot)]).toEqual([true, true]);
    expect((await service.anonymous.get(hook.path)).status).toBe(200);
    expect(await leakAudit(owner)).toEqual([]);
  });

  test('the response waits for the same statements for any value, and not for the revocation', async () => {
    const reporting = new AsyncLocalStorage<string[]>();
    const connections = pg.Client.prototype as unknown as { query: (...args: unknown[]) => unknown };
    const { query } = connections;
    const spy = jest.spyOn(connections, 'query').mockImplementation(function (this: unknown, ...args) {
      const [first] = args as [string | { text: string }];
      reporting.getStore()?.push(typeof first === 'string' ? first : first.text);
      return query.apply(this, args);
    });
    await withGatehouse({}, async (service) => {
      const reports = service.app.get(LeakReports);
      const alice = await verifiedPerson(service, 'alice');
      const app = await newApp(service, alice);
      const { refresh_token } = await newTokens(service, alice, app);
      const hook = await newWebhook(service, alice);
      const take = reports.enqueue.bind(reports);
      let requested: string[] = [];
      jest.spyOn(reports, 'enqueue').mockImplementation((...args) => reporting.run(requested, take, ...args));
      const workFor = async (credentials: string[]) => {
        requested = [];
        const { status, body } = await service.anonymous.post(REVOKE, { credentials });
        return { status, body, asked: requested };
      };
      // The first job of a process makes its name known.
      await workFor(['junk']);
      const junk = await workFor(['junk']);
      expect(junk).toMatchObject({ status: 202, body: {} });
      expect(junk.asked.map((text) => /INSERT INTO (\w+)/.exec(text)?.[1]).filter(Boolean)).toEqual([
        ...['leak_report', 'pgboss_job'],
      ]);
      const known = [alice.authorization, app.bot, refresh_token, hook.url];
      for (const credential of known) expect(await workFor([credential])).toEqual(junk);
      expect(await workFor(known)).toEqual(junk);
      expect((await service.as(alice).get('/v1/users/@me')).status).toBe(200);
      const rows = await service.sql('SELECT * FROM leak_report');
      expect(rows).toHaveLength(7);
      const jobs = await service.sql(`SELECT data FROM pgboss_job WHERE name = 'protection:revoke_leaked'`);
      expect(jobs).toHaveLength(7);
      for (const credential of known) expect(JSON.stringify([rows, jobs])).not.toContain(credential);
    });
    spy.mockRestore();
  });

  test('values that match the published patterns are revoked when reported', async () => {
    const owner = await verifiedPerson(service, 'owner');
    await setAcls(service, owner, ['*']);
    const [app, other] = [await newApp(service, owner), await newApp(service, owner)];
    const [first, second] = [await newTokens(service, owner, app), await newTokens(service, owner, other)];
    const [session, hook] = [await signIn(service, owner), await newWebhook(service, owner)];
    const { authorization: key } = await adminKey(service, owner, 'admin_api_key:manage');
    const input = { name: 'Script', scopes: ['identify'], password: owner.password };
    const { token } = (await service.as(owner).post('/v1/users/@me/access-tokens', input).expect(201)).body;
    const found: Record<string, { text: string; lives: () => Promise<boolean> }> = {
      personal_access_token: { text: token, lives: () => isTokenActive(service, token) },
      session: { text: session, lives: () => works(session) },
      bot: { text: app.bot, lives: () => works(app.bot) },
      oauth2_access: { text: first.access_token, lives: () => isTokenActive(service, first.access_token) },
      oauth2_refresh: { text: second.refresh_token, lives: () => isTokenActive(service, second.access_token) },
      admin_key: { text: key, lives: () => works(key, '/v1/admin/api-keys') },
      webhook: { text: hook.url, lives: async () => (await service.anonymous.get(hook.path)).status === 200 },
    };
    const { credential_patterns: patterns } = ok(await service.anonymous.get('/.well-known/service'));
    expect(Object.keys(patterns).sort()).toEqual(Object.keys(found).sort());
    for (const [kind, pattern] of Object.entries<string>(patterns)) {
      const { text, lives } = found[kind] as (typeof found)[string];
      expect([kind, await lives()]).toEqual([kind, true]);
      await report(new RegExp(pattern).exec(`secret: ${text}\n`)?.[0]);
      expect([kind, await lives()]).toEqual([kind, false]);
    }
  });

  test('a session token without a valid checksum, from earlier versions, is revoked like any other', async () => {
    const owner = await verifiedPerson(service, 'owner');
    const old = `flx_${'1'.repeat(36)}`;
    expect(old.slice(-4)).not.toBe(checksumOf(old.slice(0, -4)));
    await service.sql('UPDATE session SET digest = sha256($2::bytea) WHERE account_id = $1', [owner.id, old]);
    expect(await works(old)).toBe(true);
    await report(old);
    expect(await works(old)).toBe(false);
  });

  test('one that cannot be revoked does not block others, and is tried again', async () => {
    const owner = await verifiedPerson(service, 'owner');
    const [stuck, leaked] = [await signIn(service, owner), await newWebhook(service, owner)];
    const failing = jest.spyOn(service.app.get(SessionService), 'endLeaked').mockRejectedValueOnce(new Error('stuck'));
    const { status } = await service.anonymous.post(REVOKE, { credentials: [stuck, leaked.url] });
    expect(status).toBe(202);
    expect(await runJobs(service)).toBe(1);
    failing.mockRestore();
    expect([await works(stuck), (await service.anonymous.get(leaked.path)).status]).toEqual([true, 404]);
    expect(await runJobs(service)).toBe(0);
    expect(await runJobs(service, new Date(Date.now() + 60_000))).toBe(1);
    expect(await service.sql('SELECT 1 FROM leak_report')).toEqual([]);
    expect(await works(stuck)).toBe(false);
    expect(await factsOf(owner, 'credential_leaked')).toEqual([{ kind: 'webhook' }, { kind: 'session' }]);
  });

  test('one that was pending before an upgrade is processed', async () => {
    const owner = await verifiedPerson(service, 'owner');
    const token = await signIn(service, owner);
    const claims = JSON.stringify([{ kind: 'session', digest: digest(token).toString('base64') }]);
    await service.sql(`INSERT INTO leak_report (id, request_id, claims) VALUES (1, 'former', $1::jsonb)`, [claims]);
    expect(await runJobs(service)).toBe(0);
    await new LeakReportJobs1797680000000().up({ query: (text: string) => service.sql(text) } as QueryRunner);
    // The clock of the embedded database has milliseconds, and a job is due after its time.
    expect(await runJobs(service, new Date(Date.now() + 1000))).toBe(1);
    expect(await works(token)).toBe(false);
    expect(await service.sql('SELECT 1 FROM leak_report')).toEqual([]);
  });

  test('accepts 1 to 100 texts', async () => {
    const send = (credentials: unknown) => service.anonymous.post(REVOKE, { credentials });
    for (const wrong of [undefined, [], 'flx', Array(101).fill('x')]) {
      expectInvalid(await send(wrong), 'credentials: INVALID_FORMAT');
    }
    expectInvalid(await send(['x', 1, '']), 'credentials.1: INVALID_FORMAT', 'credentials.2: INVALID_FORMAT');
    expectInvalid(await send(['x'.repeat(2049)]), 'credentials.0: CONTENT_EXCEEDS_MAX_LENGTH');
  });

  test('100 of every kind in one call, each once, even if reported often', async () => {
    const owner = await verifiedPerson(service, 'owner');
    await setAcls(service, owner, ['*']);
    const app = await newApp(service, owner);
    const { access_token, refresh_token } = await newTokens(service, owner, app);
    // Sequential, because each request waits for a lock on the account. Parallel requests would time out.
    const [hooks, sessions, keys]: [CreatedWebhook[], string[], { authorization: string }[]] = [[], [], []];
    for (let n = 0; n < 40; n++) hooks.push(await newWebhook(service, owner));
    for (let n = 0; n < 50; n++) sessions.push(await signIn(service, owner));
    for (let n = 0; n < 6; n++) keys.push(await adminKey(service, owner, 'user:lookup'));
    const all = [
      ...[...sessions, ...hooks.map(({ url }) => url), ...keys.map(({ authorization }) => authorization)],
      ...[app.bot, access_token, refresh_token],
    ];
    expect(all).toHaveLength(99);
    await Promise.all(Array.from({ length: 32 }, () => report(...all, 'junk')));
    const kinds = (await factsOf(owner, 'credential_leaked')).map(({ kind }) => kind);
    const count = (wanted: string) => kinds.filter((kind) => kind === wanted).length;
    expect(['session', 'webhook', 'admin_key', 'bot', 'oauth2_token'].map(count)).toEqual([50, 40, 6, 1, 1]);
    expect(await leakAudit(owner)).toHaveLength(98);
    expect(await works(owner.authorization)).toBe(true);
  });
});

describe('web.md 6: recognizable tokens', () => {
  test('new session tokens end with a checksum of their other characters', async () => {
    const owner = await verifiedPerson(service, 'owner');
    for (const token of [owner.authorization, await signIn(service, owner), await signIn(service, owner)]) {
      expect(token).toMatch(/^flx_[A-Za-z0-9]{36}$/);
      expect(token.slice(-4)).toBe(checksumOf(token.slice(0, -4)));
    }
  });

  test('a token without a valid checksum, from earlier versions, stays valid', async () => {
    const owner = await verifiedPerson(service, 'owner');
    const old = `flx_${'0'.repeat(36)}`;
    expect(old.slice(-4)).not.toBe(checksumOf(old.slice(0, -4)));
    await service.sql('UPDATE session SET digest = sha256($2::bytea) WHERE account_id = $1', [owner.id, old]);
    expect(await works(old)).toBe(true);
  });
});
