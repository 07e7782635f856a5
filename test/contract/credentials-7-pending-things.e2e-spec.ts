import { createHash } from 'node:crypto';
import { digest, mintSessionToken } from '../../src/core/secrets.js';
import { Snowflakes } from '../../src/core/snowflake.js';
import { featureRegistry } from '../../src/features.js';
import { connect, IDENTITIES, newNonce } from '../machine/connections.js';
import { superuser } from '../support/admin.js';
import {
  type Authenticator,
  changeEmail,
  environmentOf,
  type Gatehouse,
  gatehouse,
  mailTo,
  type Persona,
  passkeyAsSecondFactor,
  passkeySudo,
  person,
  ScriptedProvider,
  SoftwareAuthenticator,
  sessionsOf,
  type TestResponse,
  withPasskey,
  withTotp,
} from '../support/index.js';

const ORIGIN = 'http://localhost:8080';
const NEW_PASSWORD = 'a brand new password';
const CREDENTIALS = '/v1/users/@me/mfa/webauthn/credentials';

let provider: ScriptedProvider;
let service: Gatehouse;
let admin: Persona;
let host = 0;
beforeAll(async () => {
  provider = await ScriptedProvider.start();
  service = await gatehouse({
    env: { WEBAUTHN_ORIGINS: ORIGIN, SMS_TRANSPORT: 'inbox', ...environmentOf(provider) },
  });
  provider.seconds = () => service.clock.seconds();
  admin = await superuser(service);
  await connect(service, admin, provider);
});
afterAll(async () => {
  await service.close();
  await provider.stop();
});

/** A user with every factor. The requests of each user come from a different IP address. */
interface Owner extends Persona {
  readonly address: string;
  /** The token of a held sign-in that is not confirmed yet, and the ticket of one that was confirmed. */
  readonly held: { readonly token: string; readonly ticket: string };
  readonly authenticator: Authenticator;
  readonly key: SoftwareAuthenticator;
  /** Token that reverts the last change of the email address. */
  readonly revert?: string;
}

const post = ({ address }: { address: string }, path: string, body: object = {}) =>
  service.anonymous.from(address).post(`/v1/auth/${path}`, body);
const mine = (owner: { authorization: string }, path: string, body: object = {}) =>
  service.as(owner).post(`/v1/users/@me/${path}`, body);
const tokenOf = async ({ email }: Persona, type: string, count = 1) =>
  (await mailTo(service, email, type, count)).metadata.token ?? '';
const taken = new Map<string, number>();
/** Returns the code of the next unread email of this type. */
async function codeOf(address: string, type: string): Promise<string> {
  const count = (taken.get(`${type} ${address}`) ?? 0) + 1;
  taken.set(`${type} ${address}`, count);
  return (await mailTo(service, address, type, count)).metadata.code ?? '';
}
const ok = (response: TestResponse): TestResponse => {
  const { status, body } = response;
  expect({ status, body, isRight: [200, 204].includes(status) }).toEqual({ status, body, isRight: true });
  return response;
};

/** Sign-ins are held only for accounts without a second factor. They therefore start before it is added. */
async function owner(): Promise<Owner> {
  const persona = { ...(await person(service, 'alice')), address: `127.0.70.${++host}` };
  const { email, password } = persona;
  await post(persona, 'login', { email, password });
  const token = await tokenOf(persona, 'ip_authorization');
  const { ticket } = (await post(persona, 'login', { email, password })).body;
  ok(await post(persona, 'authorize-ip', { token: await tokenOf(persona, 'ip_authorization', 2) }));
  const held = { token, ticket };
  const { authenticator } = await withTotp(service, persona);
  const proof = { mfa_method: 'totp', mfa_code: authenticator.next() };
  const key = await withPasskey(service, persona, undefined, proof);
  await passkeyAsSecondFactor(service, persona, key);
  return { ...persona, held, authenticator, key };
}

