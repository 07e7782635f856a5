import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import bowser from 'bowser';
import fc from 'fast-check';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { describeClient } from '../../src/accounts/events/origin.js';
import { Config } from '../../src/core/config/config.js';
import { ConfigurationError } from '../../src/core/config/start-error.js';
import { loadConfig } from '../../src/features.js';
import { testOnPostgres } from '../machine/postgres.js';
import {
  eventually,
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  mailTo,
  person,
  waitForDelivery,
  withGatehouse,
} from '../support/index.js';

const fresh = (): string => `mail.${randomBytes(6).toString('hex')}@example.com`;
const password = 'a long enough password';
const register = (service: Gatehouse, email: string) =>
  service.anonymous.post('/v1/auth/register', { email, password, username: 'mailer' });
const rowOf = async (service: Gatehouse, email: string) =>
  (await service.sql('SELECT * FROM outbox WHERE recipient = $1', [email]))[0];
/** Waits until an attempt has failed and the next one is scheduled. */
const deferred = (service: Gatehouse, email: string, attempts = 1) =>
  eventually('a deferred message', async () => {
    const row = await rowOf(service, email);
    // During an attempt, the lease schedules the next attempt in two minutes.
    return row?.attempts === attempts && row.next_attempt_at < new Date(Date.now() + 60_000) ? row : undefined;
  });
/** Queues another message. The outbox then sends everything that is due. */
const wake = (service: Gatehouse) => register(service, fresh());

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';

describe('design 6 the development inbox', () => {
  let service: Gatehouse;
  beforeAll(async () => {
    service = await gatehouse();
  });
  afterAll(() => service.close());

  test('lists messages of one address or of all, newest first, up to a limit', async () => {
    const [alice, bob] = [await person(service, 'alice'), await person(service, 'bob')];
    await mailTo(service, alice.email, 'email_verification');
    await mailTo(service, bob.email, 'email_verification');
    const { status, body } = await service.anonymous.get('/dev/inbox.json', {
      query: { to: alice.email.toUpperCase() },
    });
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        messages: [
          {
            id: expect.stringMatching(/^\d+$/),
            to: alice.email,
            channel: 'email',
            type: 'email_verification',
            subject: expect.stringContaining('Gatehouse'),
            text: expect.stringContaining('http://localhost:8080/auth/verify#token='),
            html: expect.stringContaining('<a href='),
            metadata: { token: expect.stringMatching(/^[A-Za-z0-9]{64}$/) },
            created_at: expect.stringMatching(/Z$/),
          },
        ],
      },
    });
    const all = await service.anonymous.get('/dev/inbox.json?limit=1');
    expect(all.body.messages.map(({ to }: { to: string }) => to)).toEqual([bob.email]);
    for (const query of ['limit=0', 'limit=201', 'limit=x', 'to=', 'to=a&to=b']) {
      expect((await service.anonymous.get(`/dev/inbox.json?${query}`)).status).toBe(400);
    }
    expectInvalid(await service.anonymous.get('/dev/inbox.json?limit=0'), 'limit: INVALID_FORMAT');
  });

  test('the page shows messages as text and HTML, and allows only its own script', async () => {
    const alice = await person(service, 'alice');
    const { text } = await mailTo(service, alice.email, 'email_verification');
    const page = await service.anonymous.get('/dev/inbox', { query: { to: alice.email } });
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'unsafe-inline'; connect-src 'self'; img-src 'none'; /,
    );
    expect(page.text.match(/<script|\son\w+=/gi)).toEqual(['<script']);
    expect(page.text).toContain('sandbox="allow-popups allow-popups-to-escape-sandbox" srcdoc="&lt;!doctype html&gt;');
    expect(page.text).toContain(alice.email);
    expect(page.text).toContain(/http\S+/.exec(text)?.[0]);
  });

  test('text from users is escaped', async () => {
    const hostile = '<img src=x onerror=alert(1)>http://evil.example/';
    const alice = await person(service, 'alice');
    const properties = Buffer.from(JSON.stringify({ os: hostile })).toString('base64');
    await service.anonymous
      .from('127.0.40.1')
      .with({ 'user-agent': hostile, 'x-service-client-properties': properties })
      .post('/v1/auth/login', { email: alice.email, password: alice.password });
    const { text, html } = await mailTo(service, alice.email, 'ip_authorization');
    expect(`${text}${html}`).not.toMatch(/<img|evil\.example/);
    const page = await service.anonymous.get('/dev/inbox', { query: { to: alice.email } });
    expect(page.text).not.toContain('<img');
  });

  test.each([
    ['Your account is locked call 0900 123/1.0 ', 'Call 0900 123 now', 'Unknown browser on unknown system'],
    ['Visit evil example/1 ', 'macOS or call 0900 123', 'Unknown browser on macOS'],
    ['Visit evil example/1 ', 'Linuxcall 0900', 'Unknown browser on unknown system'],
    [FIREFOX, 'windows 11', 'Firefox on Windows'],
    [FIREFOX, 'Windows Phone 8', 'Firefox on Windows Phone'],
    [FIREFOX, 'x', 'Firefox on Linux'],
  ])('an email contains no words from the request: %j, %j', async (userAgent, os, words) => {
    const alice = await person(service, 'alice');
    const properties = Buffer.from(JSON.stringify({ os })).toString('base64');
    await service.anonymous
      .from('127.0.40.2')
      .with({ 'user-agent': userAgent, 'x-service-client-properties': properties })
      .post('/v1/auth/login', { email: alice.email, password: alice.password });
    const { text, html } = await mailTo(service, alice.email, 'ip_authorization');
    expect(text).toContain(words);
    for (const own of ['0900', 'evil', 'locked']) expect(`${text}${html}`).not.toContain(own);
  });

  test('devices are named with words of a fixed list, regardless of client data', () => {
    const named = (userAgent: string, os: string) => {
      const { browser, system } = describeClient({ userAgent, os });
      return `${browser} on ${system}`;
    };
    const seen = new Set(fc.sample(fc.tuple(fc.string(), fc.string()), 2000).map(([agent, os]) => named(agent, os)));
    for (const word of ['Opera/9.8 ', 'Firefox', 'Chrome/1 ', 'Call us/1 now ', 'iPhone', 'CrOS x', 'Tizen ']) {
      for (const noise of fc.sample(fc.string({ maxLength: 40 }), 100)) {
        seen.add(named(`${word}${noise}`, `${noise}${word}`));
      }
    }
    const browsers = [...Object.values(bowser.BROWSER_MAP), 'null'];
    const systems = [...Object.values(bowser.OS_MAP), 'null'];
    const all = new Set(browsers.flatMap((browser) => systems.map((system) => `${browser} on ${system}`)));
    expect([...seen].filter((words) => !all.has(words))).toEqual([]);
  });

  test('DELETE empties it', async () => {
    const alice = await person(service, 'alice');
    await mailTo(service, alice.email, 'email_verification');
    await waitForDelivery(service);
    const { status, text } = await service.anonymous.delete('/dev/inbox');
    expect({ status, text }).toEqual({ status: 204, text: '' });
    expect((await service.anonymous.get('/dev/inbox.json')).body).toEqual({ messages: [] });
  });

  test('it does not need a credential', async () => {
    expect((await service.as('Bearer nonsense').get('/dev/inbox.json')).status).toBe(200);
  });
});

