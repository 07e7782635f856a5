import { createHash, randomBytes } from 'node:crypto';
import { ACCOUNT_ATTEMPTS } from '../../src/auth/factors/mfa-tickets.service.js';
import type { SignInMethod } from '../../src/auth/sessions/issuance.service.js';
import { featureRegistry } from '../../src/features.js';
import { connect, startLink, startVisit } from '../machine/connections.js';
import { adminKey, superuser } from '../support/admin.js';
import {
  asApp,
  changeEmail,
  consent,
  expectApiError,
  type Gatehouse,
  logIn,
  mailTo,
  newApp,
  newTokens,
  newWebhook,
  type Persona,
  passkeyAsSecondFactor,
  passkeySudo,
  person,
  type Race,
  race,
  runJobs,
  type SoftwareAuthenticator,
  signIn,
  sudoProof,
  type TestResponse,
  verifiedPerson,
  verifyEmail,
  withPasskey,
  withTotp,
} from '../support/index.js';
import { gatehouseWithSso, ScriptedProvider, startSso } from '../support/sso.js';

const AT_ONCE = 32;
const NEW_PASSWORD = 'a password after all of this';
const BRIDGE = '/v1/auth/passkey-bridge';
const PASSKEYS = '/v1/users/@me/mfa/webauthn/credentials';

let provider: ScriptedProvider;
let service: Gatehouse;
let root: Persona;
beforeAll(async () => {
  provider = await ScriptedProvider.start();
  service = await gatehouseWithSso(provider);
  root = await superuser(service);
});
afterAll(async () => {
  await service.close();
  await provider.stop();
});

const ok = ({ status, body }: TestResponse) => {
  if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
};

/** An action that runs many times in parallel. */
interface Act {
  /** The account whose events are counted. */
  readonly account: { readonly id: string } | ((race: Race) => { readonly id: string });
  readonly attempt: (index: number) => PromiseLike<TestResponse>;
  /** Expected number of events: one per successful response (`each`), or exactly this number. */
  readonly happens: 'each' | number;
  /** Checks the result of the race. */
  readonly leaves?: (race: Race) => Promise<void>;
}

type Prepared = () => Promise<Act>;

/** Creates a user with an authenticator, and a client with a reusable sudo proof. */
async function proven() {
  const alice = await person(service, 'alice');
  const { authenticator } = await withTotp(service, alice);
  const proof = async () => service.as(alice).sudo(await sudoProof(service, alice, authenticator));
  return { alice, authenticator, proof };
}

const withKey = async () => {
  const alice = await person(service, 'alice');
  return { alice, key: await withPasskey(service, alice) };
};

/** Prepares a password reset with the token from the email. */
async function resetting() {
  const alice = await person(service, 'alice');
  ok(await service.anonymous.post('/v1/auth/forgot', { email: alice.email }));
  const { token } = (await mailTo(service, alice.email, 'password_reset')).metadata;
  return { account: alice, attempt: () => service.anonymous.post('/v1/auth/reset', { token, password: NEW_PASSWORD }) };
}

async function reverting() {
  const alice = await person(service, 'alice');
  await verifyEmail(service, alice);
  const token = await changeEmail(service, alice, { to: `thief.${alice.email}` });
  const attempt = () => service.anonymous.post('/v1/auth/email-revert', { token, password: NEW_PASSWORD });
  return { account: alice, attempt };
}

async function handingOver() {
  const alice = await person(service, 'alice');
  const { code, poll_secret } = ok(await service.anonymous.post('/v1/auth/handoff/initiate'));
  ok(await service.anonymous.get(`/v1/auth/handoff/${code}/info`));
  ok(await service.as(alice).post('/v1/auth/handoff/complete', { code, user_id: alice.id }));
  return { account: alice, attempt: () => service.anonymous.post(`/v1/auth/handoff/${code}/status`, { poll_secret }) };
}

