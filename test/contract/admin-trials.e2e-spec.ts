import { randomBytes } from 'node:crypto';
import { createServer as createEndpoint } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { administrator, auditOf, setAcls, superuser, withoutAudit } from '../support/admin.js';
import {
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  inboxAfterDelivery,
  mailTo,
  solveCaptcha,
  withGatehouse,
} from '../support/index.js';

const MAIL = '/v1/admin/instance/mail/test';
const CAPTCHA = '/v1/admin/instance/captcha/test';

describe('admin.md 9: the email test', () => {
  let service: Gatehouse;
  beforeAll(async () => {
    service = await gatehouse();
  });
  afterAll(() => service.close());

  test('sends an email only to the caller, in their language, and returns success; five times in 15 minutes', async () => {
    const admin = await administrator(service, 'instance:config:update');
    await service.sql(`UPDATE account SET locale = 'de', email_verified = false WHERE id = $1`, [admin.id]);
    const { status, body } = await service.as(admin).post(MAIL, { email: 'somebody.else@example.com' });
    expect({ status, body }).toEqual({ status: 200, body: { ok: true, detail: null } });
    const { subject, metadata } = await mailTo(service, admin.email, 'mail_test');
    expect([subject, metadata]).toEqual(['Testnachricht von Gatehouse', {}]);
    expect(await inboxAfterDelivery(service, 'somebody.else@example.com')).toEqual([]);
    expect((await auditOf(service, 'test_mail')).at(-1)).toMatchObject({
      ...{ admin_user_id: admin.id, target_type: 'instance', metadata: { ok: 'true' } },
    });
    for (let sent = 1; sent < 5; sent++) expect((await service.as(admin).post(MAIL)).status).toBe(200);
    expectApiError(await withoutAudit(service, () => service.as(admin).post(MAIL)), 'RATE_LIMITED');
  });

  test('requires the ACL to change the instance, and an email address', async () => {
    const viewer = await administrator(service, 'instance:config:view');
    expectApiError(await withoutAudit(service, () => service.as(viewer).post(MAIL)), 'MISSING_ACL');
    expectApiError(await service.anonymous.post(MAIL), 'UNAUTHORIZED');
    const root = await superuser(service);
    await service.sql('UPDATE account SET email = NULL WHERE id = $1', [root.id]);
    expectInvalid(
      await withoutAudit(service, () => service.as(root).post(MAIL)),
      'root: USER_DOES_NOT_HAVE_AN_EMAIL_ADDRESS',
    );
  });

  test('the response of the server is returned without the address, and no email is stored for later', async () => {
    const server = createServer((socket) => socket.end('554 5.7.1 no mail from you\r\n'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const env = { MAIL_TRANSPORT: 'smtp', SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'gate@example.com' };
    try {
      await withGatehouse({ env }, async (other) => {
        const root = await superuser(other);
        await other.sql('DELETE FROM outbox');
        const { body } = await other.as(root).post(MAIL);
        expect(body).toEqual({ ok: false, detail: expect.stringContaining('554') });
        expect(JSON.stringify(body)).not.toContain(root.email);
        expect(await other.sql('SELECT 1 FROM outbox')).toEqual([]);
        expect((await auditOf(other, 'test_mail'))[0]?.metadata).toEqual({ ok: 'false' });
      });
    } finally {
      server.close();
    }
  });

  test('the response of an HTTP endpoint for email is returned', async () => {
    const endpoint = createEndpoint((_, res) => void res.writeHead(507).end());
    await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
    const { port } = endpoint.address() as AddressInfo;
    try {
      await withGatehouse(
        { env: { MAIL_TRANSPORT: 'http', MAIL_HTTP_URL: `http://127.0.0.1:${port}/` } },
        async (other) => {
          const { body } = await other.as(await superuser(other)).post(MAIL);
          expect(body).toEqual({ ok: false, detail: 'the email endpoint responded with 507' });
        },
      );
    } finally {
      endpoint.close();
    }
  });

  test('without an email transport, the tests are FEATURE_TEMPORARILY_DISABLED', async () => {
    await withGatehouse({ env: { MAIL_TRANSPORT: 'none' } }, async (other) => {
      const root = await superuser(other);
      expectApiError(await withoutAudit(other, () => other.as(root).post(MAIL)), 'FEATURE_TEMPORARILY_DISABLED');
      expectApiError(
        await withoutAudit(other, () => other.as(root).post(CAPTCHA, { token: 'x' })),
        'FEATURE_TEMPORARILY_DISABLED',
      );
    });
  });
});

describe('admin.md 9: the test of the captcha', () => {
  let service: Gatehouse;
  beforeAll(async () => {
    service = await gatehouse({ env: { CAPTCHA_PROVIDER: 'altcha' } });
  });
  afterAll(() => service.close());

  const admin = async (...acls: string[]) => {
    const captcha = { 'x-captcha-token': await solveCaptcha(service) };
    const email = `${randomBytes(6).toString('hex')}@example.com`;
    const registration = { email, password: 'a long enough password', username: 'admin' };
    const { body } = await service.anonymous.with(captcha).post('/v1/auth/register', registration);
    await setAcls(service, { id: body.user_id }, ['admin:authenticate', ...acls]);
    return { id: body.user_id as string, authorization: body.token as string };
  };

  test('a solved one is accepted once, regardless of the traits of the caller; any other is not', async () => {
    const exempt = await admin('instance:config:update');
    await service.sql(`UPDATE account SET traits = '{captcha_exempt}' WHERE id = $1`, [exempt.id]);
    const token = await solveCaptcha(service);
    const judged = async (body: object) => (await service.as(exempt).post(CAPTCHA, body)).body;
    expect(await judged({ token: 'junk' })).toEqual({ ok: false });
    expect(await judged({ token, type: 'turnstile' })).toEqual({ ok: false });
    expect(await judged({ token, type: 'altcha' })).toEqual({ ok: true });
    expect(await judged({ token })).toEqual({ ok: false });
    expect((await auditOf(service, 'test_captcha')).map(({ metadata }) => metadata)).toEqual([
      { ok: 'false', provider: 'altcha' },
      { ok: 'false', provider: 'turnstile' },
      { ok: 'true', provider: 'altcha' },
      { ok: 'false', provider: 'altcha' },
    ]);
  });

  test('requires the ACL to change the instance', async () => {
    const [viewer, root] = [await admin('instance:config:view'), await admin('*')];
    const token = await solveCaptcha(service);
    expectApiError(await withoutAudit(service, () => service.as(viewer).post(CAPTCHA, { token })), 'MISSING_ACL');
    expectInvalid(await service.as(root).post(CAPTCHA, {}), 'token: INVALID_FORMAT');
    expectInvalid(await service.as(root).post(CAPTCHA, { token, type: 'none' }), 'type: INVALID_FORMAT');
    expect((await service.as(root).post(CAPTCHA, { token })).body).toEqual({ ok: true });
  });
});
