import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { settings } from '../../src/core/config/declared.js';
import { environmentExample, listSetSettings, settingsTable } from '../../src/core/config/printed.js';
import type { Env } from '../../src/core/config/reader.js';
import { withSecretFiles } from '../../src/core/config/secret-files.js';
import { ConfigurationError } from '../../src/core/config/start-error.js';
import { allSettings, loadConfig } from '../../src/features.js';

const secret = () => randomBytes(32).toString('base64');
const PRODUCTION = {
  NODE_ENV: 'production',
  GATEHOUSE_SECRET: secret(),
  DATABASE_URL: 'postgres://gatehouse@db.internal/gatehouse',
  PUBLIC_ORIGIN: 'https://id.example.com',
  MAIL_TRANSPORT: 'none',
};

/** The errors of an environment. Each starts with the name of its setting. */
function faultsOf(env: Env): string[] {
  try {
    loadConfig({ GATEHOUSE_SECRET: secret(), ...env });
  } catch (error) {
    if (error instanceof ConfigurationError) return error.faults;
    throw error;
  }
  return [];
}
const namesOf = (env: Env): string[] => faultsOf(env).map((fault) => fault.split(' ')[0] as string);

describe('secrets in files: <NAME>_FILE', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-secrets-'));
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each(
    allSettings()
      .filter(({ secret: isSecret }) => isSecret)
      .map(({ name }) => name),
  )('%s', (name) => {
    const env = { [`${name}_FILE`]: file(name, 'the value\n') };
    expect(withSecretFiles(env, allSettings())).toEqual({ [name]: 'the value' });
    expect(() => withSecretFiles({ ...env, [name]: 'another' }, allSettings())).toThrow(
      new ConfigurationError([`${name}_FILE cannot be set together with ${name}`]),
    );
    expect(namesOf({ ...env, [name]: 'another' })).toEqual([`${name}_FILE`]);
  });

  test('the values are used, without the white space around them', () => {
    const { databaseUrl } = loadConfig({
      GATEHOUSE_SECRET_FILE: file('secret', ` ${secret()}\n`),
      DATABASE_URL_FILE: file('url', 'postgres://gatehouse@db.internal/gatehouse\n'),
    });
    expect(databaseUrl).toBe('postgres://gatehouse@db.internal/gatehouse');
  });

  test('files that are missing or empty are errors', () => {
    const env = { GATEHOUSE_SECRET_FILE: join(folder, 'missing'), DATABASE_URL_FILE: file('empty', ' \n') };
    expect(() => loadConfig(env)).toThrow(
      new ConfigurationError([
        'GATEHOUSE_SECRET_FILE names a file that cannot be read: ENOENT',
        'DATABASE_URL_FILE names an empty file',
      ]),
    );
  });

  test('settings that are not secret have no files', () => {
    const env = { GATEHOUSE_SECRET: secret(), PORT_FILE: file('port', '1234') };
    expect(loadConfig(env).port).not.toBe(1234);
  });
});

