import { runCleanup } from '../support/cleanup.js';
import {
  changeEmail,
  type Gatehouse,
  gatehouse,
  inboxOf,
  mailTo,
  type Persona,
  person,
  sessionsOf,
  type TestResponse,
} from '../support/index.js';

const DELETED = 1n << 34n;
const LOCKED = 1n << 35n;
const SELF_DELETED = 1n << 36n;
const DISABLED = 1n << 38n;
const ELSEWHERE = '127.0.50.1';
const NEW_PASSWORD = 'a brand new password';

/**
 * SQL that puts an account into each state. The password stays valid, so that only the state determines the outcome.
 */
const STATES = {
  'disabled by its user': `flags = ${DISABLED}`,
  'sent to deletion by its user': `flags = ${SELF_DELETED}, deletion_at = now() + interval '1 day'`,
  'suspended for a time': `flags = ${DISABLED}, banned = true, banned_until = now() + interval '1 hour'`,
  'suspended for ever': `flags = ${DISABLED}, banned = true`,
  'locked for suspicious activity': `flags = ${LOCKED}`,
  'awaiting approval': "traits = '{registration_pending_approval}'",
  rejected: "traits = '{registration_rejected}'",
  'sent to deletion by an administrator': `flags = ${DELETED}, deletion_at = now() + interval '1 day'`,
  deleted: `flags = ${DELETED}, deleted_at = now()`,
} as const;
type State = keyof typeof STATES;

const CREDENTIALS = 'email: INVALID_EMAIL_OR_PASSWORD, password: INVALID_EMAIL_OR_PASSWORD';
const unknown = (kind: string, at = 'token') => `${at}: INVALID_OR_EXPIRED_${kind}`;

/**
 * The outcome of each operation: a status, an error code or field codes. `otherwise` applies to states that are not
 * listed.
 */
const EXPECTED: Record<string, { otherwise: string } & Partial<Record<State, string>>> = {
  login: {
    otherwise: '200',
    'suspended for a time': 'ACCOUNT_SUSPENDED_TEMPORARILY',
    'suspended for ever': 'ACCOUNT_SUSPENDED_PERMANENTLY',
    'locked for suspicious activity': 'ACCESS_DENIED',
    'awaiting approval': 'REGISTRATION_PENDING_APPROVAL',
    rejected: 'REGISTRATION_REJECTED',
    'sent to deletion by an administrator': CREDENTIALS,
    deleted: CREDENTIALS,
  },
  verify: {
    otherwise: '204',
    'sent to deletion by an administrator': unknown('VERIFICATION_TOKEN'),
    deleted: unknown('VERIFICATION_TOKEN'),
  },
  forgot: { otherwise: '204 and mail', 'sent to deletion by an administrator': '204', deleted: '204' },
  validate: {
    otherwise: 'true',
    'suspended for ever': 'false',
    'sent to deletion by an administrator': 'false',
    deleted: 'false',
  },
  reset: {
    otherwise: '200',
    'suspended for a time': 'ACCOUNT_SUSPENDED_TEMPORARILY',
    'suspended for ever': unknown('RESET_TOKEN'),
    'awaiting approval': 'REGISTRATION_PENDING_APPROVAL',
    rejected: 'REGISTRATION_REJECTED',
    'sent to deletion by an administrator': unknown('RESET_TOKEN'),
    deleted: unknown('RESET_TOKEN'),
  },
  revert: {
    otherwise: '200',
    'suspended for a time': 'ACCOUNT_SUSPENDED_TEMPORARILY',
    'suspended for ever': 'ACCOUNT_SUSPENDED_PERMANENTLY',
    'locked for suspicious activity': 'ACCESS_DENIED',
    'awaiting approval': 'REGISTRATION_PENDING_APPROVAL',
    rejected: 'REGISTRATION_REJECTED',
    'sent to deletion by an administrator': unknown('REVERT_TOKEN'),
    deleted: unknown('REVERT_TOKEN'),
  },
  'authorise an address': {
    otherwise: '204',
    'suspended for a time': 'ACCOUNT_SUSPENDED_TEMPORARILY',
    'suspended for ever': 'ACCOUNT_SUSPENDED_PERMANENTLY',
    'locked for suspicious activity': 'ACCESS_DENIED',
    'awaiting approval': 'REGISTRATION_PENDING_APPROVAL',
    rejected: 'REGISTRATION_REJECTED',
    'sent to deletion by an administrator': unknown('AUTHORIZATION_TOKEN'),
    deleted: unknown('AUTHORIZATION_TOKEN'),
  },
  'poll a confirmed hold': {
    otherwise: '200',
    'suspended for a time': 'ACCOUNT_SUSPENDED_TEMPORARILY',
    'suspended for ever': 'ACCOUNT_SUSPENDED_PERMANENTLY',
    'locked for suspicious activity': 'ACCESS_DENIED',
    'awaiting approval': 'REGISTRATION_PENDING_APPROVAL',
    rejected: 'REGISTRATION_REJECTED',
    'sent to deletion by an administrator': unknown('AUTHORIZATION_TICKET', 'ticket'),
    deleted: unknown('AUTHORIZATION_TICKET', 'ticket'),
  },
};