const sudo = ({ authenticator }: Owner) => ({ mfa_method: 'totp', mfa_code: authenticator.next() });

/** Returns the sudo members of a request, for an account whose factors may have been removed. */
async function anySudo(owner: Owner): Promise<object> {
  const [row] = await service.sql(
    `SELECT totp_secret IS NOT NULL AS totp, EXISTS (SELECT 1 FROM passkey p WHERE p.account_id = a.id) AS passkey
     FROM account a WHERE id = $1`,
    [owner.id],
  );
  if (row?.totp) return sudo(owner);
  return row?.passkey ? passkeySudo(service, owner, owner.key) : { password: NEW_PASSWORD };
}

const logIn = async (who: Owner): Promise<string> =>
  ok(await post(who, 'login', { email: who.email, password: who.password })).body.ticket;

function bridge(who: Owner, nonce = 'a nonce of the starter') {
  const nonce_hash = createHash('sha256').update(nonce).digest('hex');
  const step = (id: string, name: string, body: object = {}) => post(who, `passkey-bridge/${id}/${name}`, body);
  return {
    nonce,
    start: async (aim: object) =>
      ok(await post(who, 'passkey-bridge', { runner: 'native', nonce_hash, ...aim })).body.ceremony_id as string,
    startSudo: async () =>
      ok(await mine(who, 'passkey-bridge', { runner: 'native', nonce_hash })).body.ceremony_id as string,
    options: async (id: string) => ok(await step(id, 'options')).body.options,
    complete: (id: string, response: object) => step(id, 'complete', { response }),
    redeem: (id: string, completion_code: string) => step(id, 'redeem', { nonce, completion_code }),
  };
}

async function completed(who: Owner, aim: object) {
  const ceremony = bridge(who);
  const id = await ceremony.start(aim);
  const options = await ceremony.options(id);
  const { completion_code } = ok(await ceremony.complete(id, who.key.get(options))).body;
  return () => ceremony.redeem(id, completion_code);
}

async function verifiedTicket(who: Owner, to: string) {
  const { ticket } = ok(await mine(who, 'email-change/start')).body;
  const code = await codeOf(who.email, 'email_change_original');
  const { original_proof } = ok(await mine(who, 'email-change/verify-original', { ticket, code })).body;
  ok(await mine(who, 'email-change/request-new', { ticket, new_email: to, original_proof }));
  return { ticket, original_proof, code: await codeOf(to, 'email_change_new') };
}

const FAILED = 'PASSKEY_AUTHENTICATION_FAILED';
const VOID_TICKET = 'ticket: INVALID_OR_EXPIRED_TICKET';

interface Pending {
  readonly purpose: string;
  /** The error of the operation for an invalid secret. It can depend on the remaining state of the account. */
  readonly invalid: readonly string[];
  /** Its conclusion raises the epoch again, so no other operation can be concluded after it. */
  readonly isLast?: boolean;
  /** Begins the operation. Returns a function that concludes it with the session that is passed to it. */
  begin(who: Owner): Promise<(now: Owner) => Promise<TestResponse>>;
}