describe('FLT-32 an invalid configuration does not start', () => {
  test('all errors are reported together, by setting and without values', () => {
    const canary = 'k4n4ri';
    const bad = {
      NODE_ENV: canary,
      PORT: `80${canary}`,
      PUBLIC_ORIGIN: `http://${canary}.example/path`,
      WEB_APP_URL: canary,
      DATABASE_URL: `mysql://${canary}@db/x`,
      GATEHOUSE_SECRET: canary,
      HTTP_PLATFORM: canary,
      TRUSTED_PROXIES: `10.0.0.0/8,${canary}`,
      CORS_ORIGINS: `https://${canary}.example/x`,
      RATE_LIMITS: canary,
      RATE_LIMIT_OVERRIDES: `{"auth:login": "${canary}"}`,
      ADMIN_APPLICATION_ID: canary,
      MEDIA_RELAY_SECRETS: canary,
      GATEHOUSE_SETUP_TOKEN: canary,
      WORKER_ID: '1024',
      METRICS_PORT: '0',
    };
    const error = (() => {
      try {
        return loadConfig(bad);
      } catch (thrown) {
        return thrown as Error;
      }
    })() as Error;
    expect(error).toBeInstanceOf(ConfigurationError);
    for (const name of Object.keys(bad)) expect(error.message).toContain(name);
    expect(error.message).not.toContain(canary);
  });

  test.each([
    ['PORT', ['-1', '65536', '1e3', '80.5', ' 80a', '0x50']],
    ['DATABASE_POOL_SIZE', ['0', '201']],
    ['DATABASE_PATIENCE', ['0', '61']],
    ['OAUTH_CODE_TTL_SECONDS', ['29', '601']],
    ['ARGON2_MEMORY_KIB', ['1024']],
    [
      'PUBLIC_ORIGIN',
      ['id.example.com', 'ftp://id.example.com', 'https://id.example.com/v1', 'https://u:p@id.example.com'],
    ],
    ['DATABASE_URL', ['http://db', 'db.internal']],
    ['BRAND_TERMS_URL', ['http://example.com/terms', 'terms']],
    ['SECURITY_CONTACT', ['nobody', 'http://a.example', 'mailto:a@b.example,ftp://x', 'javascript:alert(1)']],
    ['TRUSTED_PROXIES', ['10.0.0.0/33', 'proxy', '10.0.0.0/8;::1']],
    ['CORS_ORIGINS', ['*', 'null', 'https://a.example/']],
    ['CAPTCHA_PROVIDER', ['recaptcha']],
    ['RATE_LIMIT_OVERRIDES', ['[]x', '{"a": "0/1"}', '{"a": 5}', '{"a": "5"}']],
    ['MIGRATE_ON_START', ['on', 'yes', '1']],
    ['LOGIN_ALLOWANCES', ['true', 'false']],
    ['ADMIN_APPLICATION_ID', ['0', '01', 'abc']],
  ])('%s rejects invalid values', (name, values) => {
    for (const value of values) expect(namesOf({ [name]: value })).toContain(name);
  });

  test('the allowances of login and registration are on in production and off elsewhere by default', () => {
    const allowances = (env: Record<string, string>) => {
      const { loginAllowances, registrationAllowances } = loadConfig({ GATEHOUSE_SECRET: secret(), ...env });
      return [loginAllowances, registrationAllowances];
    };
    expect(allowances({})).toEqual([false, false]);
    expect(allowances({ NODE_ENV: 'test' })).toEqual([false, false]);
    expect(allowances(PRODUCTION)).toEqual([true, true]);
    expect(allowances({ LOGIN_ALLOWANCES: 'on', REGISTRATION_ALLOWANCES: 'on' })).toEqual([true, true]);
    expect(allowances({ ...PRODUCTION, LOGIN_ALLOWANCES: 'off' })).toEqual([false, true]);
  });

  test('white space around a value is ignored, and an empty value is unset', () => {
    expect(loadConfig({ GATEHOUSE_SECRET: secret(), PORT: ' 8081 ', HTTP_PLATFORM: '' })).toMatchObject({
      port: 8081,
      httpPlatform: 'express',
    });
  });

  test('media in S3 need two buckets and both parts of a key', () => {
    const s3 = { MEDIA_STORAGE: 's3', MEDIA_S3_UPLOADS_BUCKET: 'up-1', MEDIA_S3_MEDIA_BUCKET: 'media.1' };
    expect(faultsOf(s3)).toEqual([]);
    expect(namesOf({ MEDIA_STORAGE: 's3' })).toEqual(['MEDIA_S3_UPLOADS_BUCKET', 'MEDIA_S3_MEDIA_BUCKET']);
    for (const [name, values] of Object.entries({
      MEDIA_STORAGE: ['S3', 'disk'],
      MEDIA_S3_ENDPOINT: ['s3.example.com', 'ftp://s3', 'http://u:p@s3.example', 'http://s3.example/?a=b'],
      MEDIA_S3_REGION: ['eu west', 'eu/west'],
      MEDIA_S3_FORCE_PATH_STYLE: ['on'],
      MEDIA_S3_UPLOADS_BUCKET: ['UP', 'a/b', 'ab', '-up'],
      MEDIA_S3_MEDIA_BUCKET: ['up-1'],
    })) {
      for (const value of values) expect([value, namesOf({ ...s3, [name]: value })]).toEqual([value, [name]]);
    }
    expect(namesOf({ ...s3, MEDIA_S3_ACCESS_KEY_ID: 'id' })).toEqual(['MEDIA_S3_SECRET_ACCESS_KEY']);
    expect(namesOf({ ...s3, MEDIA_S3_SECRET_ACCESS_KEY: 'key' })).toEqual(['MEDIA_S3_ACCESS_KEY_ID']);
    expect(loadConfig({ GATEHOUSE_SECRET: secret(), ...s3 }).media.s3).toEqual({
      ...{ endpoint: undefined, region: 'us-east-1', forcePathStyle: false },
      ...{ accessKeyId: undefined, buckets: { uploads: 'up-1', media: 'media.1' } },
    });
    const local = { ...s3, MEDIA_STORAGE: 'local' };
    expect(loadConfig({ GATEHOUSE_SECRET: secret(), ...local }).media.s3).toBeUndefined();
  });

  test.each<[env: Record<string, string>, faulty: string[]]>([
    [{ CAPTCHA_PROVIDER: 'hcaptcha' }, ['HCAPTCHA_SITE_KEY', 'HCAPTCHA_SECRET']],
    [{ CAPTCHA_PROVIDER: 'hcaptcha', HCAPTCHA_SITE_KEY: 'k' }, ['HCAPTCHA_SECRET']],
    [{ CAPTCHA_PROVIDER: 'turnstile', TURNSTILE_SECRET: 's' }, ['TURNSTILE_SITE_KEY']],
    [
      { CAPTCHA_PROVIDER: 'hcaptcha', TURNSTILE_SITE_KEY: 'k', TURNSTILE_SECRET: 's' },
      ['HCAPTCHA_SITE_KEY', 'HCAPTCHA_SECRET'],
    ],
    [{ TURNSTILE_SITE_KEY: 'k', TURNSTILE_SECRET: 's' }, ['CAPTCHA_PROVIDER']],
    [{ CAPTCHA_HOSTNAMES: 'a.example' }, ['CAPTCHA_PROVIDER']],
    [{ IP_AUTHORIZATION: 'on', MAIL_TRANSPORT: 'none' }, ['IP_AUTHORIZATION']],
    [{ TRUSTED_PROXIES: '10.0.0.0/8,0.0.0.0/0' }, ['TRUSTED_PROXIES']],
    [{ TRUSTED_PROXIES: '::/0' }, ['TRUSTED_PROXIES']],
    ...[
      ...['ADMIN_ALLOW_NETWORKS', 'METRICS_ALLOW', 'IP_BAN_EXEMPT', 'PHONE_BLOCKED_PREFIXES', 'MEDIA_EXTERNAL_PORTS'],
      ...['MEDIA_RELAY_SECRETS', 'MEDIA_SIGNING_SECRETS', 'CORS_ORIGINS', 'WEBAUTHN_ORIGINS', 'SECURITY_CONTACT'],
    ].map((name): [Record<string, string>, string[]] => [{ [name]: ' , ' }, [name]]),
  ])('a protection that cannot work stops the startup: %j', (env, faulty) => {
    expect(namesOf(env)).toEqual(faulty);
  });

  test.each<Record<string, string>>([
    { CAPTCHA_PROVIDER: 'turnstile', TURNSTILE_SITE_KEY: 'k', TURNSTILE_SECRET: 's', CAPTCHA_HOSTNAMES: 'a.example' },
    { CAPTCHA_PROVIDER: 'none', TURNSTILE_SITE_KEY: 'k', TURNSTILE_SECRET: 's' },
    { CAPTCHA_PROVIDER: 'altcha' },
    { MAIL_TRANSPORT: 'none' },
    { IP_AUTHORIZATION: 'off', MAIL_TRANSPORT: 'none' },
    { TRUSTED_PROXIES: '10.0.0.0/8,::1' },
    { ADMIN_ALLOW_NETWORKS: '10.0.0.1,' },
  ])('a protection that can work does not stop it: %j', (env) => {
    expect(namesOf(env)).toEqual([]);
  });

  test('the configuration is frozen', () => {
    expect(Object.isFrozen(loadConfig({ GATEHOUSE_SECRET: secret() }))).toBe(true);
  });
});

