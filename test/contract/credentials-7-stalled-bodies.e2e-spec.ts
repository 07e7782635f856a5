import { createHash } from 'node:crypto';
import { LastUsed } from '../../src/auth/sessions/last-used.service.js';
import { digest } from '../../src/core/secrets.js';
import { Routes } from '../../src/policy/routes.js';
import { HARMLESS_OPERATIONS, OF_ACCOUNTS } from '../machine/account-operations.js';
import { setAcls } from '../support/admin.js';
import {
  type Authenticator,
  enforceSso,
  eventually,
  expectApiError,
  type Gatehouse,
  gatehouse,
  mailTo,
  newApp,
  newWebhook,
  type Persona,
  person,
  RawConnection,
  SoftwareAuthenticator,
  type TestResponse,
  withPasskey,
  withTotp,
} from '../support/index.js';

const ORIGIN = 'http://localhost:8080';
const CREDENTIALS = '/v1/users/@me/mfa/webauthn/credentials';
const PASSWORD = 'a password of the thief';

let service: Gatehouse;
beforeAll(async () => {
  service = await gatehouse({
    env: { WEBAUTHN_ORIGINS: ORIGIN, SMS_TRANSPORT: 'inbox', SSO_ALLOW_PRIVATE_ADDRESSES: 'true' },
  });
});
afterAll(() => service.close());

/** A user with every factor and every ACL. `stolen` is a session on a second device that was stolen. */
interface Owner extends Persona {
  readonly authenticator: Authenticator;
  readonly key: SoftwareAuthenticator;
  readonly stolen: string;
}

/** Body and path parameters with which a request would succeed. */
interface Prepared {
  readonly body?: object;
  /** Values of the path parameters. */
  readonly path?: Record<string, string>;
}

const ok = (response: TestResponse): TestResponse => {
  const { status, body } = response;
  expect({ status, body, isRight: [200, 201, 204].includes(status) }).toEqual({ status, body, isRight: true });
  return response;
};

const taken = new Map<string, number>();
/** Returns the code of the next unread email of this type. */
async function codeOf(address: string, type: string): Promise<string> {
  const count = (taken.get(`${type} ${address}`) ?? 0) + 1;
  taken.set(`${type} ${address}`, count);
  return (await mailTo(service, address, type, count)).metadata.code ?? '';
}
const mine = async (who: Owner, path: string, body: object = {}) =>
  ok(await service.as(who).post(`/v1/users/@me/${path}`, body)).body;
const sudo = ({ authenticator }: Owner) => ({ mfa_method: 'totp', mfa_code: authenticator.next() });
const asOwner = async (who: Owner): Promise<Prepared> => ({ body: sudo(who) });
const empty = async (): Promise<Prepared> => ({ body: {} });
const PERSONAL_TOKEN = { name: 'Script', scopes: ['identify'] };
async function newPersonalToken(who: Owner): Promise<string> {
  const input = { ...PERSONAL_TOKEN, ...sudo(who) };
  return ok(await service.as(who).post('/v1/users/@me/access-tokens', input)).body.id;
}
const body = (sent: object) => async (): Promise<Prepared> => ({ body: sent });

async function owner(): Promise<Owner> {
  const persona = await person(service, 'alice');
  const { email, password } = persona;
  const stolen = ok(await service.anonymous.post('/v1/auth/login', { email, password })).body.token;
  const { authenticator } = await withTotp(service, persona);
  const proof = { mfa_method: 'totp', mfa_code: authenticator.next() };
  const key = await withPasskey(service, persona, undefined, proof);
  await setAcls(service, persona, ['*']);
  return { ...persona, authenticator, key, stolen };
}

async function emailTicket(who: Owner, upTo: 'started' | 'agreed' | 'requested') {
  const to = `new.${who.email}`;
  const { ticket } = await mine(who, 'email-change/start');
  const code = await codeOf(who.email, 'email_change_original');
  if (upTo === 'started') return { ticket, code };
  const { original_proof } = await mine(who, 'email-change/verify-original', { ticket, code });
  if (upTo === 'agreed') return { ticket, original_proof, new_email: to };
  await mine(who, 'email-change/request-new', { ticket, original_proof, new_email: to });
  return { ticket, original_proof, code: await codeOf(to, 'email_change_new') };
}

