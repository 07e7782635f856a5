import { EpochsOfPendingThings1796400000000 } from '../migrations/1796400000000-epochs-of-pending-things.js';
import { SessionLimits1797400000000 } from '../migrations/1797400000000-session-limits.js';
import { defineFeature } from '../policy/feature.js';
import { authMails } from './auth.mails.js';
import { AuthModule } from './auth.module.js';
import { AllowanceSettings, PasswordHashSettings, SessionSettings, SignInSettings } from './auth.settings.js';
import { SecurityNotices } from './notices/security-notices.service.js';
import { AuthorizedIp, BackupCode, OneTimeSecret, Passkey, Session } from './records/auth.entities.js';
import { SIGN_IN_METHODS } from './sessions/issuance.service.js';
import { SignInCounter } from './sessions/sign-in-counter.service.js';
import { SignInRemoval } from './sign-in-removal.service.js';
import { SsoDocument, SsoIdentity } from './sso/sso.entities.js';

/** Sign-in, sessions, factors, sudo mode and single sign-on. */
export const auth = defineFeature('auth', {
  modules: [AuthModule],
  entities: [Session, AuthorizedIp, BackupCode, Passkey, OneTimeSecret, SsoDocument, SsoIdentity],
  migrations: [EpochsOfPendingThings1796400000000, SessionLimits1797400000000],
  settings: [SessionSettings, SignInSettings, PasswordHashSettings, AllowanceSettings],
  errors: {
    INVALID_HANDOFF_CODE: [400, 'The code is invalid.'],
    HANDOFF_CODE_EXPIRED: [400, 'The code has expired.'],
    SESSION_TOKEN_MISMATCH: [400, 'The credential belongs to another account.'],
    IP_AUTHORIZATION_RESEND_LIMIT_EXCEEDED: [400, 'The email was already sent again. No further email is sent.'],
    NO_PASSKEYS_REGISTERED: [400, 'The account has no passkey.'],
    INVALID_WEBAUTHN_CREDENTIAL: [400, 'The passkey response is invalid.'],
    WEBAUTHN_CREDENTIAL_LIMIT_REACHED: [400, 'The account has the maximum number of passkeys.'],
    PASSKEY_AUTHENTICATION_FAILED: [401, 'The passkey was rejected.'],
    BOT_USER_AUTH_ENDPOINT_ACCESS_DENIED: [403, 'Bots are not allowed to use this operation.'],
    BOT_USER_AUTH_SESSION_CREATION_DENIED: [403, 'Bots cannot have sessions.'],
    ACCOUNT_SUSPENDED_TEMPORARILY: [403, 'The account is suspended until `banned_until`.'],
    ACCOUNT_SUSPENDED_PERMANENTLY: [403, 'The account is permanently suspended.'],
    REGISTRATION_CLOSED: [403, 'Registration is closed.'],
    REGISTRATION_PENDING_APPROVAL: [403, 'An administrator must approve the registration first.'],
    REGISTRATION_REJECTED: [403, 'The registration was rejected.'],
    IP_AUTHORIZATION_REQUIRED: [403, 'Confirm the sign-in with the link in the email.'],
    INVALID_API_ORIGIN: [403, 'The origin is not allowed.'],
    MFA_EMAIL_VERIFICATION_REQUIRED: [403, 'Verify the email address first.'],
    UNKNOWN_WEBAUTHN_CREDENTIAL: [404, 'Unknown passkey.'],
    IP_AUTHORIZATION_RESEND_COOLDOWN: [429, 'An email was sent recently. Wait before you request another.'],
  },
  fieldErrors: {
    INVALID_EMAIL_ADDRESS: 'The email address cannot receive emails.',
    INVALID_EMAIL_OR_PASSWORD: 'Wrong email address or password.',
    INVALID_PASSWORD: 'The password is wrong.',
    INVALID_CODE: 'The code is incorrect. Check it and try again.',
    INVALID_MFA_CODE: 'The proof is invalid.',
    TOTP_NOT_ENABLED: 'No authenticator app is set up.',
    SESSION_TIMEOUT: 'The sign-in has expired.',
    PASSWORD_LENGTH_INVALID: 'Password must be 8 to 256 characters.',
    PASSWORD_IS_TOO_COMMON: 'The password is too common.',
    MUST_AGREE_TO_TOS_AND_PRIVACY_POLICY: 'The user must agree to the terms and the privacy policy.',
    USER_DOES_NOT_HAVE_AN_EMAIL_ADDRESS: 'The account has no email address.',
    INVALID_OR_EXPIRED_VERIFICATION_TOKEN: 'The link is invalid or expired.',
    INVALID_OR_EXPIRED_RESET_TOKEN: 'The link is invalid or expired.',
    INVALID_OR_EXPIRED_REVERT_TOKEN: 'The link is invalid or expired.',
    INVALID_OR_EXPIRED_AUTHORIZATION_TOKEN: 'The link is invalid or expired.',
    INVALID_OR_EXPIRED_AUTHORIZATION_TICKET: 'The ticket is invalid or expired.',
    INVALID_OR_EXPIRED_SSO_STATE: 'The sign-in has expired.',
    SSO_MISCONFIGURED: 'Single sign-on is not fully configured.',
    SSO_IDENTITY_MISMATCH: 'The identity is linked to another account.',
    SSO_PROVIDER_DID_NOT_RETURN_EMAIL: 'The identity provider did not return an email address.',
    EMAIL_DOMAIN_NOT_ALLOWED_FOR_SSO: 'The email domain is not allowed for single sign-on.',
    INVALID_SSO_AUTHORIZATION_CODE: 'The identity provider rejected the code.',
    INVALID_SSO_TOKEN: 'The identity provider returned an invalid token.',
    FAILED_TO_FETCH_SSO_USER_INFO: 'The identity provider did not return user information.',
    FAILED_TO_PARSE_SSO_USER_INFO: 'The identity provider returned invalid user information.',
    SSO_UNABLE_TO_ALLOCATE_DISCRIMINATOR: 'The username is taken.',
  },
  buckets: {
    'auth:register': [10, 10],
    'auth:login': [10, 10],
    'auth:login:mfa': [5, 60],
    'auth:forgot': [5, 60],
    'auth:webauthn:options': [20, 10],
    'auth:webauthn:authenticate': [10, 10],
    'auth:passkey_bridge:start': [10, 60],
    'auth:passkey_bridge:complete': [10, 60],
    'auth:passkey_bridge:redeem': [10, 60],
    'auth:passkey_bridge:options': [20, 60],
    'auth:logout': [20, 10],
    'auth:sessions:logout': [20, 10],
    'auth:sessions': [40, 10],
    'auth:verify': [10, 60],
    'auth:verify:resend': [10, 60],
    'auth:reset': [10, 60],
    'auth:email_revert': [10, 60],
    'auth:reset:validate': [20, 60],
    'auth:authorize_ip': [5, 60],
    'auth:ip_authorization_resend': [5, 60],
    'auth:ip_authorization_poll': [60, 60],
    'auth:handoff:initiate': [10, 60],
    'auth:handoff:info': [10, 60],
    'auth:handoff:complete': [10, 60],
    'auth:handoff:cancel': [10, 60],
    'auth:handoff:status': [60, 60],
    'auth:sso:start': [10, 10],
    'auth:sso:complete': [15, 10],
    'mfa:webauthn:list': [40, 10],
    'mfa:webauthn:registration_options': [20, 10],
    'mfa:webauthn:update': [20, 10],
    'mfa:webauthn:register': [10, 60],
    'mfa:webauthn:delete': [10, 60],
    'mfa:webauthn:two_factor': [10, 60],
    'sudo:mfa:methods': [20, 60],
    'sudo:webauthn:options': [10, 60],
    'sudo:passkey_bridge': [10, 60],
  },
  secrets: {
    'mfa-ticket': 'account',
    'ip-ticket': 'account',
    'ip-token': 'account',
    'password-reset': 'account',
    'webauthn-mfa': 'account',
    'webauthn-sudo': 'account',
    'webauthn-registration': 'account',
    'webauthn-bridge': 'later',
    'bridge-ceremony': 'later',
    handoff: 'later',
    // A password reset keeps it (auth.md section 6), because it grants no access.
    'email-verification': 'address',
    // It reverts a takeover, including a changed password and removed factors (auth.md section 7).
    'email-revert': 'owner',
    'webauthn-login': 'none',
    'sso-state': 'none',
    'captcha-spent': 'none',
  },
  mails: authMails,
  exports: {
    sessions: {
      select: `SELECT ip, user_agent, os, created_at, last_used_at, revoked_at
        FROM session WHERE account_id = $1 ORDER BY id`,
    },
    authorized_ips: {
      select: 'SELECT ip_key, created_at FROM authorized_ip WHERE account_id = $1 ORDER BY created_at',
    },
    passkeys: {
      select: `SELECT id, name, transports, backup_eligible, created_at, last_used_at
        FROM passkey WHERE account_id = $1 ORDER BY created_at`,
    },
    backup_codes: {
      select: 'SELECT position, consumed_at FROM backup_code WHERE account_id = $1 ORDER BY position',
    },
    pending_secrets: {
      select: `SELECT purpose, created_at, expires_at FROM one_time_secret
        WHERE account_id = $1 ORDER BY created_at`,
    },
    sign_on_identities: {
      select: 'SELECT issuer, subject, created_at FROM sso_identity WHERE account_id = $1 ORDER BY created_at',
    },
  },
  lifecycle: {
    signedIn: { required: SignInCounter },
    emailChanged: { required: SecurityNotices },
    disabled: { required: SecurityNotices },
    enabled: { required: SecurityNotices },
    banned: { required: SecurityNotices },
    deletionScheduled: { required: SecurityNotices },
    deletionCanceled: { required: SecurityNotices },
  },
  metrics: {
    gatehouse_sign_ins_total: {
      type: 'counter',
      help: 'Sessions that a sign-in created, by method',
      labels: { method: SIGN_IN_METHODS },
    },
  },
  erasure: {
    session: { eraser: SignInRemoval },
    authorized_ip: { eraser: SignInRemoval },
    passkey: { eraser: SignInRemoval },
    backup_code: { eraser: SignInRemoval },
    sso_identity: { eraser: SignInRemoval },
    one_time_secret: { eraser: SignInRemoval },
    sso_document: { kept: 'documents of the identity provider' },
  },
});

declare module '../core/merged.js' {
  interface Features {
    auth: typeof auth;
  }
}

declare module '../core/config/config.js' {
  interface Config extends SessionSettings, SignInSettings, PasswordHashSettings, AllowanceSettings {}
}
