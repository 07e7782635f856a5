import { expectApiError, type Gatehouse, gatehouse, withGatehouse } from '../support/index.js';

const PAGE = { headers: { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' } };
const UNKNOWN = [
  '/nothing',
  '/v1/nothing',
  '/v1/users/@me/nothing',
  '/<script>alert(1)</script>',
  '/.well-known/x?y=z',
];

describe('conventions.md 1: mounts', () => {
  let service: Gatehouse;
  beforeAll(async () => {
    service = await gatehouse({
      env: {
        PUBLIC_ORIGIN: 'https://gate.example',
        WEB_APP_URL: 'https://app.example',
        SECURITY_CONTACT: 'security@gate.example, https://gate.example/holes',
      },
    });
  });
  afterAll(() => service.close());

  test.each(UNKNOWN)('an unknown path returns a page to a browser and a code to a program: %s', async (path) => {
    const page = await service.anonymous.get(path, PAGE);
    expect(page.status).toBe(404);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
    expect(page.text).toContain('<p>There is nothing at this address.</p>');
    expect(page.text).not.toContain('script');
    expect(await service.anonymous.send('HEAD', path, undefined, PAGE)).toMatchObject({ status: 404, text: '' });
    for (const accept of ['*/*', 'application/json', 'text/htmlx']) {
      expectApiError(await service.anonymous.get(path, { headers: { accept } }), 'NOT_FOUND');
    }
    expectApiError(await service.anonymous.get(path), 'NOT_FOUND');
    expectApiError(await service.anonymous.post(path, {}, PAGE), 'NOT_FOUND');
  });

  test('other errors stay JSON for every Accept header: errors of a route, and an invalid path', async () => {
    expectApiError(await service.anonymous.get('/v1/users/@me', PAGE), 'UNAUTHORIZED');
    expectApiError(await service.anonymous.get('/docs/nothing', PAGE), 'NOT_FOUND');
    expectApiError(await service.anonymous.get('/%zz', PAGE), 'BAD_REQUEST');
  });

  test('/favicon.ico is an icon, /robots.txt excludes crawlers', async () => {
    const icon = await fetch(`${service.url}/favicon.ico`);
    expect(icon.headers.get('content-type')).toBe('image/x-icon');
    expect(Buffer.from(await icon.arrayBuffer()).readUInt32LE(0)).toBe(0x00010000);
    const robots = await service.anonymous.get('/robots.txt');
    expect(robots.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(robots.text).toBe('User-agent: *\nDisallow: /\n');
  });

  test('/.well-known/security.txt has the fields of RFC 9116, and expires within a year', async () => {
    const { status, headers, text } = await service.anonymous.get('/.well-known/security.txt');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
    const fields = text
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/: (.*)/s, 2));
    expect(fields).toEqual([
      ['Contact', 'mailto:security@gate.example'],
      ['Contact', 'https://gate.example/holes'],
      ['Expires', expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)],
      ['Canonical', 'https://gate.example/.well-known/security.txt'],
    ]);
    const days = (Date.parse(fields[2]?.[1] ?? '') - service.clock.now()) / 86_400_000;
    expect(days).toBeGreaterThan(30);
    expect(days).toBeLessThan(365);
  });

  test('/.well-known/change-password redirects to the page', async () => {
    const response = await fetch(`${service.url}/.well-known/change-password`, { redirect: 'manual' });
    expect(response.status).toBe(302);
    expect(response.headers.get('location')).toBe('https://app.example/account/password');
  });

  test('/.well-known/webauthn has the origins of browsers, /.well-known/passkey-endpoints the page for passkeys', async () => {
    const related = await service.anonymous.get('/.well-known/webauthn');
    expect([related.status, related.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(related.body).toEqual({ origins: ['https://gate.example'] });
    const { status, body } = await service.anonymous.get('/.well-known/passkey-endpoints');
    const page = 'https://app.example/account/passkeys';
    expect([status, body]).toEqual([200, { enroll: page, manage: page }]);
  });

  test('the description works on the origin from which it was read', async () => {
    const { body } = await service.anonymous.get('/openapi.json');
    expect(body.servers).toEqual([{ url: '/' }]);
  });
});

test('without a contact there is no security.txt', async () => {
  await withGatehouse({}, async ({ anonymous }) => {
    expectApiError(await anonymous.get('/.well-known/security.txt'), 'NOT_FOUND');
  });
});