/** Backdates the current codes, so that new ones can be requested immediately. */
const rested = (who: Owner) =>
  service.sql(
    `UPDATE one_time_secret SET payload = regexp_replace(payload::text, '"sentAt": "20..', '"sentAt": "2001', 'g')::jsonb
     WHERE account_id = $1`,
    [who.id],
  );

async function bounced(who: Owner) {
  const bounce = () =>
    service.sql('UPDATE account SET email_bounced = true, email_verified = false WHERE id = $1', [who.id]);
  await bounce();
  const to = `new.${who.email}`;
  const { ticket } = await mine(who, 'email-change/bounced/request-new', { new_email: to });
  return { ticket, code: await codeOf(to, 'email_change_new') };
}

async function passwordTicket(who: Owner) {
  const { ticket } = await mine(who, 'password-change/start');
  return { ticket, code: await codeOf(who.email, 'password_change') };
}

async function challenge(who: Owner) {
  const { ticket } = await mine(who, 'mfa/backup-codes/challenge');
  return { ticket, code: await codeOf(who.email, 'backup_codes_challenge') };
}

async function phone(who: Owner) {
  const number = `+4941${who.id.slice(-9)}`;
  await mine(who, 'phone/send-verification', { phone: number });
  return { phone: number, code: await codeOf(number, 'phone_verification') };
}

async function bridge(who: Owner): Promise<Prepared> {
  const nonce_hash = createHash('sha256').update('nonce').digest('hex');
  const { ceremony_id: id } = await mine(who, 'passkey-bridge', { runner: 'native', nonce_hash });
  const at = `/v1/auth/passkey-bridge/${id}`;
  const { options } = ok(await service.anonymous.post(`${at}/options`)).body;
  const { completion_code } = ok(
    await service.anonymous.post(`${at}/complete`, { response: who.key.get(options) }),
  ).body;
  return { path: { ceremony_id: id }, body: { nonce: 'nonce', completion_code } };
}

async function handoff(who: Owner): Promise<Prepared> {
  const { code } = ok(await service.anonymous.post('/v1/auth/handoff/initiate')).body;
  ok(await service.anonymous.get(`/v1/auth/handoff/${code}/info`));
  return { body: { code, user_id: who.id } };
}

const application =
  (more: (who: Owner) => object) =>
  async (who: Owner): Promise<Prepared> => {
    const { id } = await newApp(service, who);
    return { path: { id }, body: more(who) };
  };

const another =
  (sent: object = {}) =>
  async (): Promise<Prepared> => ({ path: { user_id: (await person(service, 'bob')).id }, body: sent });

let roles = 0;

/** Creates a role and returns the parameter of its path. */
async function newRole(who: Owner): Promise<{ role_id: string }> {
  const { body: role } = ok(await service.as(who).post('/v1/admin/roles', { name: `Old ${++roles}`, acls: [] }));
  return { role_id: role.id };
}

let [connections, identities] = [0, 0];
const newConnection = () => ({ id: `one-${++connections}`, kind: 'oidc', display_name: 'One' });

/** Creates a connection and returns the parameter of its path. */
async function storedConnection(who: Owner): Promise<{ id: string }> {
  const { body: made } = ok(await service.as(who).post('/v1/admin/connections', newConnection()));
  return { id: made.id };
}

/** Links an identity to the account and returns the parameter of its path. */
async function linkedIdentity(who: Owner): Promise<{ identity_id: string }> {
  const { id } = await storedConnection(who);
  await service.sql(
    `INSERT INTO connection_identity (id, connection_id, issuer, subject, account_id)
     VALUES ($1, $2, 'https://idp.example', 's', $3)`,
    [++identities, id, who.id],
  );
  return { identity_id: String(identities) };
}

