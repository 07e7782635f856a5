import { readFileSync } from 'node:fs';
import { Config } from '../../src/core/config/config.js';
import {
  configureSso,
  type Gatehouse,
  logIn,
  type Persona,
  SoftwareAuthenticator,
  type TestResponse,
  withPasskey,
  withTotp,
} from '../support/index.js';

/** docs/account-changes.md */
export const ACCOUNT_CHANGES = readFileSync('docs/account-changes.md', 'utf8');

/** The rows of its table: the operation, and the email, the event and the page by which the user learns of it. */
export const ROWS = ACCOUNT_CHANGES.split('\n')
  .filter((line) => line.startsWith('|'))
  .slice(2)
  .map((line) => line.split('|').slice(1, 5))
  .map(([operation = '', ...cells]) => [operation.trim(), ...cells.map((cell) => cell.replaceAll('`', '').trim())]);

/** The ban of its row. */
export const BAN = { duration_hours: 24, reason: 'Spam in <b>five</b> rooms' };

export const ok = ({ status, body }: TestResponse) => {
  if (status !== 200 && status !== 204) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
};
export const of = ({ id }: { id: string }, what: string): string => `/v1/admin/users/${id}/${what}`;

export interface StateChange {
  readonly before?: (persona: Persona) => Promise<unknown>;
  readonly make: (persona: Persona) => Promise<unknown>;
}

/**
 * The calls that perform the operation of each row.
 * @param issuer an identity provider that answers
 */
export function stateChanges(service: Gatehouse, root: Persona, issuer: string): Readonly<Record<string, StateChange>> {
  const origin = service.app.get(Config).publicOrigin;
  const mine = (persona: Persona, what: string) =>
    service.as(persona).post(`/v1/users/@me/${what}`, { password: persona.password });
  const put =
    (what: string, body: object = {}) =>
    async (persona: Persona) =>
      ok(await service.as(root).put(of(persona, what), body));
  const undo = (what: string) => async (persona: Persona) => ok(await service.as(root).delete(of(persona, what)));
  const set = (columns: string) => (persona: Persona) =>
    service.sql(`UPDATE account SET ${columns} WHERE id = $1`, [persona.id]);
  const returning = async (persona: Persona) => ok(await logIn(service, persona));
  const deciding =
    (status: string) =>
    async ({ id }: Persona) =>
      ok(await service.as(root).patch(`/v1/admin/instance/pending-registrations/${id}`, { status }));
  const ADMIN = '/v1/admin/users/:user_id/';
  const PENDING = "email_verified = false, traits = '{registration_pending_approval}'";

  async function linked(persona: Persona): Promise<void> {
    await configureSso(service, { issuer });
    ok(await service.as(root).put(of(persona, 'sso-identity'), { subject: persona.id }));
  }

  return {
    '`POST /v1/users/@me/disable`': { make: async (persona) => ok(await mine(persona, 'disable')) },
    'Sign in to an account that its user disabled': { before: (persona) => mine(persona, 'disable'), make: returning },
    '`POST /v1/users/@me/delete`': { make: async (persona) => ok(await mine(persona, 'delete')) },
    'Sign in to an account that its user scheduled for deletion': {
      before: (persona) => mine(persona, 'delete'),
      make: returning,
    },
    '`POST /v1/users/@me/lockdown`': { make: async (persona) => ok(await mine(persona, 'lockdown')) },
    [`\`PUT ${ADMIN}ban\``]: { make: put('ban', BAN) },
    [`\`DELETE ${ADMIN}ban\``]: { before: put('ban', BAN), make: undo('ban') },
    'Sign in after the end of a ban': {
      before: set("banned = true, banned_until = now() - interval '1 second'"),
      make: returning,
    },
    [`\`PUT ${ADMIN}deletion\``]: { make: put('deletion', { reason_code: 3 }) },
    [`\`DELETE ${ADMIN}deletion\``]: { before: put('deletion', { reason_code: 3 }), make: undo('deletion') },
    [`\`PUT ${ADMIN}suspicious-activity-disablement\``]: { make: put('suspicious-activity-disablement', { flags: 1 }) },
    [`\`DELETE ${ADMIN}suspicious-activity-disablement\``]: {
      before: put('suspicious-activity-disablement', { flags: 1 }),
      make: undo('suspicious-activity-disablement'),
    },
    [`\`PUT ${ADMIN}suspicious-activity-flags\``]: { make: put('suspicious-activity-flags', { flags: 4 }) },
    [`\`DELETE ${ADMIN}lockdown\``]: { before: set("traits = '{locked_down}'"), make: undo('lockdown') },
    [`\`PUT ${ADMIN}phone-verification\``]: { make: put('phone-verification', { has_verified_phone: true }) },
    [`\`PUT ${ADMIN}email-verification\``]: { before: set('email_verified = false'), make: put('email-verification') },
    [`\`PUT ${ADMIN}email-bounce\``]: { make: put('email-bounce', { bounced: true }) },
    [`\`PATCH ${ADMIN}email\``]: {
      make: async (persona) =>
        ok(await service.as(root).patch(of(persona, 'email'), { email: `new.${persona.email}` })),
    },
    [`\`DELETE ${ADMIN}mfa\``]: { before: (persona) => withTotp(service, persona), make: undo('mfa') },
    [`\`DELETE ${ADMIN}webauthn-credentials/:credential_id\``]: {
      before: (persona) => withPasskey(service, persona, new SoftwareAuthenticator('ES256', { origin })),
      make: async (persona) => {
        const [{ id }] = ok(await service.as(root).get(of(persona, 'webauthn-credentials')));
        ok(await service.as(root).delete(of(persona, `webauthn-credentials/${id}`)));
      },
    },
    [`\`DELETE ${ADMIN}sessions\``]: { make: undo('sessions') },
    [`\`PUT ${ADMIN}sso-identity\``]: { make: linked },
    [`\`DELETE ${ADMIN}sso-identity\``]: { before: linked, make: undo('sso-identity') },
    [`\`PUT ${ADMIN}acls\``]: { make: put('acls', { acls: ['admin:authenticate'] }) },
    '`PATCH /v1/admin/instance/pending-registrations/:user_id` to `approved`': {
      before: set(PENDING),
      make: deciding('approved'),
    },
    '`PATCH /v1/admin/instance/pending-registrations/:user_id` to `rejected`': {
      before: set(PENDING),
      make: deciding('rejected'),
    },
  };
}
