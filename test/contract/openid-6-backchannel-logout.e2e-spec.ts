import { createLocalJWKSet, decodeJwt, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { LastUsed } from '../../src/auth/sessions/last-used.service.js';
import { SessionSweep } from '../../src/auth/sessions/session-sweep.service.js';
import { LogoutReceiver } from '../machine/logout-receiver.js';
import { superuser } from '../support/admin.js';
import {
  type App,
  changeEmail,
  eraseAccount,
  eventually,
  exchange,
  type Gatehouse,
  gatehouse,
  mailTo,
  newApp,
  newCode,
  type Persona,
  person,
  refresh,
  runCleanup,
  runJobs,
  signIn,
  type TestResponse,
  type Tokens,
  verifiedPerson,
} from '../support/index.js';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const NEW_PASSWORD = 'a password after all of this';

let service: Gatehouse;
let receiver: LogoutReceiver;
let admin: Persona;
let app: App;
let keys: JWTVerifyGetKey;
beforeAll(async () => {
  receiver = await LogoutReceiver.start();
  service = await gatehouse({
    env: {
      ...{ BACKCHANNEL_ALLOW_PRIVATE_ADDRESSES: 'true', SESSIONS_PER_ACCOUNT: '4', SESSION_MAX_SECONDS: '86400' },
      IP_AUTHORIZATION: 'off',
    },
  });
  admin = await superuser(service);
  app = await newApp(service, admin, { backchannel_logout_uri: receiver.url });
  keys = createLocalJWKSet((await service.anonymous.get('/.well-known/jwks.json')).body);
});
afterAll(async () => {
  await service.close();
  await receiver.stop();
});

const ok = ({ status, body }: TestResponse) => {
  if (status < 200 || status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
};

interface SignedIn {
  readonly authorization: string;
  readonly sid: string;
  readonly tokens: Tokens;
}

/** Signs a session in at an application. */
async function signInAt(authorization: string, at = app): Promise<SignedIn> {
  const code = await newCode(service, { authorization }, at, { scope: 'openid' });
  const tokens = ok(await exchange(service, at, code));
  return { authorization, tokens, sid: String(decodeJwt(tokens.id_token).sid) };
}

interface Visitor extends Persona {
  readonly first: SignedIn;
  readonly second: SignedIn;
}

/** A user with two sessions, both signed in at the application. */
async function visitor(): Promise<Visitor> {
  const who = await verifiedPerson(service, 'visitor');
  return { ...who, first: await signInAt(who.authorization), second: await signInAt(await signIn(service, who)) };
}

const sidsOf = (from: readonly SignedIn[]) => from.map(({ sid }) => sid).sort();
const received = (jti?: string) => receiver.received.filter((one) => jti === undefined || one.jti === jti);

/** Waits until every logout token was delivered, and returns the `sid` of those after `before`. */
async function delivered(before: number): Promise<string[]> {
  await eventually('all deliveries', async () => {
    const waiting = await service.sql('SELECT 1 FROM backchannel_logout WHERE ended_at IS NULL');
    return waiting.length === 0 ? true : undefined;
  });
  return receiver.received
    .slice(before)
    .map(({ sid }) => sid)
    .sort();
}

const act = {
  admin: (path: string, { id }: Persona, method: 'put' | 'delete' | 'patch', body: object = {}) =>
    service.as(admin)[method](`/v1/admin/users/${id}/${path}`, body),
};

type Ends = 'first' | 'second' | 'both';
/** Every way of ending sessions, with the sessions of the visitor that end. */
const WAYS: [string, Ends, (who: Visitor) => Promise<unknown>][] = [
  ['logout', 'second', async ({ second }) => ok(await service.as(second.authorization).post('/v1/auth/logout'))],
  [
    'termination in the list of sessions',
    'second',
    async (who) => {
      const list = ok(await service.as(who).get('/v1/auth/sessions')) as { id_hash: string; current: boolean }[];
      const session_id_hashes = list.filter(({ current }) => !current).map(({ id_hash }) => id_hash);
      ok(await service.as(who).post('/v1/auth/sessions/logout', { session_id_hashes, password: who.password }));
    },
  ],
  [
    'password reset',
    'both',
    async ({ email }) => {
      ok(await service.anonymous.post('/v1/auth/forgot', { email }));
      const { token } = (await mailTo(service, email, 'password_reset')).metadata;
      ok(await service.anonymous.post('/v1/auth/reset', { token, password: NEW_PASSWORD }));
    },
  ],
  [
    'email revert',
    'both',
    async (who) => {
      const token = await changeEmail(service, who, {
        to: `thief.${who.email}`,
        proof: () => ({ password: who.password }),
      });
      ok(await service.anonymous.post('/v1/auth/email-revert', { token, password: NEW_PASSWORD }));
    },
  ],
  [
    'disable by the owner',
    'both',
    async (who) => ok(await service.as(who).post('/v1/users/@me/disable', { password: who.password })),
  ],
  [
    'scheduled deletion by the owner',
    'both',
    async (who) => ok(await service.as(who).post('/v1/users/@me/delete', { password: who.password })),
  ],
  [
    'lockdown',
    'second',
    async (who) => ok(await service.as(who).post('/v1/users/@me/lockdown', { password: who.password })),
  ],
  ['termination by an administrator', 'both', async (who) => ok(await act.admin('sessions', who, 'delete'))],
  ['ban', 'both', async (who) => ok(await act.admin('ban', who, 'put', { duration_hours: 1 }))],
  [
    'disable for suspicious activity',
    'both',
    async (who) => ok(await act.admin('suspicious-activity-disablement', who, 'put', { flags: 1 })),
  ],
  [
    'scheduled deletion by an administrator',
    'both',
    async (who) => ok(await act.admin('deletion', who, 'put', { reason_code: 1 })),
  ],
  [
    'rejection of a pending registration',
    'both',
    async ({ id }) => {
      await service.sql("UPDATE account SET traits = traits || '{registration_pending_approval}' WHERE id = $1", [id]);
      ok(await service.as(admin).patch(`/v1/admin/instance/pending-registrations/${id}`, { status: 'rejected' }));
    },
  ],
  [
    'report of the leaked session token',
    'second',
    async ({ second }) => {
      ok(await service.anonymous.post('/v1/credentials/revoke', { credentials: [second.authorization] }));
      await runJobs(service);
    },
  ],
  [
    'a sign-in above the limit of sessions',
    'first',
    async (who) => {
      // A use that is written later would make this session the most recently used one.
      await service.app.get(LastUsed).flushNow();
      await service.sql(
        `UPDATE session SET last_used_at = now() - interval '1 hour'
         WHERE id = (SELECT min(id) FROM session WHERE account_id = $1)`,
        [who.id],
      );
      for (let count = 0; count < 3; count++) await signIn(service, who);
    },
  ],
  [
    'expiry',
    'first',
    async ({ id }) => {
      await service.sql(
        `UPDATE session SET created_at = now() - interval '2 days'
         WHERE id = (SELECT min(id) FROM session WHERE account_id = $1)`,
        [id],
      );
      await runCleanup(service);
    },
  ],
  ['erasure of the account', 'both', (who) => eraseAccount(service, who)],
  [
    'sessions revoke of the command line',
    'both',
    async () => {
      await service.app.get(SessionSweep).revokeSince(new Date(0), async () => {});
      const login = ok(
        await service.anonymous.post('/v1/auth/login', { email: admin.email, password: admin.password }),
      );
      Object.assign(admin, { authorization: login.token });
    },
  ],
  ['deletion of the rows', 'both', ({ id }) => service.sql('DELETE FROM session WHERE account_id = $1', [id])],
  ['deletion of the account row', 'both', ({ id }) => service.sql('DELETE FROM account WHERE id = $1', [id])],
];

describe('6 logout by the service', () => {
  test.each(WAYS)('%s: a logout token for each session that ended', async (_, ends, end) => {
    const who = await visitor();
    const before = receiver.received.length;
    await end(who);
    // Statements outside the service wake nothing. The service also looks on its own, every few seconds.
    const ended = ends === 'both' ? [who.first, who.second] : [who[ends]];
    await eventually('the tokens', async () => (receiver.received.length >= before + ended.length ? true : undefined));
    await delivered(before);
    const own = receiver.received.slice(before).filter(({ token }) => decodeJwt(token).sub === who.id);
    expect(own.map(({ sid }) => sid).sort()).toEqual(sidsOf(ended));
    for (const { token, contentType } of own) {
      expect(contentType).toBe('application/x-www-form-urlencoded');
      const { payload, protectedHeader } = await jwtVerify(token, keys, {
        ...{ audience: app.id, typ: 'logout+jwt', currentDate: service.clock.date() },
      });
      expect(protectedHeader).toMatchObject({ alg: 'RS256', kid: expect.any(String) });
      expect(payload).toEqual({
        ...{ iss: decodeJwt((who.first.tokens as { id_token?: string }).id_token ?? '').iss, aud: app.id, sub: who.id },
        ...{ iat: expect.any(Number), exp: (payload.iat ?? 0) + 120, jti: expect.stringMatching(/^[\da-f-]{36}$/) },
        ...{ sid: expect.stringMatching(/^[\w-]{22}$/), events: { [EVENT]: {} } },
      });
      expect(received(String(payload.jti))).toHaveLength(1);
    }
  });

  test('a password change ends the other sessions; the own one keeps its sid and is not reported', async () => {
    const who = await visitor();
    const before = receiver.received.length;
    const change = { password: who.password, new_password: NEW_PASSWORD };
    const { token } = ok(await service.as(who).patch('/v1/users/@me', change));
    expect(await delivered(before)).toEqual([who.second.sid]);
    const { body } = await refresh(service, app, who.first.tokens.refresh_token);
    expect(decodeJwt(body.id_token).sid).toBe(who.first.sid);
    ok(await service.as(token).post('/v1/auth/logout'));
    expect(await delivered(before)).toEqual(sidsOf([who.first, who.second]));
  });

  test('each application gets its own token, with its algorithm; one without an ID token gets none', async () => {
    const other = await newApp(service, admin, {
      ...{ backchannel_logout_uri: receiver.url, id_token_signed_response_alg: 'ES256' },
    });
    const silent = await newApp(service, admin, { backchannel_logout_uri: receiver.url });
    const without = await newApp(service, admin);
    const who = await person(service, 'who');
    const before = receiver.received.length;
    const both = [await signInAt(who.authorization), await signInAt(who.authorization, other)];
    await signInAt(who.authorization, without);
    ok(await exchange(service, silent, await newCode(service, who, silent)));
    ok(await service.as(who).post('/v1/auth/logout'));
    expect(await delivered(before)).toEqual(sidsOf(both));
    for (const { token } of receiver.received.slice(before)) {
      const isOther = decodeJwt(token).aud === other.id;
      const algorithms = [isOther ? 'ES256' : 'RS256'];
      await jwtVerify(token, keys, { algorithms, typ: 'logout+jwt', currentDate: service.clock.date() });
    }
  });

  test('a session whose end is rolled back is not reported, and one that has ended is reported once', async () => {
    const who = await visitor();
    const before = receiver.received.length;
    const ids = 'SELECT id FROM session WHERE account_id = $1';
    await expect(
      service.sql(`UPDATE session SET revoked_at = now() WHERE id IN (${ids}) AND 1 / 0 = 1`, [who.id]),
    ).rejects.toThrow();
    ok(await service.as(who.second.authorization).post('/v1/auth/logout'));
    await service.sql(`DELETE FROM session WHERE account_id = $1 AND revoked_at IS NOT NULL`, [who.id]);
    ok(await service.as(who).post('/v1/auth/logout'));
    expect(await delivered(before)).toEqual(sidsOf([who.first, who.second]));
  });

  test('the IDs of account and session are deleted with the delivery', async () => {
    const rows = await service.sql('SELECT 1 FROM backchannel_logout WHERE account_id IS NOT NULL OR sid IS NOT NULL');
    expect(rows).toEqual([]);
  });
});