describe('auth 12 mail settings', () => {
  const faultsOf = (env: Record<string, string>): string[] => {
    try {
      loadConfig({ GATEHOUSE_SECRET: randomBytes(32).toString('base64'), ...env });
      return [];
    } catch (error) {
      return (error as ConfigurationError).faults;
    }
  };

  test('a transport needs its settings, and production has no inbox', () => {
    expect(faultsOf({ MAIL_TRANSPORT: 'smtp' })).toEqual([
      'SMTP_URL is required with MAIL_TRANSPORT=smtp',
      'MAIL_FROM is required with MAIL_TRANSPORT=smtp',
    ]);
    expect(faultsOf({ MAIL_TRANSPORT: 'http' })).toEqual(['MAIL_HTTP_URL is required with MAIL_TRANSPORT=http']);
    expect(faultsOf({ MAIL_TRANSPORT: 'smtp', SMTP_URL: 'http://x', MAIL_FROM: 'a b' })).toEqual([
      'MAIL_FROM must be an email address, or a name with an email address in angle brackets',
      'SMTP_URL must be a URL that begins with smtp:// or smtps://',
    ]);
    expect(faultsOf({ NODE_ENV: 'production', EMBEDDED_DATABASE: 'true', MAIL_TRANSPORT: 'inbox' })).toEqual([
      'MAIL_TRANSPORT must not be inbox in production',
    ]);
    expect(faultsOf({ MAIL_TRANSPORT: 'smtp', SMTP_URL: 'smtp://x', MAIL_FROM: 'Gatehouse <a@example.com>' })).toEqual(
      [],
    );
  });

  test('without the inbox transport there is no inbox', async () => {
    await withGatehouse({ env: { MAIL_TRANSPORT: 'none' } }, async (service) => {
      for (const path of ['/dev/inbox', '/dev/inbox.json']) {
        expectApiError(await service.anonymous.get(path), 'NOT_FOUND');
      }
      expectApiError(await service.anonymous.delete('/dev/inbox'), 'NOT_FOUND');
      const alice = await person(service, 'alice');
      expect((await service.anonymous.post('/v1/auth/forgot', { email: alice.email })).status).toBe(204);
      expect((await service.as(alice).post('/v1/auth/verify/resend')).status).toBe(204);
      await service.idle();
      expect(await service.sql('SELECT 1 FROM outbox UNION ALL SELECT 1 FROM inbox_message')).toEqual([]);
    });
  });
});

