import type { RoutePlan } from '../../src/policy/plan.js';
import { Routes } from '../../src/policy/routes.js';
import { CONNECTION_CALLBACK, LOGOUT, PAGES } from '../../src/web/paths.js';
import { type Gatehouse, gatehouse } from '../support/index.js';

/**
 * The lists of all routes with relaxed protection, copied from the contract. A route with one of these policies must be
 * listed here, and each line must have a route. This forces a second review of every change that grants more access.
 */
const lines = (text: string): string[] => text.trim().split(/\s*\n\s*/);

const PUBLIC = lines(`
  DELETE /v1/auth/handoff/{}
  GET /v1/auth/connections
  GET /v1/auth/handoff/{}/info
  GET /v1/auth/handoff/{}/status
  GET /v1/auth/ip-authorization/poll
  GET /v1/auth/reset/{}
  GET /v1/auth/sso/status
  GET /v1/captcha/challenge
  GET /v1/oauth2/applications/{}/public
  GET /v1/oauth2/authorize
  POST /v1/auth/authorize-ip
  POST /v1/auth/connections/{}/complete
  POST /v1/auth/connections/{}/start
  POST /v1/auth/email-revert
  POST /v1/auth/forgot
  POST /v1/auth/handoff/initiate
  POST /v1/auth/handoff/{}/status
  POST /v1/auth/ip-authorization/resend
  POST /v1/auth/lockdown
  POST /v1/auth/login
  POST /v1/auth/login/mfa/totp
  POST /v1/auth/login/mfa/webauthn
  POST /v1/auth/login/mfa/webauthn/authentication-options
  POST /v1/auth/passkey-bridge
  POST /v1/auth/passkey-bridge/{}/cancel
  POST /v1/auth/passkey-bridge/{}/complete
  POST /v1/auth/passkey-bridge/{}/options
  POST /v1/auth/passkey-bridge/{}/redeem
  POST /v1/auth/register
  POST /v1/auth/reset
  POST /v1/auth/sso/complete
  POST /v1/auth/sso/start
  POST /v1/auth/username-suggestions
  POST /v1/auth/verify
  POST /v1/auth/webauthn/authenticate
  POST /v1/auth/webauthn/authentication-options
  POST /v1/oauth2/logout`);

const CREDENTIAL_FREE = lines(`
  DELETE /dev/inbox
  DELETE /v1/webhooks/{}/{}
  DELETE /v1/webhooks/{}/{}/messages/{}
  GET /
  GET /.well-known/change-password
  GET /.well-known/jwks.json
  GET /.well-known/oauth-authorization-server
  GET /.well-known/openid-configuration
  GET /.well-known/passkey-endpoints
  GET /.well-known/security.txt
  GET /.well-known/service
  GET /.well-known/webauthn
  GET /account
  GET /account/{}
  GET /admin
  GET /admin/{}
  GET /assets/{}
  GET /asyncapi.json
  GET /auth/authorize-ip
  GET /auth/connections/{}/callback
  GET /auth/email-revert
  GET /auth/lockdown
  GET /auth/passkey
  GET /auth/reset
  GET /auth/sso/callback
  GET /auth/verify
  GET /dev/components
  GET /dev/inbox
  GET /dev/inbox.json
  GET /dev/mails
  GET /dev/mails/{}/{}
  GET /docs
  GET /docs/{}
  GET /favicon.ico
  GET /forgot
  GET /guides
  GET /guides/{}
  GET /handoff
  GET /health/live
  GET /health/ready
  GET /login
  GET /media/attachments/{}
  GET /media/avatars/{}/{}
  GET /media/banners/{}/{}
  GET /media/external/{}
  GET /media/external/{}/{}
  GET /metrics
  GET /oauth2/authorize
  GET /oauth2/logout
  GET /openapi.json
  GET /passkey-bridge
  GET /register
  GET /robots.txt
  GET /v1/forward-auth/{}
  GET /v1/gateway/bot
  GET /v1/webhooks/{}/{}
  GET /v1/webhooks/{}/{}/messages/{}
  PATCH /v1/webhooks/{}/{}
  PATCH /v1/webhooks/{}/{}/messages/{}
  POST /oauth2/logout
  POST /v1/credentials/revoke
  POST /v1/webhooks/{}/{}
  POST /v1/webhooks/{}/{}/github
  POST /v1/webhooks/{}/{}/slack
  PUT /media/relay/{}`);