/** All pending operations, in an order in which one account can have all of them. */
const PENDING: Record<string, Pending> = {
  'a held sign-in that nobody confirmed': {
    purpose: 'ip-token',
    invalid: ['token: INVALID_OR_EXPIRED_AUTHORIZATION_TOKEN'],
    begin: async (who) => () => post(who, 'authorize-ip', { token: who.held.token }),
  },
  'the ticket of a held sign-in that was confirmed': {
    purpose: 'ip-ticket',
    invalid: ['ticket: INVALID_OR_EXPIRED_AUTHORIZATION_TICKET'],
    begin: async (who) => () =>
      service.anonymous.from(who.address).get('/v1/auth/ip-authorization/poll', { query: { ticket: who.held.ticket } }),
  },
  'an MFA ticket, answered by a code': {
    purpose: 'mfa-ticket',
    invalid: ['ticket: SESSION_TIMEOUT'],
    begin: async (who) => {
      const ticket = await logIn(who);
      return () => post(who, 'login/mfa/totp', { ticket, code: who.authenticator.next() });
    },
  },
  'a challenge for an MFA ticket': {
    purpose: 'webauthn-mfa',
    invalid: ['ticket: SESSION_TIMEOUT'],
    begin: async (who) => {
      const ticket = await logIn(who);
      const { body } = ok(await post(who, 'login/mfa/webauthn/authentication-options', { ticket }));
      return () => post(who, 'login/mfa/webauthn', { ticket, challenge: body.challenge, response: who.key.get(body) });
    },
  },
  'a completed bridge sign-in': {
    purpose: 'bridge-ceremony',
    invalid: [FAILED],
    begin: (who) => completed(who, { purpose: 'login' }),
  },
  'a completed bridge to a second factor': {
    purpose: 'bridge-ceremony',
    invalid: [FAILED],
    begin: async (who) => completed(who, { purpose: 'login_mfa', ticket: await logIn(who) }),
  },
  'a bridge to sudo mode, open': {
    purpose: 'webauthn-bridge',
    invalid: [FAILED],
    begin: async (who) => {
      const ceremony = bridge(who);
      const id = await ceremony.startSudo();
      const options = await ceremony.options(id);
      return () => ceremony.complete(id, who.key.get(options));
    },
  },
  'a bridge to sudo mode, completed': {
    purpose: 'bridge-ceremony',
    invalid: [FAILED],
    begin: async (who) => {
      const ceremony = bridge(who);
      const id = await ceremony.startSudo();
      const { completion_code } = ok(await ceremony.complete(id, who.key.get(await ceremony.options(id)))).body;
      return (now) => mine(now, `passkey-bridge/${id}/redeem`, { nonce: ceremony.nonce, completion_code });
    },
  },
  'an approved handoff': {
    purpose: 'handoff',
    invalid: ['expired'],
    begin: async (who) => {
      const { code, poll_secret } = ok(await post(who, 'handoff/initiate')).body;
      ok(await service.anonymous.from(who.address).get(`/v1/auth/handoff/${code}/info`));
      ok(await service.as(who).post('/v1/auth/handoff/complete', { code, user_id: who.id }));
      return () => post(who, `handoff/${code}/status`, { poll_secret });
    },
  },
  'a challenge for sudo mode': {
    purpose: 'webauthn-sudo',
    invalid: ['mfa_code: INVALID_MFA_CODE', 'SUDO_MODE_REQUIRED'],
    begin: async (who) => {
      const { body } = ok(await mine(who, 'sudo/webauthn/authentication-options'));
      const proof = { mfa_method: 'webauthn', webauthn_challenge: body.challenge };
      return (now) =>
        service.as(now).post('/v1/auth/sessions/logout', {
          ...{ session_id_hashes: [], ...proof },
          webauthn_response: who.key.get(body),
        });
    },
  },
  'a challenge for a registration': {
    purpose: 'webauthn-registration',
    invalid: ['INVALID_WEBAUTHN_CREDENTIAL'],
    begin: async (who) => {
      const { body } = ok(await service.as(who).post(`${CREDENTIALS}/registration-options`, sudo(who)));
      const response = new SoftwareAuthenticator().create(body);
      return (now) => service.as(now).post(CREDENTIALS, { response, challenge: body.challenge, name: 'another' });
    },
  },
  'a code for a number': {
    purpose: 'phone-code',
    invalid: ['INVALID_PHONE_VERIFICATION_CODE'],
    begin: async (who) => {
      const phone = `+4940${who.id.slice(-9)}`;
      ok(await mine(who, 'phone/send-verification', { phone }));
      const code = await codeOf(phone, 'phone_verification');
      return (now) => mine(now, 'phone/verify', { phone, code });
    },
  },
  'a challenge for backup codes': {
    purpose: 'backup-codes-challenge',
    invalid: [VOID_TICKET],
    begin: async (who) => {
      const { ticket } = ok(await mine(who, 'mfa/backup-codes/challenge')).body;
      const code = await codeOf(who.email, 'backup_codes_challenge');
      const { verification_proof } = ok(await mine(who, 'mfa/backup-codes/challenge/verify', { ticket, code })).body;
      return (now) => mine(now, 'mfa/backup-codes/challenge/regenerate', { ticket, verification_proof });
    },
  },
  'a link to an identity': {
    purpose: 'identity-link',
    invalid: ['state: INVALID_OR_EXPIRED_SSO_STATE'],
    isLast: true,
    begin: async (who) => {
      const { nonce, nonce_hash } = newNonce();
      const wanted = { connection_id: 'corp', nonce_hash, ...sudo(who) };
      const { authorization_url: url, state } = ok(await service.as(who).post(`${IDENTITIES}/start`, wanted)).body;
      const visit = { code: provider.visit(url, { sub: `identity of ${who.id}` }), state, nonce };
      return (now) => service.as(now).post(`${IDENTITIES}/complete`, visit);
    },
  },
  'a change of the address': {
    purpose: 'email-change',
    invalid: [VOID_TICKET],
    begin: async (who) => {
      const seen = await verifiedTicket(who, `one.${who.email}`);
      return (now) => mine(now, 'email-change/verify-new', seen);
    },
  },
  'the token of a change of the address': {
    purpose: 'email-token',
    invalid: ['email_token: INVALID_EMAIL_TOKEN'],
    isLast: true,
    begin: async (who) => {
      const seen = await verifiedTicket(who, `two.${who.email}`);
      const { email_token } = ok(await mine(who, 'email-change/verify-new', seen)).body;
      return async (now) => mine(now, 'email-change/apply', { email_token, ...(await anySudo(now)) });
    },
  },
  'a change of a bounced address': {
    purpose: 'bounced-email-change',
    invalid: [VOID_TICKET],
    isLast: true,
    begin: async (who) => {
      const [bounce, restore] = ['true, email_verified = false', 'false, email_verified = true'].map(
        (state) => () => service.sql(`UPDATE account SET email_bounced = ${state} WHERE id = $1`, [who.id]),
      ) as [() => Promise<unknown>, () => Promise<unknown>];
      await bounce();
      const to = `three.${who.email}`;
      const { ticket } = ok(await mine(who, 'email-change/bounced/request-new', { new_email: to })).body;
      const code = await codeOf(to, 'email_change_new');
      await restore();
      return async (now) => {
        await bounce();
        const response = await mine(now, 'email-change/bounced/verify-new', { ticket, code });
        if (response.status !== 200) await restore();
        return response;
      };
    },
  },
  'a mailed change of the password': {
    purpose: 'password-change',
    invalid: [VOID_TICKET],
    isLast: true,
    begin: async (who) => {
      const { ticket } = ok(await mine(who, 'password-change/start')).body;
      const code = await codeOf(who.email, 'password_change');
      const { verification_proof } = ok(await mine(who, 'password-change/verify', { ticket, code })).body;
      return (now) =>
        mine(now, 'password-change/complete', {
          ticket,
          verification_proof,
          new_password: `${NEW_PASSWORD} of a thief`,
        });
    },
  },
  'a mailed reset of the password': {
    purpose: 'password-reset',
    invalid: ['token: INVALID_OR_EXPIRED_RESET_TOKEN'],
    isLast: true,
    begin: async (who) => {
      ok(await post(who, 'forgot', { email: who.email }));
      const token = await tokenOf(who, 'password_reset');
      return () => post(who, 'reset', { token, password: `${NEW_PASSWORD} of a thief` });
    },
  },
};