describe('auth 12 email by SMTP', () => {
  let service: Gatehouse;
  let server: SMTPServer;
  let port: number;
  let received: string[] = [];
  let response: { rcpt?: number; data?: number } = {};

  const apiError = (responseCode: number) => Object.assign(new Error('no such mailbox'), { responseCode });

  const options: SMTPServerOptions = {
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    disableReverseLookup: true,
    onRcptTo: (_address, _session, done) => done(response.rcpt ? apiError(response.rcpt) : null),
    onData(stream, _session, done) {
      let text = '';
      stream.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
      stream.on('end', () => {
        if (!response.data) received.push(text);
        done(response.data ? apiError(response.data) : null);
      });
    },
  };

  beforeAll(async () => {
    server = new SMTPServer(options);
    server.on('error', () => {});
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.server.address() as AddressInfo).port;
    service = await gatehouse({
      env: {
        MAIL_TRANSPORT: 'smtp',
        SMTP_URL: `smtp://127.0.0.1:${port}`,
        MAIL_FROM: 'Gatehouse <no-reply@example.com>',
      },
    });
  });
  afterAll(async () => {
    await service.close();
    await new Promise<void>((resolve) => server.close(resolve));
  });
  beforeEach(() => {
    received = [];
    response = {};
  });

  const sent = (email: string) =>
    eventually('a sent message', async () => {
      const row = await rowOf(service, email);
      return row?.sent_at ? row : undefined;
    });

  test('sends text and HTML once, both with the link, and erases the stored content', async () => {
    const email = fresh();
    await register(service, email);
    const row = await sent(email);
    expect(row).toMatchObject({ payload: null, attempts: 1, parked_at: null });
    const [mail = ''] = received.filter((text) => text.includes(email));
    expect(mail).toContain(`To: ${email}`);
    expect(mail).toContain('From: Gatehouse <no-reply@example.com>');
    expect(mail).toContain(`Message-ID: <${row.id}@localhost>`);
    expect(mail).toContain('Content-Type: text/plain');
    expect(mail).toContain('Content-Type: text/html');
    const plain = mail.replace(/=\r\n/g, '').replaceAll('=3D', '=');
    const links = plain.match(/http:\/\/localhost:8080\/auth\/verify#token=[A-Za-z0-9]{64}/g) ?? [];
    expect(new Set(links).size).toBe(1);
    // The plain text contains the link once. The HTML contains it in the button and in the visible URL below, which is
    // also a link.
    expect(links.length).toBe(4);
  });

  test('a permanent rejection of the recipient marks the address bounced, withdraws its verification and parks the message', async () => {
    const email = fresh();
    response = { rcpt: 550 };
    const { body } = await register(service, email);
    await service.sql('UPDATE account SET email_verified = true WHERE id = $1', [body.user_id]);
    const me = await eventually('a bounced address', async () => {
      const { body: user } = await service.as(body.token).get('/v1/users/@me');
      return user.email_bounced ? user : undefined;
    });
    expect(me).toMatchObject({ email, verified: false, email_bounced: true });
    expect(await rowOf(service, email)).toMatchObject({ payload: null, sent_at: null, parked_at: expect.any(Date) });
  });

  test('a rejection of the message parks it and does not change the address', async () => {
    const email = fresh();
    response = { data: 554 };
    const { body } = await register(service, email);
    await eventually('a parked message', async () => (await rowOf(service, email))?.parked_at ?? undefined);
    expect((await service.as(body.token).get('/v1/users/@me')).body.email_bounced).toBeUndefined();
  });

  test('a temporary failure is tried again with the same message ID, with increasing delays', async () => {
    const email = fresh();
    response = { rcpt: 451 };
    await register(service, email);
    const once = await deferred(service, email);
    expect(once.next_attempt_at.getTime() - Date.now()).toBeLessThan(7_000);
    await service.sql('UPDATE outbox SET next_attempt_at = now() WHERE recipient = $1', [email]);
    await wake(service);
    const twice = await deferred(service, email, 2);
    expect(twice.next_attempt_at.getTime() - Date.now()).toBeGreaterThan(6_000);
    response = {};
    await service.sql('UPDATE outbox SET next_attempt_at = now() WHERE recipient = $1', [email]);
    await wake(service);
    const row = await sent(email);
    expect(received.filter((text) => text.includes(`<${row.id}@localhost>`))).toHaveLength(1);
    const [account] = await service.sql('SELECT email_bounced FROM account WHERE email = $1', [email]);
    expect(account?.email_bounced).toBe(false);
  });

  test('a message that waited too long is never sent late, and one that failed for a day is parked', async () => {
    const [late, hopeless] = [fresh(), fresh()];
    response = { rcpt: 451 };
    await register(service, late);
    await register(service, hopeless);
    for (const email of [late, hopeless]) await deferred(service, email);
    await service.sql('UPDATE outbox SET expires_at = now() WHERE recipient = $1', [late]);
    await service.sql(
      "UPDATE outbox SET created_at = created_at - interval '25 hours', expires_at = NULL WHERE recipient = $1",
      [hopeless],
    );
    response = {};
    await eventually('parked messages', async () => {
      await service.sql('UPDATE outbox SET next_attempt_at = now() WHERE recipient = ANY ($1)', [[late, hopeless]]);
      await wake(service);
      const rows = [await rowOf(service, late), await rowOf(service, hopeless)];
      return rows.every((row) => row?.parked_at) ? true : undefined;
    });
    expect(received.filter((text) => text.includes(late) || text.includes(hopeless))).toEqual([]);
    expect(await rowOf(service, late)).toMatchObject({ payload: null });
  });

  test('a message claimed by a process that exited is sent again after its lease', async () => {
    const email = fresh();
    response = { rcpt: 451 };
    await register(service, email);
    await deferred(service, email);
    response = {};
    await service.sql('UPDATE outbox SET next_attempt_at = now() WHERE recipient = $1', [email]);
    await wake(service);
    expect(await sent(email)).toMatchObject({ payload: null });
  });

  test('the request does not wait for the server, and succeeds if it fails', async () => {
    const email = fresh();
    response = { rcpt: 421 };
    const { status } = await register(service, email);
    expect(status).toBe(200);
  });
});