describe('names that users see', () => {
  test('are one line with visible characters; values for headers are ASCII', () => {
    for (const odd of ['a\nb', 'a\r\nBcc: x', 'a\u0000b', '\u200b', 'a\u202eb', 'x'.repeat(65)]) {
      expect(namesOf({ PRODUCT_NAME: odd })).toEqual(['PRODUCT_NAME']);
    }
    expect(namesOf({ APPEAL_EMAIL: 'a@example.com\r\nx' })).toEqual(['APPEAL_EMAIL']);
    for (const odd of ['1\r\n2', 'bü', 'x'.repeat(129)]) expect(namesOf({ BUILD_ID: odd })).toEqual(['BUILD_ID']);
    expect(faultsOf({ PRODUCT_NAME: 'Straße & Söhne', BUILD_ID: '1.2.3+4', APPEAL_EMAIL: 'a@example.com' })).toEqual(
      [],
    );
  });
});

describe('SUP-05 production rejects development defaults and weak secrets', () => {
  test('a complete production environment is accepted', () => {
    expect(faultsOf(PRODUCTION)).toEqual([]);
  });

  test('the email transport must be set explicitly: none counts only if it is set', () => {
    const { MAIL_TRANSPORT: _, ...silent } = PRODUCTION;
    for (const value of [undefined, '', ' ']) {
      expect(namesOf({ ...silent, MAIL_TRANSPORT: value })).toEqual(['MAIL_TRANSPORT']);
    }
    expect(faultsOf({ ...silent, MAIL_TRANSPORT: 'none' })).toEqual([]);
    expect(loadConfig({ GATEHOUSE_SECRET: secret() }).mailTransport).toBe('inbox');
  });

  test('a missing secret, a missing database and the inbox are rejected together', () => {
    const faults = namesOf({ NODE_ENV: 'production', GATEHOUSE_SECRET: undefined, MAIL_TRANSPORT: 'inbox' });
    expect(faults.sort()).toEqual(['DATABASE_URL', 'GATEHOUSE_SECRET', 'MAIL_TRANSPORT']);
  });

  test('example data is rejected in production', () => {
    expect(namesOf({ ...PRODUCTION, DEMO: 'on' })).toEqual(['DEMO']);
    expect(loadConfig({ GATEHOUSE_SECRET: secret(), DEMO: 'on' }).isDemo).toBe(true);
  });

  test('the embedded database is used in production only if it is configured', () => {
    const { DATABASE_URL: _, ...rest } = PRODUCTION;
    expect(namesOf(rest)).toEqual(['DATABASE_URL']);
    expect(faultsOf({ ...rest, EMBEDDED_DATABASE: 'true' })).toEqual([]);
  });

  test.each([
    ['short', randomBytes(31).toString('base64')],
    ['no base64', 'changeme changeme changeme changeme changeme!'],
    ['typed', Buffer.from('changemechangemechangemechangemechangeme').toString('base64')],
    ['zeros', Buffer.alloc(32).toString('base64')],
    ['repeated', Buffer.alloc(48, 'abcdefgh').toString('base64')],
  ])('a %s secret is rejected', (_, value) => {
    expect(namesOf({ ...PRODUCTION, GATEHOUSE_SECRET: value })).toEqual(['GATEHOUSE_SECRET']);
  });

  test('one secret has one purpose', () => {
    const { GATEHOUSE_SECRET: value } = PRODUCTION;
    expect(namesOf({ ...PRODUCTION, GATEHOUSE_SECRET_PREVIOUS: value })).toEqual(['GATEHOUSE_SECRET_PREVIOUS']);
    expect(namesOf({ ...PRODUCTION, GATEHOUSE_SECRET_NEXT: value })).toEqual(['GATEHOUSE_SECRET_NEXT']);
    expect(namesOf({ ...PRODUCTION, MEDIA_RELAY_SECRETS: `${secret()},${value}` })).toEqual(['MEDIA_RELAY_SECRETS']);
    expect(namesOf({ ...PRODUCTION, ADMIN_OAUTH_CLIENT_SECRET: value })).toEqual(['ADMIN_OAUTH_CLIENT_SECRET']);
  });

  test('a short client secret of the Admin application is rejected', () => {
    expect(namesOf({ ...PRODUCTION, ADMIN_OAUTH_CLIENT_SECRET: 'changeme' })).toEqual(['ADMIN_OAUTH_CLIENT_SECRET']);
  });

  test('in development a secret is created once, readable only by its owner', () => {
    const DATA_DIR = join(mkdtempSync(join(tmpdir(), 'gatehouse-config-')), 'data');
    const first = loadConfig({ DATA_DIR });
    expect(first.secret).toHaveLength(32);
    expect(loadConfig({ DATA_DIR }).secret).toEqual(first.secret);
    expect(statSync(join(DATA_DIR, 'secret')).mode & 0o077).toBe(0);
  });

  test('an invalid environment leaves no trace', () => {
    const DATA_DIR = join(tmpdir(), `gatehouse-config-${randomBytes(6).toString('hex')}`);
    expect(() => loadConfig({ DATA_DIR, PORT: 'x' })).toThrow(ConfigurationError);
    expect(existsSync(DATA_DIR)).toBe(false);
  });
});