/** Purposes whose secrets are not invalidated by a raised epoch, and the reason. */
const EXEMPT: Record<string, string> = {
  'email-verification':
    'auth.md section 6 leaves it out of what a reset voids; it proves the address, and opens nothing',
  'email-revert': 'auth.md section 7: it undoes what a thief did with the account, a raised epoch included',
  lockdown: 'web.md section 5: it stops a thief, whatever the thief changed but the email address',
  'webauthn-login': 'belongs to no account until a passkey answers it',
  'sso-state': 'belongs to no account: the provider says who it is',
  'connection-state': 'like sso-state',
  'captcha-spent': 'a mark, not a credential',
};

const asAdmin = (method: 'PUT' | 'DELETE', path: string, body?: object) => async (who: Owner) => {
  ok(await service.as(admin).send(method, `/v1/admin/users/${who.id}/${path}`, body));
};

/** Events that raise the epoch (credentials.md sections 6 and 7). `prepare` runs before pending operations begin. */
const EVENTS: Record<string, { prepare?: (who: Owner) => Promise<Owner>; happen: (who: Owner) => Promise<void> }> = {
  'a change of the password': {
    happen: async (who) => {
      const body = { password: who.password, new_password: NEW_PASSWORD, ...sudo(who) };
      ok(await service.as(who).patch('/v1/users/@me', body));
    },
  },
  'a change of the password by mail': {
    happen: async (who) => {
      const { ticket } = ok(await mine(who, 'password-change/start')).body;
      const code = await codeOf(who.email, 'password_change');
      const verified = ok(await mine(who, 'password-change/verify', { ticket, code })).body;
      ok(await mine(who, 'password-change/complete', { ticket, new_password: NEW_PASSWORD, ...verified }));
    },
  },
  'a reset of the password': {
    happen: async (who) => {
      ok(await post(who, 'forgot', { email: who.email }));
      ok(await post(who, 'reset', { token: await tokenOf(who, 'password_reset', 2), password: NEW_PASSWORD }));
    },
  },
  'a revert of the address': {
    prepare: async (who) => {
      const to = `moved.${who.email}`;
      const revert = await changeEmail(service, who, { to, proof: () => sudo(who) });
      return { ...who, email: to, revert };
    },
    happen: async (who) => {
      ok(await post(who, 'email-revert', { token: who.revert, password: NEW_PASSWORD }));
    },
  },
  'the removal of the authenticator': {
    happen: async (who) =>
      void ok(await mine(who, 'mfa/totp/disable', { ...sudo(who), code: who.authenticator.next() })),
  },
  'the removal of a passkey': {
    happen: async (who) => void ok(await service.as(who).delete(`${CREDENTIALS}/${who.key.id}`, sudo(who))),
  },
  'signing out everywhere': {
    happen: async (who) => {
      const { body } = await service.as(who).get('/v1/auth/sessions');
      const session_id_hashes = body.map(({ id_hash }: { id_hash: string }) => id_hash);
      const response = await service.as(who).post('/v1/auth/sessions/logout', { session_id_hashes, ...sudo(who) });
      expect(ok(response).headers.has('x-service-sudo-mode-jwt')).toBe(false);
    },
  },
  'disabling by the user': { happen: async (who) => void ok(await mine(who, 'disable', sudo(who))) },
  'deletion by the user': { happen: async (who) => void ok(await mine(who, 'delete', sudo(who))) },
  'a ban': { happen: asAdmin('PUT', 'ban', { duration_hours: 0 }) },
  'a lock for suspicious activity': { happen: asAdmin('PUT', 'suspicious-activity-disablement', { flags: 0 }) },
  'the end of the sessions by an administrator': { happen: asAdmin('DELETE', 'sessions') },
  'the removal of the second factor by an administrator': { happen: asAdmin('DELETE', 'mfa') },
  'the removal of a passkey by an administrator': {
    happen: (who) => asAdmin('DELETE', `webauthn-credentials/${who.key.id}`)(who),
  },
  'the rejection of the registration': {
    happen: async (who) => {
      await service.sql("UPDATE account SET traits = '{registration_pending_approval}' WHERE id = $1", [who.id]);
      ok(await service.as(admin).patch(`/v1/admin/instance/pending-registrations/${who.id}`, { status: 'rejected' }));
    },
  },
};