/** Completes a bridge ceremony, which can then be redeemed. */
async function bridged(start: (nonceHash: string) => Promise<TestResponse>, key: SoftwareAuthenticator) {
  const nonce = randomBytes(16).toString('hex');
  const { ceremony_id: id } = ok(await start(createHash('sha256').update(nonce).digest('hex')));
  const { options } = ok(await service.anonymous.post(`${BRIDGE}/${id}/options`));
  const done = ok(await service.anonymous.post(`${BRIDGE}/${id}/complete`, { response: key.get(options) }));
  return { id, redemption: { nonce, completion_code: done.completion_code } };
}

/** Creates the connection `corp` to the provider, once. */
async function connected(): Promise<void> {
  const { body } = await service.as(root).get('/v1/admin/connections').expect(200);
  if (body.connections.length === 0) await connect(service, root, provider);
}

/** Prepares the completion of a link to an identity. */
async function linking() {
  await connected();
  const alice = await verifiedPerson(service, 'alice');
  const body = await startLink(service.as(alice), alice.password, provider, {});
  return { alice, attempt: () => service.as(alice).post('/v1/users/@me/identities/complete', body) };
}

const asRoot = ({ id }: Persona, method: 'put' | 'delete', what: string, body?: object) =>
  service.as(root)[method](`/v1/admin/users/${id}/${what}`, body);

/** Prepares the decision of an administrator on a pending registration. */
async function deciding(status: 'approved' | 'rejected'): Promise<Act> {
  const alice = await person(service, 'alice');
  await service.sql("UPDATE account SET traits = '{registration_pending_approval}' WHERE id = $1", [alice.id]);
  const path = `/v1/admin/instance/pending-registrations/${alice.id}`;
  return { account: alice, attempt: () => service.as(root).patch(path, { status }), happens: 1 };
}

/** Returns a function that signs in through the identity provider, always with the same identity. */
function vouched({ email }: Persona) {
  const claims = { sub: randomBytes(8).toString('hex'), email };
  return async () => {
    const { authorization_url: url, state } = await startSso(service);
    return service.anonymous.post('/v1/auth/sso/complete', { code: provider.visit(url, claims), state });
  };
}

/** Asserts that only one of the successful responses, the last one, still works. */
const lastWorks = (works: (response: TestResponse) => Promise<boolean>) => async (all: Race) => {
  const working = await Promise.all(all.of(200).map(works));
  expect(working.filter(Boolean)).toHaveLength(1);
};