test('a terminal gets readable logs, any other output gets JSON lines', () => {
  const before = process.stdout.isTTY;
  try {
    for (const [isTTY, expected] of [
      [true, 'pretty'],
      [false, 'json'],
    ] as const) {
      process.stdout.isTTY = isTTY;
      const GATEHOUSE_SECRET = secret();
      expect(loadConfig({ GATEHOUSE_SECRET }).logFormat).toBe(expected);
      expect(loadConfig({ GATEHOUSE_SECRET, LOG_FORMAT: 'json' }).logFormat).toBe('json');
    }
  } finally {
    process.stdout.isTTY = before;
  }
});

describe('documentation of the settings', () => {
  const root = join(import.meta.dirname, '../..');
  const settings = allSettings();

  test('.env.example is generated from them: node scripts/cli.mjs settings > .env.example', () => {
    expect(readFileSync(join(root, '.env.example'), 'utf8')).toBe(environmentExample(settings));
  });

  test('the table of the most important settings in the guides is generated from them also', () => {
    const page = readFileSync(join(root, 'docs/guides/operators/configuration.md'), 'utf8');
    const [table = ''] =
      /^\| Variable \| Default \| Meaning \|\n(?:\|.*\n)+/m.exec(page.replace(/^```[\s\S]*?^```/gm, '')) ?? [];
    const names = [...table.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name as string);
    expect(names.length).toBeGreaterThan(10);
    expect(table.trimEnd()).toBe(settingsTable(settings, names));
  });

  test('each has a sentence and is listed once', () => {
    expect(settings.filter(({ about, section }) => about.length < 10 || section === '')).toEqual([]);
    expect(new Set(settings.map(({ name }) => name)).size).toBe(settings.length);
  });

  test('the documented default is the default', () => {
    const shown = Object.fromEntries(settings.map(({ name, fallback }) => [name, fallback]));
    const GATEHOUSE_SECRET = secret();
    expect(loadConfig({ ...shown, GATEHOUSE_SECRET })).toEqual(loadConfig({ GATEHOUSE_SECRET }));
  });
});

