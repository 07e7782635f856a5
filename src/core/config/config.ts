import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join, resolve } from 'node:path';
import tls from 'node:tls';
import ipaddr from 'ipaddr.js';
import { codePoints, isOneLine } from '../text/text.js';
import { GATEWAY_DEFAULTS, type GatewayNumbers } from './gateway-numbers.js';

/** The service cannot start or a command cannot run, for a reason that an operator can mend: the message is all of it. */
export class StartError extends Error {}

/** Thrown at boot with every fault of the environment; names settings, never their values. */
export class ConfigurationError extends StartError {
  constructor(readonly faults: string[]) {
    super(`The configuration is not usable:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
  }
}

export type Cidr = [ipaddr.IPv4 | ipaddr.IPv6, number];
export type Env = Readonly<Record<string, string | undefined>>;

class Reader {
  readonly faults: string[] = [];
  readonly known = new Set<string>();

  constructor(private readonly env: Env) {}

  text(name: string): string | undefined {
    this.known.add(name);
    const value = this.env[name]?.trim();
    return value === '' ? undefined : value;
  }

  /** What is shown to people: in pages, mails and messages. */
  name(name: string, max = 64): string | undefined {
    const value = this.text(name);
    if (value === undefined || (isOneLine(value) && codePoints(value) <= max)) return value;
    this.fault(name, `must be one line of at most ${max} characters`);
    return undefined;
  }

  fault(name: string, rule: string): void {
    this.faults.push(`${name} ${rule}`);
  }

  choice<const T extends string>(name: string, choices: readonly T[], fallback: T): T {
    const value = this.text(name);
    if (value === undefined) return fallback;
    const found = choices.find((choice) => choice === value);
    if (!found) this.fault(name, `must be one of ${choices.join(', ')}`);
    return found ?? fallback;
  }

  on(name: string, fallback: boolean): boolean {
    return this.choice(name, ['on', 'off'], fallback ? 'on' : 'off') === 'on';
  }

  flag(name: string, fallback: boolean): boolean {
    return this.choice(name, ['true', 'false'], fallback ? 'true' : 'false') === 'true';
  }

  int(name: string, fallback: number, min: number, max: number): number {
    const value = this.text(name);
    if (value === undefined) return fallback;
    if (/^\d{1,15}$/.test(value) && Number(value) >= min && Number(value) <= max) return Number(value);
    this.fault(name, `must be a whole number from ${min} to ${max}`);
    return fallback;
  }

  list(name: string): string[] {
    return (this.text(name) ?? '')
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
  }

  url(name: string, fallback: string, protocols: string[]): string;
  url(name: string, fallback: undefined, protocols: string[]): string | undefined;
  url(name: string, fallback: string | undefined, protocols: string[]): string | undefined {
    const value = this.text(name);
    if (value === undefined) return fallback;
    if (URL.canParse(value) && protocols.includes(new URL(value).protocol)) return value.replace(/\/$/, '');
    this.fault(name, `must be a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`);
    return fallback;
  }

  origin(name: string, fallback: string): string {
    const value = this.url(name, fallback, ['http:', 'https:']);
    if (new URL(value).origin !== value) {
      this.fault(name, 'must be an origin: scheme, host and optional port, without a path');
      return fallback;
    }
    return value;
  }

  cidrs(name: string): Cidr[] {
    return this.list(name).flatMap((item) => {
      try {
        if (item.includes('/')) return [ipaddr.parseCIDR(item)];
        const address = ipaddr.parse(item);
        return [[address, address.kind() === 'ipv4' ? 32 : 128] as Cidr];
      } catch {
        this.fault(name, 'must be a list of addresses or CIDR ranges');
        return [];
      }
    });
  }
}

/** Newer versions of Node tell which authorities they trust by default, those of the system included. */
const builtInAuthorities = (): readonly string[] => {
  const { getCACertificates } = tls as { getCACertificates?: (type: 'default') => string[] };
  return getCACertificates?.('default') ?? tls.rootCertificates;
};

/**
 * Authorities that outbound connections trust beside the built-in ones. Node reads the same variable by itself, but only
 * warns when it cannot.
 */
function extraAuthorities(reader: Reader): readonly string[] | undefined {
  const path = reader.text('NODE_EXTRA_CA_CERTS');
  if (path === undefined) return undefined;
  try {
    const extra = readFileSync(path, 'utf8');
    tls.createSecureContext({ ca: extra });
    if (extra.includes('-----BEGIN CERTIFICATE-----')) return [...builtInAuthorities(), extra];
  } catch {
    // Named below, like a file without a certificate.
  }
  reader.fault('NODE_EXTRA_CA_CERTS', 'must be a readable file of certificates in PEM');
  return undefined;
}

/** Every answer carries it in a header. */
function buildId(reader: Reader): string {
  const value = reader.text('BUILD_ID') ?? 'dev';
  if (/^[\x20-\x7e]{1,128}$/.test(value)) return value;
  reader.fault('BUILD_ID', 'must be at most 128 characters of ASCII');
  return 'dev';
}

const NATIVE_CALLBACK = 'service://auth/sso/callback';

/** The callback of native clients: a URI without query and fragment, written as a parser writes it. */
function nativeCallback(reader: Reader): string {
  const value = reader.text('SSO_NATIVE_CALLBACK_URI') ?? NATIVE_CALLBACK;
  if (
    URL.canParse(value) &&
    new URL(value).href === value &&
    !/[?#]/.test(value) &&
    !/^(?:http|data|javascript):/.test(value)
  ) {
    return value;
  }
  reader.fault('SSO_NATIVE_CALLBACK_URI', 'must be an absolute URI of a native client, without query and fragment');
  return NATIVE_CALLBACK;
}

const SECRET_BYTES = 32;

// 32 random bytes have about 30 different ones; typed words and repeated patterns have far fewer.
const SECRET_VARIETY = 16;

const isBase64Secret = (value: string): boolean =>
  /^[A-Za-z0-9+/]+={0,2}$/.test(value) && Buffer.from(value, 'base64').length >= SECRET_BYTES;

function decodeSecret(reader: Reader, name: string): Buffer | undefined {
  const value = reader.text(name);
  if (value === undefined) return undefined;
  const bytes = Buffer.from(value, 'base64');
  const isWeak = reader.text('NODE_ENV') === 'production' && new Set(bytes).size < SECRET_VARIETY;
  if (bytes.length >= SECRET_BYTES && /^[A-Za-z0-9+/_-]+={0,2}$/.test(value) && !isWeak) return bytes;
  reader.fault(name, `must be at least ${SECRET_BYTES} random bytes in base64`);
  return undefined;
}

const SECRET_SETTINGS = [
  'GATEHOUSE_SECRET',
  'GATEHOUSE_SECRET_PREVIOUS',
  'GATEHOUSE_SETUP_TOKEN',
  'ADMIN_OAUTH_CLIENT_SECRET',
  'MEDIA_RELAY_SECRETS',
  'MEDIA_SIGNING_SECRETS',
  'MEDIA_S3_SECRET_ACCESS_KEY',
];

/** One secret serves one purpose: what leaks in one place must not open another. */
function refuseSharedSecrets(reader: Reader): void {
  const seen = new Map<string, string>();
  for (const name of SECRET_SETTINGS) {
    for (const value of new Set(reader.list(name))) {
      const other = seen.get(value);
      if (other !== undefined) reader.fault(name, `must differ from ${other}`);
      else seen.set(value, name);
    }
  }
}

/** A development secret that survives restarts: made once, kept in the data directory. */
function developmentSecret(dataDir: string): Buffer {
  const path = join(dataDir, 'secret');
  if (existsSync(path)) return Buffer.from(readFileSync(path, 'utf8'), 'base64');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const secret = randomBytes(SECRET_BYTES);
  writeFileSync(path, secret.toString('base64'), { mode: 0o600 });
  return secret;
}

function ports(reader: Reader, name: string): number[] {
  const list = reader.list(name).map(Number);
  if (list.every((port) => Number.isInteger(port) && port > 0 && port < 65536)) return list;
  reader.fault(name, 'must be a list of ports');
  return [];
}

function rateLimitOverrides(reader: Reader): ReadonlyMap<string, { limit: number; seconds: number }> {
  const text = reader.text('RATE_LIMIT_OVERRIDES');
  const overrides = new Map<string, { limit: number; seconds: number }>();
  if (text === undefined) return overrides;
  try {
    for (const [bucket, value] of Object.entries(JSON.parse(text) as Record<string, unknown>)) {
      const match = /^([1-9]\d{0,6})\/([1-9]\d{0,6})$/.exec(String(value));
      if (!match) throw new Error(bucket);
      overrides.set(bucket, { limit: Number(match[1]), seconds: Number(match[2]) });
    }
  } catch {
    reader.fault('RATE_LIMIT_OVERRIDES', 'must be a JSON object of bucket names to "N/seconds"');
  }
  return overrides;
}

const SENDER = /^(?:[^<>@\r\n]{0,100}<[^<>\s@]+@[^<>\s@]+>|[^<>\s@]+@[^<>\s@]+)$/;

function smsSettings(reader: Reader, production: boolean) {
  const smsTransport = reader.choice('SMS_TRANSPORT', ['none', 'inbox', 'http'], 'none');
  const smsHttpUrl = reader.url('SMS_HTTP_URL', undefined, ['http:', 'https:']);
  const phoneBlockedPrefixes = reader.list('PHONE_BLOCKED_PREFIXES');
  if (production && smsTransport === 'inbox') reader.fault('SMS_TRANSPORT', 'must not be inbox in production');
  if (smsTransport === 'http' && !smsHttpUrl) reader.fault('SMS_HTTP_URL', 'is required with SMS_TRANSPORT=http');
  if (phoneBlockedPrefixes.some((prefix) => !/^\+[1-9]\d{0,14}$/.test(prefix))) {
    reader.fault('PHONE_BLOCKED_PREFIXES', 'must be a list of prefixes such as +1900');
  }
  return { smsTransport, smsHttpUrl, phoneBlockedPrefixes };
}

function mailSettings(reader: Reader, transport: string) {
  const required = { smtp: ['SMTP_URL', 'MAIL_FROM'], http: ['MAIL_HTTP_URL'] }[transport] ?? [];
  for (const name of required) {
    if (reader.text(name) === undefined) reader.fault(name, `is required with MAIL_TRANSPORT=${transport}`);
  }
  const mailFrom = reader.text('MAIL_FROM');
  if (mailFrom !== undefined && !SENDER.test(mailFrom)) {
    reader.fault('MAIL_FROM', 'must be an address, or a name and an address in angle brackets');
  }
  return {
    mailFrom,
    smtpUrl: reader.url('SMTP_URL', undefined, ['smtp:', 'smtps:']),
    mailHttpUrl: reader.url('MAIL_HTTP_URL', undefined, ['http:', 'https:']),
  };
}

/** A provider of others counts only with both its site key and its secret (conventions.md section 8). */
function captchaSettings(reader: Reader) {
  const chosen = reader.choice('CAPTCHA_PROVIDER', ['none', 'altcha', 'hcaptcha', 'turnstile'], 'none');
  const keys = (name: string) => ({ siteKey: reader.text(`${name}_SITE_KEY`), secret: reader.text(`${name}_SECRET`) });
  const hcaptcha = keys('HCAPTCHA');
  const turnstile = keys('TURNSTILE');
  const { siteKey, secret } = { hcaptcha, turnstile, none: hcaptcha, altcha: hcaptcha }[chosen];
  const isForeign = chosen === 'hcaptcha' || chosen === 'turnstile';
  return {
    provider: isForeign && (siteKey === undefined || secret === undefined) ? 'none' : chosen,
    hcaptcha,
    turnstile,
    verifyUrl: reader.url('CAPTCHA_VERIFY_URL', undefined, ['http:', 'https:']),
    hostnames: reader.list('CAPTCHA_HOSTNAMES').map((name) => name.toLowerCase()),
  } as const;
}

const S3_BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

function s3Bucket(reader: Reader, name: string): string {
  const value = reader.text(name) ?? '';
  if (!S3_BUCKET.test(value)) reader.fault(name, 'must be the name of a bucket with MEDIA_STORAGE=s3');
  return value;
}

/** `undefined`: objects are local files. Without a key, the SDK asks the machine or the container for a role. */
function s3Settings(reader: Reader) {
  const isChosen = reader.choice('MEDIA_STORAGE', ['local', 's3'], 'local') === 's3';
  const names = ['MEDIA_S3_UPLOADS_BUCKET', 'MEDIA_S3_MEDIA_BUCKET'] as const;
  const settings = {
    endpoint: reader.url('MEDIA_S3_ENDPOINT', undefined, ['http:', 'https:']),
    region: reader.text('MEDIA_S3_REGION') ?? 'us-east-1',
    forcePathStyle: reader.flag('MEDIA_S3_FORCE_PATH_STYLE', false),
    accessKeyId: reader.text('MEDIA_S3_ACCESS_KEY_ID'),
    secretAccessKey: reader.text('MEDIA_S3_SECRET_ACCESS_KEY'),
  };
  if (settings.endpoint !== undefined && /[?#@]/.test(settings.endpoint)) {
    reader.fault('MEDIA_S3_ENDPOINT', 'must be a URL without user, query and fragment');
  }
  if (!/^[a-z0-9-]{1,63}$/i.test(settings.region)) reader.fault('MEDIA_S3_REGION', 'must be the name of a region');
  if ((settings.accessKeyId === undefined) !== (settings.secretAccessKey === undefined)) {
    const absent = settings.accessKeyId === undefined ? 'MEDIA_S3_ACCESS_KEY_ID' : 'MEDIA_S3_SECRET_ACCESS_KEY';
    reader.fault(absent, 'is required with the other half of the key');
  }
  if (!isChosen) {
    for (const name of names) reader.text(name);
    return undefined;
  }
  const [uploads, media] = names.map((name) => s3Bucket(reader, name)) as [string, string];
  if (uploads === media && uploads !== '') reader.fault(names[1], `must differ from ${names[0]}`);
  return { ...settings, buckets: { uploads, media } };
}

/** Ways to reach whoever looks after holes, as URIs (RFC 9116 section 2.5.3); an address alone is meant as mail. */
function securityContacts(reader: Reader): string[] {
  const contacts = reader
    .list('SECURITY_CONTACT')
    .map((item) => (/^[^\s:@]+@[^\s:@]+$/.test(item) ? `mailto:${item}` : item));
  if (contacts.every((item) => URL.canParse(item) && /^(?:mailto:|https:|tel:)[!-~]+$/.test(item))) return contacts;
  reader.fault('SECURITY_CONTACT', 'must be a list of mail addresses or of https:, mailto: or tel: URIs');
  return [];
}

function gatewayNumbers(reader: Reader): GatewayNumbers {
  const text = reader.text('GATEWAY_NUMBERS');
  if (text === undefined) return GATEWAY_DEFAULTS;
  try {
    const given = Object.entries(JSON.parse(text) as Record<string, unknown>);
    for (const [name, value] of given) {
      if (!(name in GATEWAY_DEFAULTS) || !Number.isSafeInteger(value) || Number(value) < 1) throw new Error(name);
    }
    return { ...GATEWAY_DEFAULTS, ...Object.fromEntries(given) };
  } catch {
    reader.fault('GATEWAY_NUMBERS', 'must be a JSON object of known names to whole numbers from 1');
    return GATEWAY_DEFAULTS;
  }
}

function read(env: Env) {
  const reader = new Reader(env);
  const nodeEnv = reader.choice('NODE_ENV', ['development', 'test', 'production'], 'development');
  const production = nodeEnv === 'production';
  const host = reader.text('HOST') ?? '127.0.0.1';
  const port = reader.int('PORT', 8080, 0, 65535);
  const publicOrigin = reader.origin('PUBLIC_ORIGIN', `http://localhost:${port || 8080}`);
  const webAppUrl = reader.url('WEB_APP_URL', publicOrigin, ['http:', 'https:']);
  const databaseUrl = reader.url('DATABASE_URL', undefined, ['postgres:', 'postgresql:']);
  const embeddedAllowed = reader.flag('EMBEDDED_DATABASE', !production);
  const dataDir = resolve(reader.text('DATA_DIR') ?? './data');
  const corsOrigins = reader.list('CORS_ORIGINS');
  const webauthnOrigins = reader.list('WEBAUTHN_ORIGINS');
  const mailTransport = reader.choice(
    'MAIL_TRANSPORT',
    ['inbox', 'smtp', 'http', 'none'],
    production ? 'none' : 'inbox',
  );
  const secret = decodeSecret(reader, 'GATEHOUSE_SECRET');
  if (!secret && production && !reader.faults.some((fault) => fault.startsWith('GATEHOUSE_SECRET'))) {
    reader.fault('GATEHOUSE_SECRET', 'is required in production');
  }
  if (production && !databaseUrl && !embeddedAllowed) {
    reader.fault('DATABASE_URL', 'is required in production (or EMBEDDED_DATABASE=true)');
  }
  if (production && reader.text('MAIL_TRANSPORT') === undefined) {
    reader.fault('MAIL_TRANSPORT', 'is required in production: smtp or http, or none where no mail is to be sent');
  } else if (production && mailTransport === 'inbox') {
    reader.fault('MAIL_TRANSPORT', 'must not be inbox in production');
  }
  const mail = mailSettings(reader, mailTransport);
  const sms = smsSettings(reader, production);
  for (const [name, origins] of [
    ['CORS_ORIGINS', corsOrigins],
    ['WEBAUTHN_ORIGINS', webauthnOrigins],
  ] as const) {
    if (origins.some((origin) => !URL.canParse(origin) || new URL(origin).origin !== origin)) {
      reader.fault(name, 'must be a list of origins');
    }
  }
  const cores = cpus().length;
  const config = {
    nodeEnv,
    production,
    host,
    port,
    publicOrigin,
    webAppUrl,
    gatewayUrl: `${publicOrigin.replace(/^http/, 'ws')}/gateway`,
    mediaBaseUrl: reader.url('MEDIA_BASE_URL', `${publicOrigin}/media`, ['http:', 'https:']),
    redisUrl: reader.url('REDIS_URL', undefined, ['redis:', 'rediss:']),
    httpPlatform: reader.choice('HTTP_PLATFORM', ['express', 'fastify'], 'express'),
    databaseUrl,
    databasePoolSize: reader.int('DATABASE_POOL_SIZE', 10, 1, 200),
    dataDir,
    migrateOnStart: reader.flag('MIGRATE_ON_START', true),
    workerId: reader.text('WORKER_ID') === undefined ? undefined : reader.int('WORKER_ID', 0, 0, 1023),
    secretPrevious: decodeSecret(reader, 'GATEHOUSE_SECRET_PREVIOUS'),
    setupToken: reader.text('GATEHOUSE_SETUP_TOKEN'),
    mailTransport,
    ...mail,
    ...sms,
    deletionGraceHours: reader.int('ACCOUNT_DELETION_GRACE_HOURS', 336, 1, 8760),
    emailDnsCheck: reader.on('EMAIL_DNS_CHECK', false),
    passwordBreachUrl: reader.url('PASSWORD_BREACH_URL', undefined, ['http:', 'https:']),
    trustedProxies: reader.cidrs('TRUSTED_PROXIES'),
    rateLimits: reader.on('RATE_LIMITS', true),
    loginAllowances: reader.on('LOGIN_ALLOWANCES', true),
    registrationAllowances: reader.on('REGISTRATION_ALLOWANCES', true),
    rateLimitOverrides: rateLimitOverrides(reader),
    captcha: captchaSettings(reader),
    webauthnRpId: reader.text('WEBAUTHN_RP_ID') ?? new URL(publicOrigin).hostname,
    webauthnOrigins: webauthnOrigins.length ? webauthnOrigins : [publicOrigin],
    ipAuthorization: reader.on('IP_AUTHORIZATION', true),
    passkeyBridge: reader.on('PASSKEY_BRIDGE', true),
    corsOrigins: corsOrigins.length ? corsOrigins : [new URL(webAppUrl).origin],
    productName: reader.name('PRODUCT_NAME') ?? 'Gatehouse',
    argon2: {
      // Tests store passwords of nobody.
      memoryKib: reader.int('ARGON2_MEMORY_KIB', 19456, nodeEnv === 'test' ? 8 : 19456, 1048576),
      passes: reader.int('ARGON2_PASSES', 2, nodeEnv === 'test' ? 1 : 2, 20),
      concurrency: reader.int('ARGON2_CONCURRENCY', Math.max(1, cores - 1), 1, 64),
      queue: reader.int('ARGON2_QUEUE', 64, 0, 10000),
    },
    oauth: {
      codeSeconds: reader.int('OAUTH_CODE_TTL_SECONDS', 600, 30, 600),
      accessSeconds: reader.int('OAUTH_ACCESS_TTL_SECONDS', 604800, 60, 31536000),
      refreshSeconds: reader.int('OAUTH_REFRESH_TTL_SECONDS', 2592000, 60, 31536000),
      reuseLeewaySeconds: reader.int('OAUTH_REFRESH_REUSE_LEEWAY_SECONDS', 0, 0, 60),
      consentUrl: reader.url('OAUTH_CONSENT_URL', `${publicOrigin}/oauth2/authorize`, ['http:', 'https:']),
    },
    admin: {
      applicationId: reader.text('ADMIN_APPLICATION_ID'),
      clientSecret: reader.text('ADMIN_OAUTH_CLIENT_SECRET'),
      endpoint: reader.url('ADMIN_ENDPOINT', webAppUrl, ['http:', 'https:']),
    },
    sso: {
      allowPrivateAddresses: reader.flag('SSO_ALLOW_PRIVATE_ADDRESSES', false),
      redirectUri: `${webAppUrl}/auth/sso/callback`,
      nativeCallbackUri: nativeCallback(reader),
    },
    extraCa: extraAuthorities(reader),
    media: {
      root: resolve(reader.text('MEDIA_LOCAL_ROOT') ?? join(dataDir, 'media')),
      s3: s3Settings(reader),
      maxUploadBytes: reader.int('MEDIA_MAX_UPLOAD_BYTES', 25 * 1024 * 1024, 1, 100 * 1024 * 1024),
      relaySeconds: reader.int('MEDIA_RELAY_TTL_SECONDS', 900, 60, 3600),
      relaySecrets: reader.list('MEDIA_RELAY_SECRETS'),
      signingSecrets: reader.list('MEDIA_SIGNING_SECRETS'),
      externalMaxBytes: reader.int('MEDIA_EXTERNAL_MAX_BYTES', 500 * 1024 ** 2, 1, 100 * 1024 ** 3),
      externalPorts: ports(reader, 'MEDIA_EXTERNAL_PORTS'),
      uploadsEnabled: reader.flag('MEDIA_UPLOADS_ENABLED', true),
      imageSeconds: reader.int('MEDIA_IMAGE_SECONDS', 15, 1, 60),
      imageMemoryBytes: reader.int('MEDIA_IMAGE_MEMORY_BYTES', 1024 ** 3, 128 * 1024 ** 2, 1024 ** 4),
      cacheBytes: reader.int('MEDIA_CACHE_BYTES', 5 * 1024 ** 3, 0, 100 * 1024 ** 4),
      accountQuotaBytes: reader.int('MEDIA_ACCOUNT_QUOTA_BYTES', 10 * 1024 ** 3, 0, 100 * 1024 ** 4),
    },
    gateway: gatewayNumbers(reader),
    webhookRetentionDays: reader.int('WEBHOOK_MESSAGE_RETENTION_DAYS', 30, 1, 3650),
    sessionsPerAccount: reader.int('SESSIONS_PER_ACCOUNT', 250, 1, 10000),
    webhooksPerAccount: reader.int('WEBHOOK_MAX_PER_ACCOUNT', 50, 1, 10000),
    abuse: {
      bans: reader.on('ABUSE_BANS', true),
      exempt: reader.cidrs('IP_BAN_EXEMPT'),
      distinct: reader.int('IP_BAN_DISTINCT', 20, 1, 1000000),
      strikes: reader.int('IP_BAN_STRIKES', 3, 1, 12),
      score: reader.int('IP_BAN_SCORE', 60, 1, 1000000),
      seconds: reader.int('IP_BAN_SECONDS', 86400, 1, 31536000),
    },
    maxInFlight: reader.int('MAX_IN_FLIGHT', 512, 1, 1000000),
    transfers: {
      bodies: reader.int('MAX_BODIES', 4096, 1, 1000000),
      bodiesPerAddress: reader.int('MAX_BODIES_PER_ADDRESS', 64, 1, 1000000),
      bodiesPerAccount: reader.int('MAX_BODIES_PER_ACCOUNT', 32, 1, 1000000),
      downloads: reader.int('MAX_DOWNLOADS', 4096, 1, 1000000),
      downloadsPerAddress: reader.int('MAX_DOWNLOADS_PER_ADDRESS', 128, 1, 1000000),
    },
    maxLoopDelayMs: reader.int('MAX_LOOP_DELAY_MS', 1000, 0, 600000),
    slowRequestMs: reader.int('SLOW_REQUEST_MS', 1000, 1, 600000),
    shutdownSeconds: reader.int('SHUTDOWN_SECONDS', 25, 0, 600),
    metricsPort: reader.text('METRICS_PORT') === undefined ? undefined : reader.int('METRICS_PORT', 0, 1, 65535),
    metricsAllow: reader.text('METRICS_ALLOW')
      ? reader.cidrs('METRICS_ALLOW')
      : ([
          [ipaddr.parse('127.0.0.0'), 8],
          [ipaddr.parse('::1'), 128],
        ] as Cidr[]),
    tracing: tracesAreSent(reader),
    docsEnabled: reader.flag('DOCS_ENABLED', true),
    appealEmail: reader.name('APPEAL_EMAIL', 254),
    securityContacts: securityContacts(reader),
    termsUrl: reader.url('TERMS_URL', undefined, ['https:']),
    privacyUrl: reader.url('PRIVACY_URL', undefined, ['https:']),
    buildId: buildId(reader),
    logLevel: reader.choice('LOG_LEVEL', ['trace', 'debug', 'info', 'warn', 'error', 'silent'], 'info'),
    logFormat: reader.choice('LOG_FORMAT', ['json', 'pretty'], process.stdout.isTTY ? 'pretty' : 'json'),
  };
  if (config.admin.applicationId !== undefined && !/^[1-9]\d{0,18}$/.test(config.admin.applicationId)) {
    reader.fault('ADMIN_APPLICATION_ID', 'must be a snowflake');
  }
  if (config.media.relaySecrets.some((value) => !isBase64Secret(value))) {
    reader.fault('MEDIA_RELAY_SECRETS', `must be a list of base64 secrets of at least ${SECRET_BYTES} bytes`);
  }
  if (config.media.signingSecrets.some((value) => value.length < 32 || value.length > 256)) {
    reader.fault('MEDIA_SIGNING_SECRETS', 'must be a list of secrets of 32 to 256 characters');
  }
  if (config.setupToken !== undefined && config.setupToken.length < 32) {
    reader.fault('GATEHOUSE_SETUP_TOKEN', 'must have at least 32 characters');
  }
  if (production && config.admin.clientSecret !== undefined && config.admin.clientSecret.length < 32) {
    reader.fault('ADMIN_OAUTH_CLIENT_SECRET', 'must have at least 32 characters in production');
  }
  refuseSharedSecrets(reader);
  return { reader, config, secret };
}

type Settings = ReturnType<typeof read>['config'];

/** Every setting of the service, validated. Built once by `loadConfig`. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the class is only the injection token of the interface
export abstract class Config {}
export interface Config extends Readonly<Settings> {
  readonly secret: Buffer;
}

/** OpenTelemetry's SDK reads its variables by itself; here it is only decided whether there is a collector. */
function tracesAreSent(reader: Reader): boolean {
  const names = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'];
  const endpoints = names.map((name) => reader.url(name, undefined, ['http:', 'https:']));
  return !reader.flag('OTEL_SDK_DISABLED', false) && endpoints.some((url) => url !== undefined);
}

/** The environment variables that the service reads; `.env.example` is tested against it. */
export const settingNames = (): string[] => {
  const { reader } = read({});
  return [...reader.known].sort();
};

/**
 * Reads the whole environment into one frozen object.
 * @throws ConfigurationError naming every faulty setting.
 */
export function loadConfig(env: Env): Config {
  const { reader, config, secret } = read(env);
  if (reader.faults.length > 0) throw new ConfigurationError(reader.faults);
  return Object.freeze({ ...config, secret: secret ?? developmentSecret(config.dataDir) }) as Config;
}