const BY_METHOD: Record<SignInMethod, Prepared> = {
  registration: async () => {
    const email = `${randomBytes(6).toString('hex')}@example.com`;
    return {
      account: ({ of }) => ({ id: of(200)[0]?.body.user_id }),
      attempt: () => service.anonymous.post('/v1/auth/register', { email, password: NEW_PASSWORD }),
      happens: 1,
    };
  },
  password: async () => {
    const alice = await person(service, 'alice');
    return { account: alice, attempt: () => logIn(service, alice), happens: 'each' };
  },
  code: async () => {
    const { alice, authenticator } = await proven();
    const { ticket } = ok(await logIn(service, alice));
    const code = authenticator.next();
    const attempt = () => service.anonymous.post('/v1/auth/login/mfa/totp', { ticket, code });
    return { account: alice, attempt, happens: 1 };
  },
  passkey: async () => {
    const { alice, key } = await withKey();
    const options = ok(await service.anonymous.post('/v1/auth/webauthn/authentication-options'));
    const assertion = { response: key.get(options), challenge: options.challenge };
    const attempt = () => service.anonymous.post('/v1/auth/webauthn/authenticate', assertion);
    return { account: alice, attempt, happens: 1 };
  },
  passkey_second_factor: async () => {
    const { alice, key } = await withKey();
    await passkeyAsSecondFactor(service, alice, key);
    const { ticket } = ok(await logIn(service, alice));
    const mfa = '/v1/auth/login/mfa/webauthn';
    const options = ok(await service.anonymous.post(`${mfa}/authentication-options`, { ticket }));
    const response = { ticket, response: key.get(options), challenge: options.challenge };
    return { account: alice, attempt: () => service.anonymous.post(mfa, response), happens: 1 };
  },
  passkey_bridge: async () => {
    const { alice, key } = await withKey();
    const start = (nonce_hash: string) =>
      service.anonymous.post(BRIDGE, { purpose: 'login', runner: 'native', nonce_hash });
    const { id, redemption } = await bridged(start, key);
    const attempt = () => service.anonymous.post(`${BRIDGE}/${id}/redeem`, redemption);
    return { account: alice, attempt, happens: 1 };
  },
  handoff: async () => ({ ...(await handingOver()), happens: 1 }),
  single_sign_on: async () => {
    const alice = await verifiedPerson(service, 'alice');
    const claims = { email: alice.email };
    const { authorization_url: url, state } = await startSso(service);
    const code = provider.visit(url, claims);
    const attempt = () => service.anonymous.post('/v1/auth/sso/complete', { code, state });
    return { account: alice, attempt, happens: 1 };
  },
  connection: async () => {
    await connected();
    const { url, ...started } = await startVisit(service, 'corp');
    const body = { code: provider.visit(url), ...started };
    return {
      account: ({ of }) => ({ id: of(200)[0]?.body.user_id }),
      attempt: () => service.anonymous.post('/v1/auth/connections/corp/complete', body),
      happens: 1,
    };
  },
  password_reset: async () => ({ ...(await resetting()), happens: 1 }),
  email_revert: async () => ({ ...(await reverting()), happens: 1 }),
};

