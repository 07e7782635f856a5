/** How to call an operation, and the error that admin.md defines for each target. `open` stands for no error. */
export interface Recipe {
  readonly body?: Record<string, unknown>;
  readonly self: 'ACCESS_DENIED' | 'open';
  readonly application?: string;
}

const OF_EMAIL = { self: 'ACCESS_DENIED', application: 'BOT_USER_AUTH_ENDPOINT_ACCESS_DENIED' } as const;
const OWN = { self: 'ACCESS_DENIED' } as const;
const OPEN = { self: 'open' } as const;

/**
 * Every operation of the Admin API that changes an account, by its route. `admin-2-protection` and
 * `credentials-7-stalled-bodies` test each of them, and the first one fails if an operation is missing here.
 */
export const OF_ACCOUNTS: Readonly<Record<string, Recipe>> = {
  'PUT /v1/admin/users/:user_id/acls': { ...OWN, body: { acls: [] } },
  'PUT /v1/admin/users/:user_id/ban': { ...OWN, body: { duration_hours: 1 } },
  'DELETE /v1/admin/users/:user_id/ban': OPEN,
  'PUT /v1/admin/users/:user_id/deletion': { ...OWN, body: { reason_code: 2 } },
  'DELETE /v1/admin/users/:user_id/deletion': OPEN,
  'PATCH /v1/admin/users/:user_id/email': { ...OF_EMAIL, body: { email: 'thief@example.com' } },
  'PUT /v1/admin/users/:user_id/email-bounce': { ...OF_EMAIL, body: { bounced: true } },
  'PUT /v1/admin/users/:user_id/email-verification': OF_EMAIL,
  'POST /v1/admin/users/:user_id/verification-email': OF_EMAIL,
  'POST /v1/admin/users/:user_id/password-reset': OF_EMAIL,
  'PATCH /v1/admin/users/:user_id/flags': { ...OPEN, body: { add_flags: ['1'] } },
  'DELETE /v1/admin/users/:user_id/lockdown': OPEN,
  'DELETE /v1/admin/users/:user_id/mfa': OWN,
  'DELETE /v1/admin/users/:user_id/access-tokens/:token_id': OPEN,
  'PUT /v1/admin/users/:user_id/phone-verification': { ...OPEN, body: { has_verified_phone: true } },
  'DELETE /v1/admin/users/:user_id/sessions': OPEN,
  'PUT /v1/admin/users/:user_id/sso-identity': { ...OWN, body: { subject: 'thief' } },
  'DELETE /v1/admin/users/:user_id/sso-identity': OWN,
  'DELETE /v1/admin/users/:user_id/suspicious-activity-disablement': OPEN,
  'PUT /v1/admin/users/:user_id/suspicious-activity-disablement': { ...OWN, body: { flags: 1 } },
  'PUT /v1/admin/users/:user_id/suspicious-activity-flags': { ...OPEN, body: { flags: 1 } },
  'PUT /v1/admin/users/:user_id/traits': { ...OPEN, body: { traits: ['captcha_exempt'] } },
  'DELETE /v1/admin/users/:user_id/webauthn-credentials/:credential_id': OWN,
  'PATCH /v1/admin/instance/pending-registrations/:user_id': { ...OPEN, body: { status: 'approved' } },
  'PATCH /v1/admin/applications/:application_id': OPEN,
};

/** Operations of the Admin API that change neither an account nor how one signs in, and the reason or the test. */
export const HARMLESS_OPERATIONS: Readonly<Record<string, string>> = {
  'POST /v1/admin/blocklists/ip/entries': 'IP addresses belong to no account: admin-ip-bans',
  'DELETE /v1/admin/blocklists/ip/entries/:value': 'IP addresses belong to no account: admin-ip-bans',
  'POST /v1/admin/explain': 'changes nothing: admin-explain',
  'POST /v1/admin/instance/mail/test': 'sends an email to the caller: admin-trials',
  'POST /v1/admin/instance/captcha/test': 'changes nothing: admin-trials',
  'POST /v1/admin/jobs/:job_id/retry': 'runs a background job again: admin-jobs',
  'POST /v1/admin/event-endpoints': 'endpoints belong to no account: outgoing-events',
  'PATCH /v1/admin/event-endpoints/:endpoint_id': 'endpoints belong to no account: outgoing-events',
  'DELETE /v1/admin/event-endpoints/:endpoint_id': 'endpoints belong to no account: outgoing-events',
  'POST /v1/admin/event-endpoints/:endpoint_id/secret': 'endpoints belong to no account: outgoing-events',
  'POST /v1/admin/event-endpoints/:endpoint_id/test': 'sends an event: outgoing-events',
  'POST /v1/admin/event-endpoints/:endpoint_id/replay': 'sends events again: outgoing-events',
  'POST /v1/admin/event-endpoints/:endpoint_id/deliveries/:delivery_id/replay': 'sends an event again: outgoing-events',
};