/** A request to every route that changes how an account signs in. Each of them succeeds with a live session. */
const CHANGES: Record<string, (who: Owner) => Promise<Prepared>> = {
  'PATCH /v1/users/@me': async (who) => ({ body: { password: who.password, new_password: PASSWORD, ...sudo(who) } }),
  'PATCH /v1/users/@me/settings': body({ session_ip_authorization: false }),
  'DELETE /v1/users/@me/authorized-ips': asOwner,
  'POST /v1/users/@me/disable': asOwner,
  'POST /v1/users/@me/delete': asOwner,
  'POST /v1/users/@me/export': asOwner,
  'POST /v1/users/@me/lockdown': asOwner,
  'POST /v1/users/@me/terms-acceptance': empty,
  'DELETE /v1/users/@me/identities/:identity_id': async (who) => ({ path: await linkedIdentity(who), body: sudo(who) }),
  'POST /v1/users/@me/email-change/start': empty,
  'POST /v1/users/@me/email-change/resend-original': async (who) => {
    const { ticket } = await emailTicket(who, 'started');
    await rested(who);
    return { body: { ticket } };
  },
  'POST /v1/users/@me/email-change/verify-original': async (who) => ({ body: await emailTicket(who, 'started') }),
  'POST /v1/users/@me/email-change/request-new': async (who) => ({ body: await emailTicket(who, 'agreed') }),
  'POST /v1/users/@me/email-change/resend-new': async (who) => {
    const { ticket } = await emailTicket(who, 'requested');
    await rested(who);
    return { body: { ticket } };
  },
  'POST /v1/users/@me/email-change/verify-new': async (who) => ({ body: await emailTicket(who, 'requested') }),
  'POST /v1/users/@me/email-change/apply': async (who) => {
    const { email_token } = await mine(who, 'email-change/verify-new', await emailTicket(who, 'requested'));
    return { body: { email_token, ...sudo(who) } };
  },
  'POST /v1/users/@me/email-change/bounced/request-new': async (who) => {
    await service.sql('UPDATE account SET email_bounced = true, email_verified = false WHERE id = $1', [who.id]);
    return { body: { new_email: `new.${who.email}` } };
  },
  'POST /v1/users/@me/email-change/bounced/resend-new': async (who) => {
    const { ticket } = await bounced(who);
    await rested(who);
    return { body: { ticket } };
  },
  'POST /v1/users/@me/email-change/bounced/verify-new': async (who) => ({ body: await bounced(who) }),
  'POST /v1/users/@me/password-change/start': empty,
  'POST /v1/users/@me/password-change/resend': async (who) => {
    const { ticket } = await passwordTicket(who);
    await rested(who);
    return { body: { ticket } };
  },
  'POST /v1/users/@me/password-change/verify': async (who) => ({ body: await passwordTicket(who) }),
  'POST /v1/users/@me/password-change/complete': async (who) => {
    const sent = await passwordTicket(who);
    const { verification_proof } = await mine(who, 'password-change/verify', sent);
    return { body: { ticket: sent.ticket, verification_proof, new_password: PASSWORD } };
  },
  'POST /v1/users/@me/phone/send-verification': async (who) => ({ body: { phone: `+4941${who.id.slice(-9)}` } }),
  'POST /v1/users/@me/phone/verify': async (who) => ({ body: await phone(who) }),
  'POST /v1/users/@me/mfa/totp/enable': async (who) => {
    await service.sql('UPDATE account SET totp_secret = NULL WHERE id = $1', [who.id]);
    const code = who.authenticator.next();
    const options = await mine(who, 'sudo/webauthn/authentication-options');
    return {
      body: {
        ...{ secret: who.authenticator.secret.base32, code, mfa_method: 'webauthn' },
        ...{ webauthn_challenge: options.challenge, webauthn_response: who.key.get(options) },
      },
    };
  },
  'POST /v1/users/@me/mfa/totp/disable': async (who) => {
    const code = who.authenticator.next();
    return { body: { code, mfa_method: 'totp', mfa_code: code } };
  },
  'POST /v1/users/@me/mfa/backup-codes': async (who) => ({ body: { regenerate: true, ...sudo(who) } }),
  'POST /v1/users/@me/mfa/backup-codes/challenge': empty,
  'POST /v1/users/@me/mfa/backup-codes/challenge/resend': async (who) => {
    const { ticket } = await challenge(who);
    await rested(who);
    return { body: { ticket } };
  },
  'POST /v1/users/@me/mfa/backup-codes/challenge/verify': async (who) => ({ body: await challenge(who) }),
  'POST /v1/users/@me/mfa/backup-codes/challenge/regenerate': async (who) => {
    const sent = await challenge(who);
    const { verification_proof } = await mine(who, 'mfa/backup-codes/challenge/verify', sent);
    return { body: { ticket: sent.ticket, verification_proof } };
  },
  'POST /v1/users/@me/mfa/webauthn/credentials': async (who) => {
    const options = ok(await service.as(who).post(`${CREDENTIALS}/registration-options`, sudo(who))).body;
    const response = new SoftwareAuthenticator().create(options);
    return { body: { response, challenge: options.challenge, name: "the thief's" } };
  },
  'PATCH /v1/users/@me/mfa/webauthn/credentials/:credential_id': async (who) => ({
    path: { credential_id: who.key.id },
    body: { name: 'renamed', ...sudo(who) },
  }),
  'DELETE /v1/users/@me/mfa/webauthn/credentials/:credential_id': async (who) => ({
    path: { credential_id: who.key.id },
    body: sudo(who),
  }),
  'PUT /v1/users/@me/mfa/webauthn/two-factor': async (who) => ({ body: { enabled: true, ...sudo(who) } }),
  'POST /v1/users/@me/passkey-bridge/:ceremony_id/redeem': bridge,
  'POST /v1/users/@me/webhooks': body({ name: 'hook' }),
  'POST /v1/webhooks/:id/token/rotate': async (who) => ({
    path: { id: (await newWebhook(service, who)).id },
    body: sudo(who),
  }),
  'POST /v1/auth/handoff/complete': handoff,
  'POST /v1/auth/sessions/logout': async (who) => ({
    body: { session_id_hashes: [digest(who.authorization).toString('base64url')], ...sudo(who) },
  }),
  'POST /v1/oauth2/applications': body({ name: 'app' }),
  'PATCH /v1/oauth2/applications/:id': application(() => ({ redirect_uris: ['https://thief.example/'] })),
  'PATCH /v1/oauth2/applications/:id/bot': application(() => ({ bio: 'another' })),
  'DELETE /v1/oauth2/applications/:id': application(sudo),
  'POST /v1/oauth2/applications/:id/bot/reset-token': application(sudo),
  'POST /v1/oauth2/applications/:id/client-secret/reset': application(sudo),
  'POST /v1/oauth2/applications/:id/bot/tokens': application(sudo),
  'DELETE /v1/oauth2/applications/:id/bot/tokens/:token_id': async (who) => {
    const { id } = await newApp(service, who);
    const path = `/v1/oauth2/applications/${id}/bot/tokens`;
    const { body: token } = ok(await service.as(who).post(path, sudo(who)));
    return { path: { id, token_id: token.id }, body: sudo(who) };
  },
  'POST /v1/users/@me/access-tokens': async (who) => ({ body: { ...PERSONAL_TOKEN, ...sudo(who) } }),
  'PATCH /v1/users/@me/access-tokens/:id': async (who) => ({
    path: { id: await newPersonalToken(who) },
    body: { name: 'another' },
  }),
  'DELETE /v1/users/@me/access-tokens/:id': async (who) => ({ path: { id: await newPersonalToken(who) }, body: {} }),
  'POST /v1/oauth2/authorize/consent': async (who) => {
    const { id, redirectUri } = await newApp(service, who);
    return { body: { client_id: id, redirect_uri: redirectUri, scope: 'identify' } };
  },
  'DELETE /v1/oauth2/@me/authorizations/:applicationId': async (who) => ({
    path: { applicationId: (await newApp(service, who)).id },
    body: {},
  }),
  'POST /v1/oauth2/@me/authorizations/revoke': async (who) => ({
    body: { application_ids: [(await newApp(service, who)).id] },
  }),
  'POST /v1/setup': async () => {
    const token = 'a token of the console';
    const value = { digest: digest(token).toString('hex'), void: false };
    await service.sql("UPDATE account SET acls = '{}'");
    await service.sql(
      `INSERT INTO instance (name, value) VALUES ('setup_token', $1)
       ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      [value],
    );
    return { body: { token } };
  },
  'POST /v1/admin/api-keys': body({ name: 'key', acls: ['*'] }),
  'PATCH /v1/admin/api-keys/:key_id': async (who) => {
    const { body: key } = ok(await service.as(who).post('/v1/admin/api-keys', { name: 'key', acls: [] }));
    return { path: { key_id: key.key_id }, body: { acls: ['*'] } };
  },
  'DELETE /v1/admin/api-keys/:key_id': async (who) => {
    const { body: key } = ok(await service.as(who).post('/v1/admin/api-keys', { name: 'key', acls: [] }));
    return { path: { key_id: key.key_id }, body: {} };
  },
  'PATCH /v1/admin/applications/:application_id': async (who) => ({
    path: { application_id: (await newApp(service, who)).id },
    body: { new_owner_id: (await person(service, 'bob')).id },
  }),
  'PATCH /v1/admin/instance/config': body({ registration: { initial_suspicious_flags: 0 } }),
  'PATCH /v1/admin/instance/pending-registrations/:user_id': async () => {
    const bob = await person(service, 'bob');
    await service.sql("UPDATE account SET traits = '{registration_pending_approval}' WHERE id = $1", [bob.id]);
    return { path: { user_id: bob.id }, body: { status: 'approved' } };
  },
  'POST /v1/admin/roles': async (who) => ({ body: { name: `Role ${who.id}`, acls: ['*'] } }),
  'PATCH /v1/admin/roles/:role_id': async (who) => ({ path: await newRole(who), body: { acls: ['*'] } }),
  'DELETE /v1/admin/roles/:role_id': async (who) => ({ path: await newRole(who), body: {} }),
  ...Object.fromEntries(
    Object.entries(OF_ACCOUNTS)
      .filter(([route]) => route.includes('/v1/admin/users/'))
      .map(([route, { body: sent }]) => [route, another(sent)]),
  ),
  'POST /v1/admin/connections': async () => ({ body: newConnection() }),
  'PATCH /v1/admin/connections/:id': async (who) => ({ path: await storedConnection(who), body: { position: 9 } }),
  'DELETE /v1/admin/connections/:id': async (who) => ({ path: await storedConnection(who), body: { identities: 0 } }),
  'PUT /v1/admin/users/:user_id/acls': another({ acls: ['*'] }),
  'PATCH /v1/admin/users/:user_id/email': async (who) => another({ email: `bob.${who.email}` })(),
  'DELETE /v1/admin/users/:user_id/access-tokens/:token_id': async () => {
    const other = await owner();
    return { path: { user_id: other.id, token_id: await newPersonalToken(other) }, body: {} };
  },
  'PUT /v1/admin/users/:user_id/sso-identity': async (who) => {
    await enforceSso(service, false);
    return another({ subject: who.id })();
  },
  'DELETE /v1/admin/users/:user_id/webauthn-credentials/:credential_id': async () => {
    const bob = await person(service, 'bob');
    const key = await withPasskey(service, bob);
    return { path: { user_id: bob.id, credential_id: key.id }, body: {} };
  },
};

/** Routes with an identity that do not change how an account signs in, and the reason. */
const HARMLESS: Record<string, string> = {
  ...HARMLESS_OPERATIONS,
  'POST /v1/auth/logout': 'ends the calling session itself',
  'POST /v1/auth/verify/resend': 'mails a token to the address that the account has',
  'POST /v1/users/@me/mfa/webauthn/credentials/registration-options': 'a challenge: the registration is checked',
  'POST /v1/users/@me/passkey-bridge': 'a ceremony: its redemption is checked',
  'POST /v1/users/@me/sudo/webauthn/authentication-options': 'a challenge: what it proves is checked',
  'POST /v1/users/@me/identities/start': 'a state: its completion is checked',
  'POST /v1/users/@me/identities/complete': 'the session is checked after the provider: connections-3-identities',
  'POST /v1/media/external': 'signs the address of a picture',
  'POST /v1/media/uploads': 'a place for a file',
  'POST /v1/media/uploads/complete': 'a file',
  'PATCH /v1/webhooks/:id': 'name and picture',
  'DELETE /v1/webhooks/:id': 'takes a credential away',
  'POST /v1/admin/instance/sso/test': 'changes nothing',
  'POST /v1/admin/connections/:id/test': 'changes nothing',
};

/** Excludes challenges: consuming one without success gives an attacker no advantage. */
const SPENT = "WHERE purpose NOT LIKE 'webauthn-%'";

/** Returns hashes of all rows that determine which users can sign in, or how. */
async function facts(): Promise<unknown> {
  const tables = [
    ...['account', 'account_settings', 'passkey', 'backup_code', 'application', 'admin_key', 'webhook', 'sso_identity'],
    ...['authorized_ip', 'oauth_code', 'oauth_family', 'one_time_secret', 'outbox', 'instance', 'audit_log'],
    ...['admin_role', 'connection', 'connection_identity'],
  ];
  const columns =
    "to_jsonb(t) - '{last_active_at,last_active_ip,totp_last_step,sent_at,attempts,next_attempt_at,payload,counter,last_used_at}'::text[]";
  const rows: Record<string, unknown> = {};
  for (const table of tables) {
    rows[table] = await service.sql(`SELECT md5(string_agg(r, ',' ORDER BY r)) AS hash, count(*)::int AS n
      FROM (SELECT (${columns})::text AS r FROM ${table} t ${table === 'one_time_secret' ? SPENT : ''}) rows`);
  }
  rows.sessions = await service.sql('SELECT id FROM session WHERE revoked_at IS NULL ORDER BY id');
  return rows;
}

const targetOf = (template: string, path: Record<string, string> = {}): string =>
  template.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(path[name] ?? ''));

/** Sends a request except for its last byte, and waits until the service has accepted its credential. */
async function stall(who: Owner, route: string, { path = {}, body: sent = {} }: Prepared): Promise<RawConnection> {
  const [method = '', template = ''] = route.split(' ');
  const target = targetOf(template, path);
  const text = JSON.stringify(sent);
  await service.sql("UPDATE session SET last_used_at = now() - interval '2 minutes' WHERE digest = $1", [
    digest(who.stolen),
  ]);
  const connection = await RawConnection.open(service);
  connection.send(
    [
      ...[`${method} ${target} HTTP/1.1`, 'Host: gatehouse.test', `Authorization: ${who.stolen}`],
      ...['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(text)}`, '', text.slice(0, -1)],
    ].join('\r\n'),
  );
  await eventually('the resolution of the credential', async () => {
    await service.app.get(LastUsed).flushNow();
    const [row] = await service.sql(
      "SELECT last_used_at > now() - interval '1 minute' AS is_used FROM session WHERE digest = $1",
      [digest(who.stolen)],
    );
    return row?.is_used ? true : undefined;
  });
  return connection;
}

