import { readFileSync } from 'node:fs';
import tls from 'node:tls';
import { hashesOf } from '../machine/machine.cjs';
import { hideMembers, type SettingsReader } from './reader.js';
import type { ServiceSettings } from './service.settings.js';

/** Session use is recorded once a minute. A shorter limit could end sessions that are in use. */
const MIN_IDLE_SECONDS = 300;
/** Android identifies an app in passkey requests by the SHA-256 of its signing key. */
const ANDROID_APP = /^android:apk-key-hash:[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

const NATIVE_CALLBACK = 'service://auth/sso/callback';

/** The callback of native clients: a URI without query and fragment, in normalized form. */
function nativeCallback(read: SettingsReader): string {
  const about = 'Callback of native clients after single sign-on';
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

/** Newer versions of Node return the default authorities, including those of the system. */
const builtInAuthorities = (): readonly string[] => {
  const { getCACertificates } = tls as { getCACertificates?: (type: 'default') => string[] };
  return getCACertificates?.('default') ?? tls.rootCertificates;
};

/**
 * Authorities that outbound connections trust in addition to the built-in ones. Node reads the same variable, but only
 * warns if it cannot read the file.
 */
function extraAuthorities(read: SettingsReader): readonly string[] | undefined {
  const about = 'File of authorities (PEM) that outbound TLS trusts beside the built-in ones';
  const path = read.text('NODE_EXTRA_CA_CERTS', about);
  if (path === undefined) return undefined;
  try {
    const extra = readFileSync(path, 'utf8');
    tls.createSecureContext({ ca: extra });
    if (extra.includes('-----BEGIN CERTIFICATE-----')) return [...builtInAuthorities(), extra];
  } catch {
    // The error is reported below, as for a file without a certificate.
  }
  read.fault('NODE_EXTRA_CA_CERTS', 'must be a readable file of certificates in PEM');
  return undefined;
}

/** A third-party captcha provider needs both a site key and a secret. Keys without a provider would protect nothing. */
function captchaSettings(read: SettingsReader) {
  const provider = read.choice(
    'CAPTCHA_PROVIDER',
    'none, altcha (proof of work, made by the service itself), hcaptcha or turnstile',
    ['none', 'altcha', 'hcaptcha', 'turnstile'],
    'none',
  );
  const keys = (name: string, title: string) => {
    const siteKey = read.text(`${name}_SITE_KEY`, `Site key of ${title}`);
    const secret = read.secret(`${name}_SECRET`, `Secret of ${title}`);
    if (provider === title.toLowerCase()) {
      if (siteKey === undefined) read.fault(`${name}_SITE_KEY`, `is required with CAPTCHA_PROVIDER=${provider}`);
      if (secret === undefined) read.fault(`${name}_SECRET`, `is required with CAPTCHA_PROVIDER=${provider}`);
    }
    return hideMembers({ siteKey, secret }, 'secret');
  };
  const settings = {
    provider,
    hcaptcha: keys('HCAPTCHA', 'hCaptcha'),
    turnstile: keys('TURNSTILE', 'Turnstile'),
    verifyUrl: read.url('CAPTCHA_VERIFY_URL', "Replaces the provider's address, for tests", undefined, [
      'http:',
      'https:',
    ]),
    hostnames: read
      .list('CAPTCHA_HOSTNAMES', 'Host names that a solved captcha may come from; unset: any')
      .map((name) => name.toLowerCase()),
  };
  if (read.peek('CAPTCHA_PROVIDER') === undefined) {
    const unused = ['HCAPTCHA_SECRET', 'TURNSTILE_SECRET', 'CAPTCHA_HOSTNAMES'].find((name) => read.peek(name));
    if (unused) read.fault('CAPTCHA_PROVIDER', `is required with ${unused}; none switches the captcha off`);
  }
  return settings;
}

function argon2Settings(read: SettingsReader, nodeEnv: ServiceSettings['nodeEnv'], workers: number) {
  // Tests store no real passwords.
  const isTest = nodeEnv === 'test';
  const memoryKib = read.int('ARGON2_MEMORY_KIB', 'Memory of a password hash, KiB', 19456, [
    isTest ? 8 : 19456,
    1048576,
  ]);
  return {
    memoryKib,
    passes: read.int('ARGON2_PASSES', 'Passes of a password hash', 2, [isTest ? 1 : 2, 20]),
    concurrency: read.int(
      'ARGON2_CONCURRENCY',
      'Password hashes at once of a process; unset: cores of the container minus one, in at most a quarter of its memory, shared by the WORKERS',
      Math.max(1, Math.floor(hashesOf(memoryKib * 1024) / workers)),
      [1, 64],
      { shown: '' },
    ),
    queue: read.int('ARGON2_QUEUE', 'Password hashes that may wait', 64, [0, 10000]),
  };
}

/** Settings of accounts and sign-in. */
export function signInSettings(read: SettingsReader, { nodeEnv, publicOrigin, webAppUrl, workers }: ServiceSettings) {
  read.section('Sign-in');
  const deletionGraceHours = read.int(
    'ACCOUNT_DELETION_GRACE_HOURS',
    'Hours between asking for deletion and the deletion',
    336,
    [1, 8760],
  );
  const sessionsPerAccount = read.int(
    'SESSIONS_PER_ACCOUNT',
    'Live sessions of one account; one more ends the least recently used',
    250,
    [1, 10000],
  );
  const sessionMaxSeconds = read.int(
    'SESSION_MAX_SECONDS',
    'Life of a session, however much it is used; 0 is without end',
    0,
    [0, 315360000],
  );
  const sessionIdleSeconds = read.int(
    'SESSION_IDLE_SECONDS',
    'How long a session lasts without a request, from 300, to the minute; 0 is without end',
    0,
    [0, 315360000],
  );
  if (sessionIdleSeconds > 0 && sessionIdleSeconds < MIN_IDLE_SECONDS) {
    read.fault('SESSION_IDLE_SECONDS', `must be 0 or at least ${MIN_IDLE_SECONDS}`);
  }
  const securityEventDays = read.int(
    'SECURITY_EVENT_DAYS',
    'Days for which people see what befell the security of their accounts',
    180,
    [1, 3650],
  );
  const ipAuthorization = read.onOff(
    'IP_AUTHORIZATION',
    'Holds password logins from unknown addresses until a mailed confirmation',
    true,
  );
  if (read.peek('IP_AUTHORIZATION') === 'on' && read.peek('MAIL_TRANSPORT') === 'none') {
    read.fault('IP_AUTHORIZATION', 'must be off or unset with MAIL_TRANSPORT=none: nobody could confirm a login');
  }
  const webauthnRpId = read.text('WEBAUTHN_RP_ID', 'Relying party of passkeys; unset: the host of PUBLIC_ORIGIN');
  const webauthnOrigins = read.origins(
    'WEBAUTHN_ORIGINS',
    'Origins that may use passkeys, PUBLIC_ORIGIN included, and signing keys of Android apps; unset: PUBLIC_ORIGIN',
    { form: ANDROID_APP, named: 'android:apk-key-hash:<43 characters of base64url>' },
  );
  return {
    deletionGraceHours,
    sessionsPerAccount,
    sessionMaxSeconds,
    sessionIdleSeconds,
    securityEventDays,
    ipAuthorization,
    webauthnRpId: webauthnRpId ?? new URL(publicOrigin).hostname,
    webauthnOrigins: webauthnOrigins.length ? webauthnOrigins : [publicOrigin],
    passkeyBridge: read.onOff('PASSKEY_BRIDGE', 'Passkeys of another first-party origin by the bridge page', true),
    passwordBreachUrl: read.url(
      'PASSWORD_BREACH_URL',
      'Service of the range protocol that knows breached passwords; unset: not asked',
      undefined,
      ['http:', 'https:'],
    ),
    sso: {
      nativeCallbackUri: nativeCallback(read),
      allowPrivateAddresses: read.bool(
        'SSO_ALLOW_PRIVATE_ADDRESSES',
        'Lets the sign-in provider have private addresses: for a provider in the same network',
        false,
      ),
      redirectUri: `${webAppUrl}/auth/sso/callback`,
    },
    extraCa: extraAuthorities(read),
    captcha: captchaSettings(read),
    argon2: argon2Settings(read, nodeEnv, workers),
  };
}