function outcomeOf({ status, body }: TestResponse): string {
  const errors = body?.errors as { path: string; code: string }[] | undefined;
  if (errors) return errors.map(({ path, code }) => `${path}: ${code}`).join(', ');
  return status < 400 ? (body?.status ?? String(status)) : body.code;
}

/** Creates a live session for any account state. Pending operations must be invalid in all of these states. */
async function sessionOf(who: Owner): Promise<Owner> {
  const token = mintSessionToken();
  await service.sql("INSERT INTO session (id, digest, account_id, ip) VALUES ($1, $2, $3, '127.0.0.1')", [
    ...[service.app.get(Snowflakes).next(), digest(token), who.id],
  ]);
  return { ...who, authorization: token };
}

/** Returns all account data that the conclusion of an operation could change. */
async function factsOf({ id }: Owner) {
  const [row] = await service.sql(
    `SELECT email, email_verified, password_hash, totp_secret, passkey_second_factor, phone_digest, has_verified_phone,
       (SELECT array_agg(p.id ORDER BY p.id) FROM passkey p WHERE p.account_id = a.id) AS passkeys,
       (SELECT array_agg(b.digest ORDER BY b.position) FROM backup_code b WHERE b.account_id = a.id) AS codes,
       (SELECT array_agg(i.ip_key ORDER BY i.ip_key) FROM authorized_ip i WHERE i.account_id = a.id) AS addresses
     FROM account a WHERE id = $1`,
    [id],
  );
  return { ...row, sessions: await sessionsOf(service, { id }) };
}