describe('credentials.md section 7 a request that began before a revocation', () => {
  test('every route with an identity has a row or a reason', () => {
    const routes = service.app.get(Routes).all.filter(({ method, policy }) => {
      const hasIdentity = !['Public', 'CredentialFree', 'ClientAuth', 'BearerOnly'].includes(policy.kind);
      return hasIdentity && method !== 'GET';
    });
    const known = routes.map(({ method, path }) => `${method} ${path}`).sort();
    expect([...Object.keys(CHANGES), ...Object.keys(HARMLESS)].sort()).toEqual(known);
  });

  test.each(Object.keys(CHANGES))('%s has no effect if its body stalls until its session is over', async (route) => {
    const who = await owner();
    const request = await (CHANGES[route] as (typeof CHANGES)[string])(who);
    const connection = await stall(who, route, request);
    try {
      ok(await service.as(who.stolen).post('/v1/auth/logout'));
      await service.idle();
      const before = await facts();
      connection.send('}');
      expectApiError(await connection.readResponse(), 'UNAUTHORIZED');
      await service.idle();
      expect(await facts()).toEqual(before);
    } finally {
      connection.close();
    }
    // The same request with a live session succeeds, so the ended session was the only reason for the error.
    const [method = '', template = ''] = route.split(' ');
    const { path, body: sent = {} } = await (CHANGES[route] as (typeof CHANGES)[string])(who);
    ok(await service.as(who).send(method, targetOf(template, path), sent));
  });

  test.each([
    ...['PATCH /v1/users/@me/settings', 'POST /v1/users/@me/email-change/start', 'POST /v1/oauth2/applications'],
    ...['POST /v1/admin/api-keys', 'POST /v1/auth/handoff/complete', 'POST /v1/users/@me/webhooks'],
  ])('%s has no effect if the epoch was raised in the meantime and its session is still valid', async (route) => {
    const who = await owner();
    const request = await (CHANGES[route] as (typeof CHANGES)[string])(who);
    // Created before the body begins: a new code advances the clock by more than the time that a body may stall.
    const code = who.authenticator.next();
    const connection = await stall(who, route, request);
    try {
      ok(await service.as(who).post('/v1/users/@me/mfa/totp/disable', { code, mfa_method: 'totp', mfa_code: code }));
      const before = await facts();
      connection.send('}');
      expectApiError(await connection.readResponse(), 'UNAUTHORIZED');
      expect(await facts()).toEqual(before);
    } finally {
      connection.close();
    }
  });
});