const ACTS: Record<string, Prepared> = {
  sign_in_refused: async () => {
    const { alice } = await proven();
    // One ticket for each attempt, because the last allowed attempt of a ticket deletes it, even if others wait.
    const opened = await race(AT_ONCE, () => logIn(service, alice));
    const attempt = (index: number) =>
      service.anonymous.post('/v1/auth/login/mfa/totp', {
        ticket: ok(opened.responses[index] as TestResponse).ticket,
        code: '000000',
      });
    return { account: alice, attempt, happens: ACCOUNT_ATTEMPTS.limit };
  },
  ip_authorized: async () => {
    const alice = await person(service, 'alice');
    await service.anonymous.from('127.0.77.7').post('/v1/auth/login', alice);
    const { token } = (await mailTo(service, alice.email, 'ip_authorization')).metadata;
    return { account: alice, attempt: () => service.anonymous.post('/v1/auth/authorize-ip', { token }), happens: 1 };
  },
  session_ended: async () => {
    const alice = await person(service, 'alice');
    const other = await signIn(service, alice);
    return { account: alice, attempt: () => service.as(other).post('/v1/auth/logout'), happens: 1 };
  },
  sudo_granted: async () => {
    const { alice, authenticator } = await proven();
    const body = { mfa_method: 'totp', mfa_code: authenticator.next() };
    return {
      account: alice,
      attempt: () => service.as(alice).delete('/v1/users/@me/authorized-ips', body),
      happens: 1,
    };
  },
  'sudo_granted by the bridge': async () => {
    const { alice, key } = await withKey();
    const start = (nonce_hash: string) =>
      service.as(alice).post('/v1/users/@me/passkey-bridge', { runner: 'native', nonce_hash });
    const { id, redemption } = await bridged(start, key);
    const attempt = () => service.as(alice).post(`/v1/users/@me/passkey-bridge/${id}/redeem`, redemption);
    return { account: alice, attempt, happens: 1 };
  },
  account_deletion_scheduled: async () => {
    const alice = await person(service, 'alice');
    const attempt = () => service.as(alice).post('/v1/users/@me/delete', { password: alice.password });
    return { account: alice, attempt, happens: 1 };
  },
  application_authorized: async () => {
    const [alice, owner] = [await person(service, 'alice'), await person(service, 'owner')];
    const app = await newApp(service, owner);
    return { account: alice, attempt: () => consent(service, alice, app), happens: 'each' };
  },
  application_removed: async () => {
    const [alice, owner] = [await person(service, 'alice'), await person(service, 'owner')];
    const app = await newApp(service, owner);
    await newTokens(service, alice, app);
    const attempt = () => service.as(alice).delete(`/v1/oauth2/@me/authorizations/${app.id}`);
    return { account: alice, attempt, happens: 1 };
  },
  'application_removed by itself': async () => {
    const [alice, owner] = [await person(service, 'alice'), await person(service, 'owner')];
    const app = await newApp(service, owner);
    const { refresh_token: token } = await newTokens(service, alice, app);
    return { account: alice, attempt: () => asApp(service, app, '/v1/oauth2/token/revoke', { token }), happens: 1 };
  },
  bot_token_reset: async () => {
    const { alice, proof } = await proven();
    const app = await newApp(service, alice);
    const client = await proof();
    return {
      account: alice,
      attempt: () => client.post(`/v1/oauth2/applications/${app.id}/bot/reset-token`),
      happens: 'each',
      leaves: lastWorks(
        async ({ body }) => (await service.as(`Bot ${body.token}`).get('/v1/users/@me')).status === 200,
      ),
    };
  },
  bot_token_created: async () => {
    const { alice, proof } = await proven();
    const app = await newApp(service, alice);
    const client = await proof();
    const attempt = () => client.post(`/v1/oauth2/applications/${app.id}/bot/tokens`, {});
    return { account: alice, attempt, happens: 2 };
  },
  bot_token_deleted: async () => {
    const { alice, proof } = await proven();
    const app = await newApp(service, alice);
    const client = await proof();
    const { id } = ok(await client.post(`/v1/oauth2/applications/${app.id}/bot/tokens`, {}));
    const attempt = () => client.delete(`/v1/oauth2/applications/${app.id}/bot/tokens/${id}`);
    return { account: alice, attempt, happens: 1 };
  },
  access_token_created: async () => {
    const { alice, proof } = await proven();
    const client = await proof();
    const attempt = () => client.post('/v1/users/@me/access-tokens', { name: 'Script', scopes: ['identify'] });
    return { account: alice, attempt, happens: 'each' };
  },
  access_token_deleted: async () => {
    const { alice, proof } = await proven();
    const token = { name: 'Script', scopes: ['identify'] };
    const { id } = ok(await (await proof()).post('/v1/users/@me/access-tokens', token));
    return { account: alice, attempt: () => service.as(alice).delete(`/v1/users/@me/access-tokens/${id}`), happens: 1 };
  },
  client_secret_reset: async () => {
    const { alice, proof } = await proven();
    const app = await newApp(service, alice);
    const client = await proof();
    return {
      account: alice,
      attempt: () => client.post(`/v1/oauth2/applications/${app.id}/client-secret/reset`),
      happens: 'each',
      leaves: lastWorks(async ({ body: { client_secret: secret } }) => {
        const response = await asApp(service, { ...app, secret }, '/v1/oauth2/introspect', { token: 'x' });
        return response.status === 200;
      }),
    };
  },
  webhook_rotated: async () => {
    const { alice, proof } = await proven();
    const hook = await newWebhook(service, alice);
    const client = await proof();
    return {
      account: alice,
      attempt: () => client.post(`/v1/webhooks/${hook.id}/token/rotate`),
      happens: 'each',
      leaves: lastWorks(async ({ body }) => (await service.anonymous.get(new URL(body.url).pathname)).status === 200),
    };
  },
  'webhook_rotated of a bot': async () => {
    const owner = await person(service, 'owner');
    const app = await newApp(service, owner);
    const hook = await newWebhook(service, app.bot);
    const attempt = () => service.as(app.bot).post(`/v1/webhooks/${hook.id}/token/rotate`);
    return { account: owner, attempt, happens: 'each' };
  },
  admin_key_created: async () => {
    const owner = await superuser(service);
    const key = { name: 'a key', acls: ['user:lookup'] };
    return { account: owner, attempt: () => service.as(owner).post('/v1/admin/api-keys', key), happens: 'each' };
  },
  admin_key_deleted: async () => {
    const owner = await superuser(service);
    const { id } = await adminKey(service, owner, 'user:lookup');
    return { account: owner, attempt: () => service.as(owner).delete(`/v1/admin/api-keys/${id}`), happens: 1 };
  },
  password_changed: async () => {
    const alice = await person(service, 'alice');
    const change = (n: number) => ({ password: alice.password, new_password: `parallel password ${n}` });
    return { account: alice, attempt: (n) => service.as(alice).patch('/v1/users/@me', change(n)), happens: 1 };
  },
  password_reset: async () => ({ ...(await resetting()), happens: 1 }),
  email_reverted: async () => ({ ...(await reverting()), happens: 1 }),
  email_changed: async () => {
    const alice = await person(service, 'alice');
    const step = async (name: string, body: object = {}) =>
      ok(await service.as(alice).post(`/v1/users/@me/email-change/${name}`, body));
    const { ticket, original_proof } = await step('start');
    const to = `new.${alice.email}`;
    await step('request-new', { ticket, new_email: to, original_proof });
    const { code } = (await mailTo(service, to, 'email_change_new')).metadata;
    const { email_token } = await step('verify-new', { ticket, code, original_proof });
    const body = { email_token, password: alice.password };
    return {
      account: alice,
      attempt: () => service.as(alice).post('/v1/users/@me/email-change/apply', body),
      happens: 1,
    };
  },
  totp_enabled: async () => {
    const { alice, authenticator, proof } = await proven();
    ok(await (await proof()).post('/v1/users/@me/mfa/totp/disable', { code: authenticator.next() }));
    const { base32: secret } = authenticator.secret;
    const body = { secret, code: authenticator.next(), password: alice.password };
    const attempt = () => service.as(alice).post('/v1/users/@me/mfa/totp/enable', body);
    return { account: alice, attempt, happens: 1 };
  },
  totp_disabled: async () => {
    const { alice, authenticator, proof } = await proven();
    const client = await proof();
    const code = authenticator.next();
    return { account: alice, attempt: () => client.post('/v1/users/@me/mfa/totp/disable', { code }), happens: 1 };
  },
  passkey_added: async () => {
    const { alice, key } = await withKey();
    await service.sql('DELETE FROM passkey WHERE account_id = $1', [alice.id]);
    const sudo = { password: alice.password };
    const options = ok(await service.as(alice).post(`${PASSKEYS}/registration-options`, sudo));
    const body = { response: key.create(options), challenge: options.challenge, name: 'key' };
    return { account: alice, attempt: () => service.as(alice).post(PASSKEYS, body), happens: 1 };
  },
  passkey_removed: async () => {
    const { alice, client, id } = await withBoth();
    return { account: alice, attempt: () => client.delete(`${PASSKEYS}/${id}`), happens: 1 };
  },
  second_factor_enabled: async () => {
    const { alice, client } = await withBoth();
    const attempt = () => client.put('/v1/users/@me/mfa/webauthn/two-factor', { enabled: true });
    return { account: alice, attempt, happens: 1 };
  },
  second_factor_disabled: async () => {
    const { alice, client, again } = await withBoth();
    ok(await client.put('/v1/users/@me/mfa/webauthn/two-factor', { enabled: true }));
    const sure = await again();
    const attempt = () => sure.put('/v1/users/@me/mfa/webauthn/two-factor', { enabled: false });
    return { account: alice, attempt, happens: 1 };
  },
  backup_codes_regenerated: async () => {
    const { alice, proof } = await proven();
    const client = await proof();
    const attempt = () => client.post('/v1/users/@me/mfa/backup-codes', { regenerate: true });
    return { account: alice, attempt, happens: 'each' };
  },
  mfa_disabled: async () => {
    const { alice } = await proven();
    return { account: alice, attempt: () => service.as(root).delete(`/v1/admin/users/${alice.id}/mfa`), happens: 1 };
  },
  account_suspended: async () => {
    const alice = await person(service, 'alice');
    const attempt = () => service.as(root).put(`/v1/admin/users/${alice.id}/ban`, { duration_hours: 1 });
    return { account: alice, attempt, happens: 'each' };
  },
  account_reinstated: async () => {
    const alice = await person(service, 'alice');
    ok(await service.as(root).put(`/v1/admin/users/${alice.id}/ban`, { duration_hours: 1 }));
    return { account: alice, attempt: () => service.as(root).delete(`/v1/admin/users/${alice.id}/ban`), happens: 1 };
  },
  suspicious_activity: async () => {
    const alice = await person(service, 'alice');
    const path = `/v1/admin/users/${alice.id}/suspicious-activity-disablement`;
    return { account: alice, attempt: () => service.as(root).put(path, { flags: 1 }), happens: 'each' };
  },
  suspicious_activity_ended: async () => {
    const alice = await person(service, 'alice');
    ok(await asRoot(alice, 'put', 'suspicious-activity-disablement', { flags: 1 }));
    return { account: alice, attempt: () => asRoot(alice, 'delete', 'suspicious-activity-disablement'), happens: 1 };
  },
  requirements_changed: async () => {
    const alice = await person(service, 'alice');
    return { account: alice, attempt: () => asRoot(alice, 'put', 'email-verification'), happens: 1 };
  },
  email_bounced: async () => {
    const alice = await person(service, 'alice');
    return { account: alice, attempt: () => asRoot(alice, 'put', 'email-bounce', { bounced: true }), happens: 1 };
  },
  permissions_changed: async () => {
    const alice = await person(service, 'alice');
    return { account: alice, attempt: () => asRoot(alice, 'put', 'acls', { acls: ['user:lookup'] }), happens: 1 };
  },
  sso_identity_set: async () => {
    const alice = await person(service, 'alice');
    return {
      account: alice,
      attempt: () => asRoot(alice, 'put', 'sso-identity', { subject: alice.id }),
      happens: 'each',
    };
  },
  sso_identity_removed: async () => {
    const alice = await person(service, 'alice');
    ok(await asRoot(alice, 'put', 'sso-identity', { subject: alice.id }));
    return { account: alice, attempt: () => asRoot(alice, 'delete', 'sso-identity'), happens: 1 };
  },
  identity_linked: async () => {
    const { alice, attempt } = await linking();
    return { account: alice, attempt, happens: 1 };
  },
  identity_unlinked: async () => {
    const { alice, attempt: link } = await linking();
    const path = `/v1/users/@me/identities/${ok(await link()).id}`;
    const attempt = () => service.as(alice).delete(path, { password: alice.password });
    return { account: alice, attempt, happens: 1 };
  },
  registration_approved: () => deciding('approved'),
  registration_rejected: () => deciding('rejected'),
  account_disabled: async () => {
    const alice = await person(service, 'alice');
    const attempt = () => service.as(alice).post('/v1/users/@me/disable', { password: alice.password });
    return { account: alice, attempt, happens: 1 };
  },
  account_reactivated: async () => {
    const alice = await person(service, 'alice');
    ok(await service.as(alice).post('/v1/users/@me/disable', { password: alice.password }));
    return { account: alice, attempt: () => logIn(service, alice), happens: 1 };
  },
  deletion_canceled: async () => {
    const alice = await person(service, 'alice');
    ok(await service.as(alice).post('/v1/users/@me/delete', { password: alice.password }));
    return { account: alice, attempt: () => logIn(service, alice), happens: 1 };
  },
  sso_linked: async () => {
    const alice = await verifiedPerson(service, 'alice');
    return { account: alice, attempt: vouched(alice), happens: 1 };
  },
  sso_taken_over: async () => {
    const alice = await person(service, 'alice');
    return { account: alice, attempt: vouched(alice), happens: 1 };
  },
  session_handed_over: async () => ({ ...(await handingOver()), happens: 1 }),
  locked_down: async () => {
    const alice = await verifiedPerson(service, 'alice');
    const change = { password: alice.password, new_password: NEW_PASSWORD };
    ok(await service.as(alice).patch('/v1/users/@me', change));
    const { token } = (await mailTo(service, alice.email, 'security_notice')).metadata;
    return { account: alice, attempt: () => service.anonymous.post('/v1/auth/lockdown', { token }), happens: 1 };
  },
  credential_leaked: async () => {
    const alice = await person(service, 'alice');
    const credentials = [await signIn(service, alice)];
    const attempt = () => service.anonymous.post('/v1/credentials/revoke', { credentials });
    return { account: alice, attempt, happens: 1 };
  },
  data_exported: async () => {
    const { alice, proof } = await proven();
    const client = await proof();
    return { account: alice, attempt: () => client.post('/v1/users/@me/export'), happens: 'each' };
  },
};