function outcomeOf({ status, body }: TestResponse): string {
  if (status < 400) return String(status);
  const errors = body.errors as { path: string; code: string }[] | undefined;
  return errors ? errors.map(({ path, code }) => `${path}: ${code}`).join(', ') : body.code;
}

describe('auth 2 the response of every operation that finds an account, in every state', () => {
  let service: Gatehouse;
  let host = 0;
  beforeAll(async () => {
    service = await gatehouse();
  });
  afterAll(() => service.close());

  const enter = (persona: Persona, state: State) =>
    service.sql(`UPDATE account SET ${STATES[state]} WHERE id = $1`, [persona.id]);
  const post = (path: string, body: object) => service.anonymous.post(`/v1/auth/${path}`, body);
  const tokenOf = async ({ email }: Persona, type: string) => (await mailTo(service, email, type)).metadata.token ?? '';
  const forgot = (email: string) => service.anonymous.from(`127.0.51.${++host}`).post('/v1/auth/forgot', { email });

  async function resetTokenOf(persona: Persona): Promise<string> {
    await forgot(persona.email);
    return tokenOf(persona, 'password_reset');
  }

  async function heldBy({ email, password }: Persona): Promise<string> {
    return (await service.anonymous.from(ELSEWHERE).post('/v1/auth/login', { email, password })).body.ticket;
  }

  /** Prepares an operation and returns a function that runs it. */
  const OPERATIONS: Record<string, (persona: Persona) => Promise<() => Promise<string>>> = {
    login:
      async ({ email, password }) =>
      async () =>
        outcomeOf(await post('login', { email, password })),
    verify: async (persona) => {
      const token = await tokenOf(persona, 'email_verification');
      return async () => outcomeOf(await post('verify', { token }));
    },
    forgot: async (persona) => async () => {
      const response = outcomeOf(await forgot(persona.email));
      await service.idle();
      const [row] = await service.sql("SELECT 1 FROM outbox WHERE recipient = $1 AND type = 'password_reset'", [
        persona.email,
      ]);
      return row ? `${response} and mail` : response;
    },
    validate: async (persona) => {
      const token = await resetTokenOf(persona);
      return async () => String((await service.anonymous.get(`/v1/auth/reset/${token}`)).body.valid);
    },
    reset: async (persona) => {
      const token = await resetTokenOf(persona);
      return async () => outcomeOf(await post('reset', { token, password: NEW_PASSWORD }));
    },
    revert: async (persona) => {
      const token = await changeEmail(service, persona, { to: `new.${persona.email}` });
      return async () => outcomeOf(await post('email-revert', { token, password: NEW_PASSWORD }));
    },
    'authorise an address': async (persona) => {
      await heldBy(persona);
      const token = await tokenOf(persona, 'ip_authorization');
      return async () => outcomeOf(await post('authorize-ip', { token }));
    },
    'poll a confirmed hold': async (persona) => {
      const ticket = await heldBy(persona);
      await post('authorize-ip', { token: await tokenOf(persona, 'ip_authorization') });
      const query = { ticket };
      return async () => outcomeOf(await service.anonymous.get('/v1/auth/ip-authorization/poll', { query }));
    },
  };

  const cells = Object.keys(EXPECTED).flatMap((operation) =>
    (Object.keys(STATES) as State[]).map((state) => [operation, state] as const),
  );

  test.each(cells)('%s, %s', async (operation, state) => {
    const persona = await person(service, 'alice');
    const attempt = await OPERATIONS[operation]?.(persona);
    await enter(persona, state);
    const before = await sessionsOf(service, persona);
    const expected = EXPECTED[operation]?.[state] ?? EXPECTED[operation]?.otherwise;
    expect(await attempt?.()).toBe(expected);
    if (expected !== '200') expect(await sessionsOf(service, persona)).toBe(before);
  });

  test('registering the address and the name of a deleted account inherits nothing', async () => {
    const alice = await person(service, 'alice');
    await service.as(alice).post('/v1/users/@me/delete', { password: alice.password });
    await service.sql("UPDATE account SET deletion_at = now() - interval '1 second' WHERE id = $1", [alice.id]);
    await runCleanup(service);
    const { status, body } = await post('register', { email: alice.email, password: NEW_PASSWORD, username: 'alice' });
    expect(status).toBe(200);
    expect(body.user_id).not.toBe(alice.id);
    expect(await service.as(body.token).get('/v1/auth/sessions')).toMatchObject({ body: [{ current: true }] });
    expect(outcomeOf(await post('login', { email: alice.email, password: alice.password }))).toBe(CREDENTIALS);
    expect(await inboxOf(service, alice.email, 'account_deletion_scheduled')).toEqual([]);
  });
});
