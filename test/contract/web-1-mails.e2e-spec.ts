import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LANGUAGES } from '../../src/core/text/languages.js';
import { Database } from '../../src/platform/database/database.js';
import { Instance } from '../../src/platform/instance/instance.js';
import { SAMPLES } from '../../src/service/mail-samples.js';
import { describeInBrowser, type OwnBrowser, openBrowser } from '../machine/browser.js';
import { freePort } from '../machine/ports.js';
import {
  eventually,
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  mailTo,
  person,
  verifiedPerson,
  withGatehouse,
} from '../support/index.js';

const SETTINGS = '/v1/users/@me/settings';
const password = 'a long enough password';
const fresh = () => `words.${randomBytes(6).toString('hex')}@example.com`;

let service: Gatehouse;
beforeAll(async () => {
  service = await gatehouse({ env: { SMS_TRANSPORT: 'inbox', PRODUCT_NAME: 'Fährhaus & Co' } });
});
afterAll(() => service.close());

const speak = async (as: Parameters<Gatehouse['as']>[0], locale: string) => {
  const response = await service.as(as).patch(SETTINGS, { locale });
  expect([response.status, response.body.locale]).toEqual([200, locale]);
};

describe('web.md 1: emails are in the language of the account', () => {
  test.each([
    ['de-AT,de;q=0.9,en;q=0.8', 'Bestätigen Sie Ihre E-Mail-Adresse für Fährhaus & Co', 'de', 'ltr'],
    ['ar-EG', 'تأكيد عنوان بريدك الإلكتروني في Fährhaus & Co', 'ar', 'rtl'],
    ['ja', 'Fährhaus & Coのメールアドレスの確認', 'ja', 'ltr'],
    ['ko', 'Verify your email for Fährhaus & Co', 'en-US', 'ltr'],
    ['en-GB', 'Verify your email for Fährhaus & Co', 'en-US', 'ltr'],
    ['de;q=0.1, ja', 'Fährhaus & Coのメールアドレスの確認', 'ja', 'ltr'],
    ['ar ; q=0, de;q=0.2, ja;q=0.8', 'Fährhaus & Coのメールアドレスの確認', 'ja', 'ltr'],
    ['ja;q=0.000, tlh', 'Verify your email for Fährhaus & Co', 'en-US', 'ltr'],
    ['ja;q=2, ar;q=x, de;q=0', 'Verify your email for Fährhaus & Co', 'en-US', 'ltr'],
    ['tlh', 'Verify your email for Fährhaus & Co', 'en-US', 'ltr'],
  ])('a registration with Accept-Language %s sets it', async (wanted, subject, lang, dir) => {
    const email = fresh();
    const { status } = await service.anonymous
      .with({ 'accept-language': wanted })
      .post('/v1/auth/register', { email, password });
    expect(status).toBe(200);
    const mail = await mailTo(service, email, 'email_verification');
    expect(mail.subject).toBe(subject);
    expect(mail.html).toContain(`<html lang="${lang}" dir="${dir}">`);
    expect(mail.text.split('\n')).toContain(`http://localhost:8080/auth/verify#token=${mail.metadata.token}`);
  });

  test('the language is that of the account at the time of sending', async () => {
    const alice = await verifiedPerson(service, 'alice');
    await mailTo(service, alice.email, 'email_verification');
    const notices: (readonly [string, string, string])[] = [
      ['de', 'Das Passwort Ihres Kontos wurde geändert.', ' um '],
      ['fr', 'Le mot de passe de votre compte a été changé.', 'Date\u00a0: '],
      ['ar', 'تم تغيير كلمة مرور حسابك.', 'الوقت'],
      ['ko', 'Your password was changed.', 'When: '],
      ['en-GB', 'Your password was changed.', 'When: '],
    ];
    let [token, current] = [alice.authorization, alice.password];
    for (const [index, [locale, sentence, fact]] of notices.entries()) {
      await speak(token, locale);
      const next = `${password} ${index}`;
      const changed = await service.as(token).patch('/v1/users/@me', { password: current, new_password: next });
      expect(changed.status).toBe(200);
      [token, current] = [changed.body.token ?? token, next];
      const mail = await mailTo(service, alice.email, 'security_notice', index + 1);
      expect(mail.text).toContain(sentence);
      expect(mail.text).toContain(fact);
      expect(mail.text).toMatch(/ UTC$/m);
      expect(mail.html).toContain(`dir="${locale === 'ar' ? 'rtl' : 'ltr'}"`);
    }
  });

  let endpoint: Server | undefined;
  afterAll(() => endpoint?.close());

  test('a queued email follows a change of the language', async () => {
    const taken: { subject: string; text: string }[] = [];
    let isOut = true;
    const server = createServer((req, res) => {
      let body = '';
      req.on('data', (chunk) => (body += chunk));
      req.on('end', () => {
        if (!isOut) taken.push(JSON.parse(body));
        res.writeHead(isOut ? 503 : 204).end();
      });
    });
    endpoint = server;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mail`;
    await withGatehouse({ env: { MAIL_TRANSPORT: 'http', MAIL_HTTP_URL: url } }, async (own) => {
      const alice = await person(own, 'alice');
      await eventually('a deferred mail', async () => {
        const [row] = await own.sql(
          "SELECT 1 FROM outbox WHERE attempts = 1 AND next_attempt_at < now() + interval '1 minute'",
        );
        return row;
      });
      expect((await own.as(alice).patch(SETTINGS, { locale: 'pt-BR' })).status).toBe(200);
      isOut = false;
      await own.sql('UPDATE outbox SET next_attempt_at = now()');
      await own.anonymous.post('/v1/auth/register', { email: fresh(), password });
      const mail = await eventually('the mail', async () =>
        taken.find(({ subject }) => subject.startsWith('Confirme')),
      );
      expect(mail.subject).toBe('Confirme seu endereço de e-mail para Gatehouse');
      expect(mail.text).toContain('24 horas');
    });
  });

  test('the owner of a taken address is notified in their own language, not in that of the caller', async () => {
    await withGatehouse({}, async (own) => {
      const alice = await person(own, 'alice');
      await own.as(alice).patch(SETTINGS, { locale: 'es-ES' });
      const instance = own.app.get(Instance);
      await own.app
        .get(Database)
        .transaction((tx) => instance.change(tx, 'registration', { hideExistingAccounts: true }));
      const taken = await own.anonymous
        .with({ 'accept-language': 'ja' })
        .post('/v1/auth/register', { email: alice.email, password });
      expect(taken.status).toBe(200);
      expect((await mailTo(own, alice.email, 'registration_existing_account')).subject).toBe(
        'Ya tiene una cuenta de Gatehouse',
      );
    });
  });

  test('text messages are also in the language of the account', async () => {
    const alice = await person(service, 'alice');
    await speak(alice, 'fr');
    const phone = `+4930${String(Date.now()).slice(-8)}`;
    expect((await service.as(alice).post('/v1/users/@me/phone/send-verification', { phone })).status).toBe(200);
    const { text, metadata } = await mailTo(service, phone, 'phone_verification');
    expect(text).toBe(`${metadata.code} est votre code Fährhaus & Co. Il est valable 10 minutes.`);
  });

  test('an account can choose every supported language', async () => {
    const { body } = await service.anonymous.get('/.well-known/service');
    expect(body.locales).toEqual(expect.arrayContaining([...LANGUAGES]));
  });
});

describe('the page of all emails', () => {
  test('lists every kind in every language', async () => {
    const page = await service.anonymous.get('/dev/mails');
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const links = [...page.text.matchAll(/href="\/dev\/mails\?kind=([a-z_.]+)(?:&amp;language=([\w-]+))?"/g)];
    expect(links).toHaveLength(SAMPLES.length * (LANGUAGES.length + 1));
    for (const [, kind, language] of links) {
      if (language === undefined) continue;
      const one = await service.anonymous.get('/dev/mails', { query: { kind: String(kind), language } });
      expect([kind, language, one.status, one.text.split('<article ').length]).toEqual([kind, language, 200, 2]);
    }
  });

  test('shows one kind in all languages, each as HTML in a frame and as text', async () => {
    const page = await service.anonymous.get('/dev/mails?kind=security_notice.passkey_added');
    expect(page.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; frame-src 'self'; .*frame-ancestors 'none'$/,
    );
    const frames = [...page.text.matchAll(/<iframe title="[^"]+" sandbox="allow-popups" src="([^"]+)">/g)];
    expect(frames.map(([, src]) => src)).toEqual(
      LANGUAGES.map((language) => `/dev/mails/${language}/security_notice.passkey_added`),
    );
    expect(page.text).toContain('Ihrem Konto wurde ein Passkey hinzugefügt.');
    expect(page.text).toContain('<pre lang="ar" dir="rtl" ');
    for (const [, src] of frames) {
      const message = await service.anonymous.get(String(src));
      expect([src, message.status]).toEqual([src, 200]);
      expect(message.headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; style-src 'unsafe-inline'; img-src 'none'; .*frame-ancestors 'self'; sandbox allow-popups$/,
      );
    }
  });

  test('a text message has no HTML, and an unknown kind is rejected', async () => {
    expectApiError(await service.anonymous.get('/dev/mails/de/phone_verification'), 'NOT_FOUND');
    expectInvalid(await service.anonymous.get('/dev/mails?kind=nothing'), 'kind: INVALID_FORMAT');
    expectInvalid(
      await service.anonymous.get('/dev/mails?kind=password_reset&language=ko'),
      'language: INVALID_FORMAT',
    );
    expect((await service.anonymous.get('/dev/mails/ko/password_reset')).status).toBe(400);
    expect((await service.anonymous.get('/dev/mails/de/toString')).status).toBe(400);
  });

  test('exists only with the inbox', async () => {
    await withGatehouse({ env: { MAIL_TRANSPORT: 'none' } }, async (own) => {
      for (const path of ['/dev/mails', '/dev/mails/de/password_reset']) {
        expectApiError(await own.anonymous.get(path), 'NOT_FOUND');
      }
    });
  });
});

describeInBrowser('emails in a browser', () => {
  let browser: OwnBrowser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  test('are shown in frames without errors, and are dark if the reader prefers it', async () => {
    const port = await freePort();
    await withGatehouse({ env: { PUBLIC_ORIGIN: `http://127.0.0.1:${port}`, PORT: String(port) } }, async () => {
      for (const colorScheme of ['light', 'dark'] as const) {
        const page = await browser.newPage({ colorScheme, viewport: { width: 390, height: 800 } });
        const reported: string[] = [];
        page.on('console', (message) => reported.push(message.text()));
        page.on('pageerror', (error) => reported.push(String(error)));
        await page.goto(`http://127.0.0.1:${port}/dev/mails?kind=ip_authorization&language=ar`);
        const frame = page.frameLocator('iframe');
        const button = frame.locator('a.button');
        await button.waitFor();
        const box = async (of: typeof button) => (await of.boundingBox()) ?? { x: 0, width: 0 };
        const [title, within] = [await box(frame.locator('h1')), await box(button)];
        // In right-to-left text, the right edges of the button and the title match.
        expect(Math.round(within.x + within.width)).toBe(Math.round(title.x + title.width));
        const inner = page.frames()[1];
        const ground = await inner?.evaluate("getComputedStyle(document.querySelector('.card')).backgroundColor");
        expect(ground).toBe(colorScheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(23, 26, 32)');
        const overflow = await inner?.evaluate(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        );
        expect(overflow).toBe(0);
        expect(reported).toEqual([]);
        await page.close();
      }
    });
  });
});