async function beginAll(who: Owner) {
  const begun: [name: string, conclude: (now: Owner) => Promise<TestResponse>][] = [];
  for (const [name, { begin }] of Object.entries(PENDING)) begun.push([name, await begin(who)]);
  return begun;
}

describe('credentials.md section 7 every change that raises the epoch ends pending operations', () => {
  test('every purpose of one-time secrets has a row or a reason', () => {
    const rows = new Set(Object.values(PENDING).map(({ purpose }) => purpose));
    expect([...rows, ...Object.keys(EXEMPT)].sort()).toEqual([...featureRegistry().secrets.keys()].sort());
  });

  test('without such a change, each of them succeeds', async () => {
    const who = await owner();
    const begun = await beginAll(who);
    // Only one operation with `isLast` runs here, because it invalidates the others.
    const [last] = begun.filter(([name]) => PENDING[name]?.isLast).slice(-1);
    for (const [name, conclude] of [...begun.filter(([name]) => !PENDING[name]?.isLast), ...(last ? [last] : [])]) {
      const response = await conclude(who);
      const outcome = outcomeOf(response);
      const isRight = ['200', '204', 'completed'].includes(outcome);
      expect({ name, outcome, isRight }).toEqual({ name, outcome, isRight: true });
    }
  });

  test.each(Object.keys(PENDING).filter((name) => PENDING[name]?.isLast))('on its own, %s works', async (name) => {
    const who = await owner();
    const conclude = await PENDING[name]?.begin(who);
    expect(await conclude?.(who).then(outcomeOf)).toBe('200');
  });

  test.each(Object.keys(EVENTS))(
    'after %s no pending operation results in a session, a factor or a contact',
    async (event) => {
      const { prepare, happen } = EVENTS[event] as (typeof EVENTS)[string];
      const first = await owner();
      const who = (await prepare?.(first)) ?? first;
      const begun = await beginAll(who);
      await happen(who);
      const now = await sessionOf(who);
      const before = await factsOf(who);
      for (const [name, conclude] of begun) {
        const outcome = outcomeOf(await conclude(now));
        const isInvalid = PENDING[name]?.invalid.includes(outcome);
        expect({ name, outcome, isInvalid }).toEqual({ name, outcome, isInvalid: true });
      }
      expect(await factsOf(who)).toEqual(before);
    },
  );

  test('after a deletion by an administrator neither does one, and the account cannot use operations that need a session', async () => {
    const who = await owner();
    const begun = await beginAll(who);
    await asAdmin('PUT', 'deletion', { reason_code: 3 })(who);
    const now = await sessionOf(who);
    const before = await factsOf(who);
    for (const [name, conclude] of begun) {
      const outcome = outcomeOf(await conclude(now));
      const isRefused = outcome === 'ACCESS_DENIED' || PENDING[name]?.invalid.includes(outcome);
      expect({ name, outcome, isRefused }).toEqual({ name, outcome, isRefused: true });
    }
    expect(await factsOf(who)).toEqual(before);
  });
});