/** Creates a user with an authenticator and a passkey, and a client with a sudo proof. */
async function withBoth() {
  const { alice, key } = await withKey();
  const { authenticator } = await withTotp(service, alice, () => passkeySudo(service, alice, key));
  const again = async () => service.as(alice).sudo(await sudoProof(service, alice, authenticator));
  const client = await again();
  const [{ id }] = ok(await client.get(PASSKEYS));
  return { alice, client, again, id };
}

const typeOf = (name: string): string => name.split(' ')[0] as string;

async function recorded({ id }: { id: string }, type: string, method?: string): Promise<number> {
  const rows = await service.sql(
    `SELECT 1 FROM security_event
     WHERE account_id = $1 AND type = $2 AND ($3::text IS NULL OR data->>'method' = $3)`,
    [id, type, method ?? null],
  );
  return rows.length;
}

describe(`web.md 5: ${AT_ONCE} parallel operations are recorded as often as they happened`, () => {
  async function expectTold(prepare: Prepared, type: string, method?: string): Promise<void> {
    const { account, attempt, happens, leaves } = await prepare();
    const before = typeof account === 'function' ? 0 : await recorded(account, type, method);
    const all = await race(AT_ONCE, attempt);
    // A request that waits too long for a database connection gets 503 and has no effect.
    for (const response of all.responses.filter(({ status }) => status >= 500))
      expectApiError(response, 'SERVICE_UNAVAILABLE');
    await runJobs(service);
    const whose = typeof account === 'function' ? account(all) : account;
    const reported = (await recorded(whose, type, method)) - before;
    const successes = all.responses.filter(({ status }) => status < 300).length;
    expect(reported).toBe(happens === 'each' ? successes : happens);
    expect(reported).toBeGreaterThan(0);
    await leaves?.(all);
  }

  test.each(Object.keys(BY_METHOD))('signed_in by %s', (method) =>
    expectTold(BY_METHOD[method as SignInMethod], 'signed_in', method),
  );

  test.each(Object.keys(ACTS))('%s', (name) => expectTold(ACTS[name] as Prepared, typeOf(name)));

  test('every event type is covered', () => {
    const raced = new Set(['signed_in', ...Object.keys(ACTS).map(typeOf)]);
    expect([...raced].sort()).toEqual([...[...featureRegistry().securityEvents.keys()]].sort());
  });
});