const CLIENT_AUTH = lines(`
  GET /v1/decisions/revocations
  POST /v1/decisions
  POST /v1/oauth2/introspect
  POST /v1/oauth2/token
  POST /v1/oauth2/token/revoke`);

/** account.md 9.2, and the setup token (admin.md section 3). */
const ADMITTED_WHILE_SUSPICIOUS = lines(`
  DELETE /v1/oauth2/@me/authorizations/{}
  DELETE /v1/oauth2/applications/{}
  GET /v1/applications/@me
  GET /v1/auth/sessions
  GET /v1/oauth2/@me/authorizations
  GET /v1/oauth2/applications/@me
  GET /v1/oauth2/applications/{}
  GET /v1/oauth2/applications/{}/backchannel-logouts
  GET /v1/users/@me
  GET /v1/users/@me/applications
  GET /v1/users/@me/identities
  GET /v1/users/@me/security-events
  GET /v1/users/@me/settings
  PATCH /v1/oauth2/applications/{}
  PATCH /v1/oauth2/applications/{}/bot
  PATCH /v1/users/@me
  POST /v1/auth/logout
  POST /v1/auth/sessions/logout
  POST /v1/auth/verify/resend
  POST /v1/oauth2/@me/authorizations/revoke
  POST /v1/oauth2/applications
  POST /v1/oauth2/applications/{}/bot/reset-token
  GET /v1/oauth2/applications/{}/bot/tokens
  POST /v1/oauth2/applications/{}/bot/tokens
  DELETE /v1/oauth2/applications/{}/bot/tokens/{}
  GET /v1/users/@me/access-tokens
  DELETE /v1/users/@me/access-tokens/{}
  POST /v1/oauth2/applications/{}/client-secret/reset
  POST /v1/oauth2/authorize/consent
  POST /v1/setup
  POST /v1/users/@me/email-change/apply
  POST /v1/users/@me/email-change/bounced/request-new
  POST /v1/users/@me/email-change/bounced/resend-new
  POST /v1/users/@me/email-change/bounced/verify-new
  POST /v1/users/@me/email-change/request-new
  POST /v1/users/@me/email-change/resend-new
  POST /v1/users/@me/email-change/resend-original
  POST /v1/users/@me/email-change/start
  POST /v1/users/@me/email-change/verify-new
  POST /v1/users/@me/email-change/verify-original
  POST /v1/users/@me/lockdown
  POST /v1/users/@me/phone/send-verification
  POST /v1/users/@me/phone/verify`);

/** account.md 9.1, in its numbering. */
const BLOCKED_BY_SSO = lines(`
  POST /v1/auth/register
  POST /v1/auth/login
  POST /v1/auth/webauthn/authentication-options
  POST /v1/auth/webauthn/authenticate
  POST /v1/auth/login/mfa/totp
  POST /v1/auth/login/mfa/webauthn/authentication-options
  POST /v1/auth/login/mfa/webauthn
  POST /v1/auth/passkey-bridge
  POST /v1/auth/passkey-bridge/{}/redeem
  POST /v1/auth/verify
  POST /v1/auth/verify/resend
  POST /v1/auth/forgot
  GET /v1/auth/reset/{}
  POST /v1/auth/reset
  POST /v1/auth/email-revert
  POST /v1/auth/authorize-ip
  POST /v1/auth/ip-authorization/resend
  GET /v1/auth/ip-authorization/poll
  POST /v1/auth/username-suggestions`);

const CASE_FREE_SCHEME = lines(`
  GET /v1/applications/@me
  GET /v1/gateway/bot`);

/** account.md 9.3. */
const WITHOUT_SUDO_PROOF = lines(`
  POST /v1/users/@me/disable
  POST /v1/users/@me/mfa/webauthn/credentials/registration-options`);

/** conventions.md section 3. */
const READ_FROM_ANY_ORIGIN = lines(`
  GET /.well-known/jwks.json
  GET /.well-known/oauth-authorization-server
  GET /.well-known/openid-configuration
  GET /.well-known/service
  GET /asyncapi.json
  GET /media/attachments/{}
  GET /media/avatars/{}/{}
  GET /media/banners/{}/{}
  GET /media/external/{}
  GET /media/external/{}/{}
  GET /openapi.json
  GET /v1/oauth2/@me
  GET /v1/oauth2/openid/userinfo
  GET /v1/oauth2/userinfo
  POST /v1/oauth2/openid/userinfo
  POST /v1/oauth2/token
  POST /v1/oauth2/token/revoke`);