describe('secrets cannot be printed', () => {
  const given = {
    GATEHOUSE_SECRET: secret(),
    GATEHOUSE_SECRET_NEXT: secret(),
    GATEHOUSE_SECRET_PREVIOUS: secret(),
    GATEHOUSE_SETUP_TOKEN: randomBytes(24).toString('hex'),
    DATABASE_URL: 'postgres://gatehouse:k4n4ri-db@db/gatehouse',
    DATABASE_DIRECT_URL: 'postgres://gatehouse:k4n4ri-direct@db/gatehouse',
    DATABASE_READ_URL: 'postgres://gatehouse:k4n4ri-read@db/gatehouse',
    REDIS_URL: 'redis://:k4n4ri-redis@redis',
    MAIL_TRANSPORT: 'smtp',
    MAIL_FROM: 'a@example.com',
    SMTP_URL: 'smtp://user:k4n4ri-smtp@mail:587',
    MAIL_HTTP_URL: 'https://k4n4ri-mail:x@mail.example',
    SMS_HTTP_URL: 'https://k4n4ri-sms:x@sms.example',
    CAPTCHA_PROVIDER: 'none',
    HCAPTCHA_SECRET: 'k4n4ri-hcaptcha',
    TURNSTILE_SECRET: 'k4n4ri-turnstile',
    ADMIN_OAUTH_CLIENT_SECRET: randomBytes(24).toString('hex'),
    MEDIA_STORAGE: 's3',
    MEDIA_S3_UPLOADS_BUCKET: 'uploads',
    MEDIA_S3_MEDIA_BUCKET: 'media',
    MEDIA_S3_ACCESS_KEY_ID: 'id',
    MEDIA_S3_SECRET_ACCESS_KEY: 'k4n4ri-s3',
    MEDIA_RELAY_SECRETS: secret(),
    MEDIA_SIGNING_SECRETS: randomBytes(24).toString('hex'),
  };
  const secrets = allSettings().filter((setting) => setting.secret);

  test('every one of them is covered', () => {
    expect(secrets.map(({ name }) => name).filter((name) => !(name in given))).toEqual([]);
  });

  test('neither as JSON nor by inspection, completely or in parts', () => {
    const config = loadConfig(given);
    const printed = [config, ...Object.values(config)].flatMap((part) => [
      JSON.stringify(part, (_, value) => (typeof value === 'bigint' ? String(value) : value)) ?? '',
      inspect(part, { depth: 8 }),
    ]);
    const all = printed.join('\n');
    for (const { name } of secrets)
      expect([name, all.includes(given[name as keyof typeof given])]).toEqual([name, false]);
    expect(all).not.toContain('k4n4ri');
    expect(config).toMatchObject({ productName: 'Gatehouse' });
    expect(config.secret.toString('base64')).toBe(given.GATEHOUSE_SECRET);
  });

  test('the summary shows that a secret is set, and nothing more', () => {
    const lines = listSetSettings(allSettings(), given);
    expect(lines).toContain('GATEHOUSE_SECRET (secret)');
    expect(lines).toContain('MEDIA_STORAGE=s3');
    expect(lines.join()).not.toContain('k4n4ri');
  });
});

describe('settings of an extension', () => {
  class NotesSettings extends settings('Notes', (read) => ({
    limit: read.int('NOTES_LIMIT', 'Notes of one account', 100, [1, 10_000]),
  })) {}

  test('are read, validated and documented like ours', () => {
    const GATEHOUSE_SECRET = secret();
    const of = (env: Env) => loadConfig({ GATEHOUSE_SECRET, ...env }, [NotesSettings]).declared.get(NotesSettings);
    expect(of({})).toEqual({ limit: 100 });
    expect(of({ NOTES_LIMIT: ' 7 ' })).toEqual({ limit: 7 });
    expect(() => of({ NOTES_LIMIT: '0', PORT: 'x' })).toThrow(/PORT must be[\s\S]*NOTES_LIMIT must be/);
    expect(environmentExample(allSettings([NotesSettings]))).toContain(
      '\n## Notes\n\n# Notes of one account\n#NOTES_LIMIT=100\n',
    );
  });
});