describe('credentials.md section 7 exceptions of the contract', () => {
  test('a reset that is emailed after the epoch was raised works', async () => {
    const who = await owner();
    await asAdmin('DELETE', 'sessions')(who);
    ok(await post(who, 'forgot', { email: who.email }));
    const { body } = ok(
      await post(who, 'reset', { token: await tokenOf(who, 'password_reset'), password: NEW_PASSWORD }),
    );
    expect(body.mfa).toBe(true);
    ok(await post(who, 'login/mfa/totp', { ticket: body.ticket, code: who.authenticator.next() }));
  });

  test('auth 1.7 verification tokens emailed before a reset work after it, including the older of two', async () => {
    const alice = { ...(await person(service, 'alice')), address: `127.0.70.${++host}` };
    const older = await tokenOf(alice, 'email_verification');
    ok(await service.as(alice).post('/v1/auth/verify/resend'));
    await tokenOf(alice, 'email_verification', 2);
    ok(await post(alice, 'forgot', { email: alice.email }));
    ok(await post(alice, 'reset', { token: await tokenOf(alice, 'password_reset'), password: NEW_PASSWORD }));
    ok(await post(alice, 'verify', { token: older }));
  });

  test('auth 7 a revert token stays valid after a password change, a sign-out everywhere and a lost factor', async () => {
    const who = await owner();
    const token = await changeEmail(service, who, { to: `thief.${who.email}`, proof: () => sudo(who) });
    await EVENTS['the removal of a passkey']?.happen(who);
    await EVENTS['a change of the password']?.happen(who);
    ok(await post(who, 'email-revert', { token, password: NEW_PASSWORD }));
    const [row] = await service.sql('SELECT email, totp_secret FROM account WHERE id = $1', [who.id]);
    expect(row).toEqual({ email: who.email, totp_secret: null });
  });

  test('account 4 tokens emailed to an address are invalid after it changes, even if it is changed back', async () => {
    const who = await owner();
    ok(await post(who, 'forgot', { email: who.email }));
    const token = await tokenOf(who, 'password_reset');
    const { ticket } = ok(await mine(who, 'password-change/start')).body;
    const code = await codeOf(who.email, 'password_change');
    const away = `away.${who.email}`;
    await changeEmail(service, who, { to: away, proof: () => sudo(who) });
    await changeEmail(service, who, { from: away, to: who.email, proof: () => sudo(who) });
    const before = await factsOf(who);
    expect(outcomeOf(await post(who, 'reset', { token, password: NEW_PASSWORD }))).toBe(
      'token: INVALID_OR_EXPIRED_RESET_TOKEN',
    );
    expect(outcomeOf(await mine(who, 'password-change/verify', { ticket, code }))).toBe(VOID_TICKET);
    expect(await factsOf(who)).toEqual(before);
  });
});