const WRITTEN_FROM_ANY_ORIGIN = ['PUT /media/relay/{}'];

/** forward-auth.md section 2: any method, no limits of its own. A service policy decides instead. */
const BY_SERVICE_POLICY = ['GET /v1/forward-auth/{}'];

const READ_FROM_NO_ORIGIN = [
  ...BY_SERVICE_POLICY,
  ...CREDENTIAL_FREE.filter((line) => line.includes('/v1/webhooks/{}/{}')),
];

/** conventions.md section 8. */
const WITH_CAPTCHA = lines(`
  POST /v1/auth/forgot
  POST /v1/auth/login
  POST /v1/auth/register
  POST /v1/oauth2/applications`);

let service: Gatehouse;
let routes: readonly RoutePlan[];
beforeAll(async () => {
  service = await gatehouse();
  routes = service.app.get(Routes).all;
});
afterAll(() => service.close());

const lineOf = ({ method, path }: RoutePlan): string => `${method} ${path.replace(/[:*]\w+/g, '{}')}`;

describe('exposure: the ledger lists exactly the allowed callers', () => {
  test.each<[policy: string, ledger: string[], has: (route: RoutePlan) => boolean]>([
    ['@Public', PUBLIC, ({ policy }) => policy.kind === 'Public'],
    ['@CredentialFree', CREDENTIAL_FREE, ({ policy }) => policy.kind === 'CredentialFree'],
    ['@ClientAuth', CLIENT_AUTH, ({ policy }) => policy.kind === 'ClientAuth'],
    ['@AllowSuspicious', ADMITTED_WHILE_SUSPICIOUS, ({ policy }) => policy.allowSuspicious],
    ['@BlockedBySso', BLOCKED_BY_SSO, ({ policy }) => policy.blockedBySso],
    ['@CaseInsensitiveScheme', CASE_FREE_SCHEME, ({ policy }) => policy.caseInsensitiveScheme],
    ['@RequiresSudo({ issuesProof: false })', WITHOUT_SUDO_PROOF, ({ policy }) => policy.sudo?.issuesProof === false],
    ["@Cors('any')", READ_FROM_ANY_ORIGIN, ({ policy }) => policy.cors === 'any'],
    ["@Cors('upload')", WRITTEN_FROM_ANY_ORIGIN, ({ policy }) => policy.cors === 'upload'],
    ["@Cors('none')", READ_FROM_NO_ORIGIN, ({ policy }) => policy.cors === 'none'],
    ['@ByServicePolicy', BY_SERVICE_POLICY, ({ policy }) => policy.byServicePolicy === true],
    ['@Captcha', WITH_CAPTCHA, ({ policy }) => policy.captcha],
  ])('%s', (_policy, ledger, has) => {
    const found = routes.filter(has).map(lineOf).sort();
    expect(found).toEqual([...ledger].sort());
  });

  test('19 operations are blocked by single sign-on, two match a scheme case-insensitively', () => {
    expect([BLOCKED_BY_SSO.length, CASE_FREE_SCHEME.length]).toEqual([19, 2]);
  });

  test('Admin routes are those below /v1/admin, each with an ACL', () => {
    for (const { path, policy } of routes) {
      expect([path, policy.kind === 'AdminAcl']).toEqual([path, path.startsWith('/v1/admin/')]);
      if (policy.kind === 'AdminAcl') expect([path, policy.acl?.acls.length]).not.toEqual([path, 0]);
    }
  });

  test('nothing is mounted outside the paths of conventions.md section 1', () => {
    const places =
      /^\/(v1\/|\.well-known\/(service|oauth-authorization-server|openid-configuration|jwks\.json|security\.txt|change-password|webauthn|passkey-endpoints)$|oauth2\/authorize|gateway$|media\/|health\/(live|ready)$|metrics$|docs|guides|(openapi|asyncapi)\.json$|favicon\.ico$|robots\.txt$|dev\/(inbox|mails|components))/;
    const parts = ['/account', '/account/*view', '/admin', '/admin/*view', '/assets/*file'];
    const pages = new Set<string>([...parts, ...PAGES, CONNECTION_CALLBACK, LOGOUT]);
    expect(routes.map(({ path }) => path).filter((path) => !places.test(path) && !pages.has(path))).toEqual([]);
  });
});
