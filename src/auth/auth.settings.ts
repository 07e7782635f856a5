import { settings } from '../core/config/declared.js';
import type { SettingsReader } from '../core/config/reader.js';
import { hashesOf } from '../core/machine/machine.cjs';
import { InstanceSettings } from '../platform/settings/instance.settings.js';
import { LIMITS_SECTION } from '../platform/settings/limits.settings.js';

/** Session use is recorded once a minute. A shorter limit could end sessions that are in use. */
const MIN_IDLE_SECONDS = 300;
/** Android identifies an app in passkey requests by the SHA-256 of its signing key. */
const ANDROID_APP = /^android:apk-key-hash:[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

const NATIVE_CALLBACK = 'service://auth/sso/callback';

/** The callback of native clients: a URI without query and fragment, in normalized form. */
function nativeCallback(read: SettingsReader): string {
  const about = 'Callback URI of native clients after single sign-on';
  const value = read.text('SSO_NATIVE_CALLBACK_URI', about, { shown: NATIVE_CALLBACK }) ?? NATIVE_CALLBACK;
  if (
    URL.canParse(value) &&
    new URL(value).href === value &&
    !/[?#]/.test(value) &&
    !/^(?:http|data|javascript):/.test(value)
  ) {
    return value;
  }
  read.fault('SSO_NATIVE_CALLBACK_URI', 'must be an absolute URI of a native client, without query and fragment');
  return NATIVE_CALLBACK;
}

/** How many sessions an account has, and how long they last. */
export class SessionSettings extends settings('Sign-in', (read) => {
  const sessionsPerAccount = read.int(
    'SESSIONS_PER_ACCOUNT',
    'Maximum number of sessions of an account. A new session beyond it ends the least recently used one',
    250,
    [1, 10000],
  );
  const sessionMaxSeconds = read.int(
    'SESSION_MAX_SECONDS',
    'Maximum lifetime of a session in seconds. 0: unlimited',
    0,
    [0, 315360000],
  );
  const sessionIdleSeconds = read.int(
    'SESSION_IDLE_SECONDS',
    'Seconds without a request after which a session ends, at least 300, precise to a minute. 0: never',
    0,
    [0, 315360000],
  );
  if (sessionIdleSeconds > 0 && sessionIdleSeconds < MIN_IDLE_SECONDS) {
    read.fault('SESSION_IDLE_SECONDS', `must be 0 or at least ${MIN_IDLE_SECONDS}`);
  }
  return { sessionsPerAccount, sessionMaxSeconds, sessionIdleSeconds };
}) {}

/** Ways to sign in. */
export class SignInSettings extends settings('Sign-in', (read) => {
  const { publicOrigin, webAppUrl } = read.of(InstanceSettings);
  const ipAuthorization = read.onOff(
    'IP_AUTHORIZATION',
    'Require confirmation by email for password sign-ins from unknown IP addresses',
    true,
  );
  if (read.peek('IP_AUTHORIZATION') === 'on' && read.peek('MAIL_TRANSPORT') === 'none') {
    read.fault(
      'IP_AUTHORIZATION',
      'must be off or unset with MAIL_TRANSPORT=none, because users could not confirm a sign-in',
    );
  }
  const webauthnRpId = read.text('WEBAUTHN_RP_ID', 'Relying party ID of passkeys. Unset: the host of PUBLIC_ORIGIN');
  const webauthnOrigins = read.origins(
    'WEBAUTHN_ORIGINS',
    'Origins that may use passkeys, and signing keys of Android apps. Include PUBLIC_ORIGIN. Unset: PUBLIC_ORIGIN',
    { form: ANDROID_APP, named: 'android:apk-key-hash:<43 characters of base64url>' },
  );
  return {
    ipAuthorization,
    webauthnRpId: webauthnRpId ?? new URL(publicOrigin).hostname,
    webauthnOrigins: webauthnOrigins.length ? webauthnOrigins : [publicOrigin],
    passkeyBridge: read.onOff(
      'PASSKEY_BRIDGE',
      'Let another origin of yours use passkeys through the bridge page',
      true,
    ),
    passwordBreachUrl: read.url(
      'PASSWORD_BREACH_URL',
      'URL of a service for breached passwords (range protocol). Unset: passwords are not checked',
      undefined,
      ['http:', 'https:'],
    ),
    sso: {
      nativeCallbackUri: nativeCallback(read),
      allowPrivateAddresses: read.bool(
        'SSO_ALLOW_PRIVATE_ADDRESSES',
        'Allow private IP addresses of the identity provider, if it is in the same network',
        false,
      ),
      redirectUri: `${webAppUrl}/auth/sso/callback`,
    },
  };
}) {}

/** Password hashes. */
export class PasswordHashSettings extends settings('Sign-in', (read) => {
  const { nodeEnv, workers } = read.of(InstanceSettings);
  // Tests store no real passwords.
  const isTest = nodeEnv === 'test';
  const memoryKib = read.int('ARGON2_MEMORY_KIB', 'Memory of a password hash, in KiB', 19456, [
    isTest ? 8 : 19456,
    1048576,
  ]);
  const argon2 = {
    memoryKib,
    passes: read.int('ARGON2_PASSES', 'Number of passes of a password hash', 2, [isTest ? 1 : 2, 20]),
    concurrency: read.int(
      'ARGON2_CONCURRENCY',
      'Maximum number of parallel password hashes per process. Unset: the cores of the container minus one, as far as its memory allows, shared by all WORKERS',
      Math.max(1, Math.floor(hashesOf(memoryKib * 1024, workers) / workers)),
      [1, 64],
      { shown: '' },
    ),
    queue: read.int('ARGON2_QUEUE', 'Maximum number of waiting password hashes', 64, [0, 10000]),
  };
  return { argon2 };
}) {}

/** Limits of sign-in attempts and registrations. */
export class AllowanceSettings extends settings(LIMITS_SECTION, (read) => {
  const { production } = read.of(InstanceSettings);
  return {
    loginAllowances: read.onOff(
      'LOGIN_ALLOWANCES',
      'Limit sign-in attempts per IP address and email address. Unset: on in production, otherwise off',
      production,
      { shown: '' },
    ),
    registrationAllowances: read.onOff(
      'REGISTRATION_ALLOWANCES',
      'Limit registrations per IP address, subnet and email address. Unset: on in production, otherwise off',
      production,
      { shown: '' },
    ),
  };
}) {}