describe('auth 12 email by HTTP', () => {
  let service: Gatehouse;
  let server: Server;
  let url: string;
  let requests: { headers: IncomingMessage['headers']; body: Record<string, unknown> }[] = [];
  let status = 202;

  beforeAll(async () => {
    server = createServer((req, res) => {
      let text = '';
      req.on('data', (chunk) => (text += chunk));
      req.on('end', () => {
        requests.push({ headers: req.headers, body: JSON.parse(text) });
        if (status === 302) res.setHeader('location', '/elsewhere');
        res.writeHead(status).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/send?key=1`;
    service = await gatehouse({ env: { MAIL_TRANSPORT: 'http', MAIL_HTTP_URL: url } });
  });
  afterAll(async () => {
    await service.close();
    await new Promise((resolve) => server.close(resolve));
  });
  beforeEach(() => {
    requests = [];
    status = 202;
  });

  const requestsFor = (email: string) => requests.filter(({ body }) => body.to === email);

  test('posts one JSON object with texts and token as named members', async () => {
    const email = fresh();
    await register(service, email);
    const [request] = await eventually('a request', async () =>
      requestsFor(email).length ? requestsFor(email) : undefined,
    );
    expect(request?.body).toEqual({
      to: email,
      subject: expect.any(String),
      type: 'email_verification',
      text: expect.stringContaining('#token='),
      html: expect.stringContaining('#token='),
      metadata: { token: expect.stringMatching(/^[A-Za-z0-9]{64}$/) },
    });
    expect(request?.headers['content-type']).toBe('application/json');
    expect(request?.headers).not.toHaveProperty('referer');
    expect(request?.headers).not.toHaveProperty('authorization');
    await eventually('a sent message', async () => (await rowOf(service, email))?.sent_at ?? undefined);
  });

  test.each([500, 404, 302])(
    'on status %d the message is tried again, and redirects are not followed',
    async (code) => {
      const email = fresh();
      status = code;
      await register(service, email);
      await deferred(service, email);
      expect(requestsFor(email)).toHaveLength(1);
      expect(await rowOf(service, email)).toMatchObject({
        sent_at: null,
        parked_at: null,
        payload: expect.any(Buffer),
      });
    },
  );

  testOnPostgres('two replicas send every message once', async () => {
    const { databaseUrl = '', secret } = service.app.get(Config);
    const env = { MAIL_TRANSPORT: 'http', MAIL_HTTP_URL: url, DATABASE_URL: databaseUrl };
    await withGatehouse({ env: { ...env, GATEHOUSE_SECRET: secret.toString('base64') } }, async (second) => {
      const emails = Array.from({ length: 20 }, fresh);
      await Promise.all(emails.map((email, n) => register(n % 2 ? service : second, email)));
      await eventually('every message', async () =>
        emails.every((email) => requestsFor(email).length > 0) ? true : undefined,
      );
      for (const email of emails) expect(requestsFor(email)).toHaveLength(1);
    });
  });
});
