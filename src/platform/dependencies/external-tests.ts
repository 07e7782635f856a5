import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import type { Config } from '../../core/config/config.js';
import { Log } from '../../core/log.js';
import { VERIFY_URLS } from '../outbound/captcha.js';
import { openStorage } from '../storage/open-storage.js';
import { type Dependency, type TestTools, UnmetRequirement } from './dependency.js';

const TIMEOUT_MS = 4000;
const SILENT = { logLevel: 'silent', logFormat: 'json' } as const;

/** Signs in to the SMTP server. The text of a response is dropped, because it may contain an email address. */
async function assertSmtp(url: string): Promise<void> {
  const { createTransport } = await import('nodemailer');
  const limits = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS };
  const transport = createTransport({ url, ...limits });
  try {
    await transport.verify();
  } catch (error) {
    const {
      responseCode,
      code,
      command = 'the connection',
    } = error as {
      responseCode?: number;
      code?: string;
      command?: string;
    };
    throw new UnmetRequirement(
      responseCode
        ? `the server responds to ${command} with ${responseCode}`
        : `no connection: ${code ?? 'unknown error'}`,
    );
  } finally {
    transport.close();
  }
}

async function assertMail({ config, outbound, database }: TestTools): Promise<void> {
  if (config.mailTransport === 'smtp') await assertSmtp(config.smtpUrl ?? '');
  if (config.mailTransport === 'http') {
    const { status } = await outbound.request({
      url: config.mailHttpUrl ?? '',
      timeoutMs: TIMEOUT_MS,
      isBodyIgnored: true,
    });
    if (status === 401 || status === 403 || status >= 500)
      throw new UnmetRequirement(`the endpoint responds with ${status}`);
  }
  // A database that is away has its own test.
  const [row] = await database.manager.query<{ count: number }[]>(REPEATED_FAILURE).catch(() => []);
  if (row && row.count > 0)
    throw new UnmetRequirement(`the server rejects messages: ${row.count} wait after two attempts or more`);
}

/** A server can accept the sign-in and reject every message. */
const REPEATED_FAILURE = `
  SELECT count(*)::int AS count FROM outbox WHERE attempts > 1 AND sent_at IS NULL AND parked_at IS NULL`;

async function assertStorage({ config }: TestTools): Promise<void> {
  // The first upload creates the folder.
  if (!config.media.s3 && !existsSync(config.media.root)) return;
  const storage = await openStorage(config, new Log(SILENT));
  const key = `self-test ${randomUUID()}`;
  try {
    await storage.write(
      'uploads',
      key,
      (async function* () {
        yield Buffer.from(key);
      })(),
    );
    const stream = await storage.read('uploads', key);
    if (!stream || (await text(stream)) !== key) throw new UnmetRequirement('a stored object cannot be read');
    await storage.remove('uploads', key);
    if ((await storage.size('uploads', key)) !== null) throw new UnmetRequirement('a stored object cannot be deleted');
  } finally {
    if ('onApplicationShutdown' in storage) (storage as { onApplicationShutdown(): void }).onApplicationShutdown();
  }
}

/** Providers name a wrong secret, also if the token is invalid. */
async function assertCaptcha({ config: { captcha }, outbound }: TestTools): Promise<void> {
  const { provider, verifyUrl } = captcha;
  if (provider !== 'hcaptcha' && provider !== 'turnstile') return;
  const { status, body } = await outbound.request({
    url: verifyUrl ?? VERIFY_URLS[provider],
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ secret: captcha[provider].secret ?? '', response: 'self-test' }).toString(),
    timeoutMs: TIMEOUT_MS,
  });
  if (status !== 200) throw new UnmetRequirement(`the provider responds with ${status}`);
  if (/"(?:missing|invalid)-input-secret"|"sitekey-secret-mismatch"/.test(body.toString('utf8')))
    throw new UnmetRequirement('the provider rejects the secret');
}

const SSO_ISSUER = `SELECT value->>'issuer' AS issuer FROM instance WHERE name = 'sso' AND (value->>'enabled')::bool`;

async function assertIdentityProvider({ config, outbound, database }: TestTools): Promise<void> {
  const [row] = await database.manager.query<{ issuer: string | null }[]>(SSO_ISSUER).catch(() => []);
  if (!row?.issuer) return;
  const { status, body } = await outbound.request({
    url: `${row.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
    addressPolicy: config.sso.allowPrivateAddresses ? 'anywhere' : 'public',
    timeoutMs: TIMEOUT_MS,
  });
  if (status !== 200) throw new UnmetRequirement(`the provider responds with ${status}`);
  if (JSON.parse(body.toString('utf8')).issuer !== row.issuer)
    throw new UnmetRequirement('the provider names another issuer');
}

const isExternalCaptcha = ({ captcha }: Config): boolean =>
  captcha.provider === 'hcaptcha' || captcha.provider === 'turnstile';

/** Programs without which only a part of the service fails. */
export const EXTERNAL_DEPENDENCIES: readonly Dependency[] = [
  {
    name: 'mail',
    group: 'mail',
    needs: 'The server or endpoint accepts emails',
    without: 'Emails wait in the outbox',
    fix: 'Check SMTP_URL or MAIL_HTTP_URL, its user and password, and that the server accepts MAIL_FROM',
    isUsed: ({ mailTransport }) => mailTransport === 'smtp' || mailTransport === 'http',
    test: assertMail,
    isRequired: false,
  },
  {
    name: 'storage',
    group: 'storage',
    needs: 'Media can be written, read and deleted',
    without: 'Uploads fail',
    fix: 'Check MEDIA_LOCAL_ROOT and that the user of the service owns it, or the MEDIA_S3 settings and the rights of their key',
    isUsed: () => true,
    test: assertStorage,
    isRequired: false,
  },
  {
    name: 'captcha',
    group: 'captcha',
    needs: 'The provider verifies captchas',
    without: 'Operations that need one fail',
    fix: 'Check the secret of CAPTCHA_PROVIDER and the connection to the provider',
    isUsed: isExternalCaptcha,
    test: assertCaptcha,
    isRequired: false,
  },
  {
    name: 'identity-provider',
    group: 'identity provider',
    needs: 'The identity provider publishes its metadata, if single sign-on is enabled',
    without: 'Single sign-on works with stored metadata for 24 hours',
    fix: 'Check the issuer in the configuration of the instance, and test it with POST /v1/admin/instance/sso/test',
    isUsed: () => true,
    test: assertIdentityProvider,
    isRequired: false,
  },
];
