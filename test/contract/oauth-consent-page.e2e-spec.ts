import { expectApiError, type Gatehouse, gatehouse } from '../support/index.js';

const PAGE = '/oauth2/authorize';
const FILE = /\/assets\/[\w-]+\.js/;

async function serving(env: Record<string, string>, work: (service: Gatehouse) => Promise<void>): Promise<void> {
  const service = await gatehouse({ env });
  try {
    await work(service);
  } finally {
    await service.close();
  }
}

describe('oauth 5.2 the consent page over HTTP', () => {
  let service: Gatehouse;
  beforeAll(async () => {
    service = await gatehouse();
  });
  afterAll(() => service.close());

  test('it has no inline script or style, cannot be framed, sends no referrer and is not cached', async () => {
    const response = await service.anonymous.get(PAGE);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('x-frame-options')).toBe('DENY');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(response.headers.get('cache-control')).toBe('no-store');
    const csp = response.headers.get('content-security-policy') ?? '';
    expect(csp).toContain("default-src 'none'");
    expect(csp).toContain("frame-ancestors 'none'");
    expect(csp).toContain("require-trusted-types-for 'script'");
    expect(csp).not.toContain('unsafe');
    expect(response.text).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/);
    expect(response.text).not.toMatch(/(?:src|href)="(?!\/(?:assets\/|favicon\.ico))/);
  });

  test('it contains nothing of the request: known, unknown and deleted applications get the same bytes', async () => {
    const pages = await Promise.all(
      ['', '?client_id=1', '?client_id=<b>&state=%3Cscript%3E', '?error=login_required'].map(
        async (query) => (await service.anonymous.get(`${PAGE}${query}`)).text,
      ),
    );
    expect(new Set(pages).size).toBe(1);
  });

  test('nothing below it is found', async () => {
    expectApiError(await service.anonymous.get(`${PAGE}/other.js`), 'NOT_FOUND');
    expectApiError(await service.anonymous.get(`${PAGE}/`), 'NOT_FOUND');
  });
});

describe('oauth 5.2 whose consent page is used', () => {
  const sent = async (service: Gatehouse): Promise<string> => {
    const response = await service.anonymous.get('/v1/oauth2/authorize?client_id=1&scope=identify');
    expect(response.status).toBe(302);
    return response.headers.get('location') ?? '';
  };

  test('with another frontend, only the consent page and its files are served', async () => {
    await serving({ PUBLIC_ORIGIN: 'https://id.example', WEB_APP_URL: 'https://app.example' }, async (service) => {
      const page = await service.anonymous.get(PAGE);
      expect(page.status).toBe(200);
      expect((await service.anonymous.get(FILE.exec(page.text)?.[0] ?? '')).status).toBe(200);
      expectApiError(await service.anonymous.get('/login'), 'NOT_FOUND');
      expectApiError(await service.anonymous.get('/account'), 'NOT_FOUND');
      expect(await sent(service)).toMatch(/^https:\/\/id\.example\/oauth2\/authorize\?/);
    });
  });

  test.each([
    ['another page is named', { OAUTH_CONSENT_URL: 'https://app.example/consent' }, 'https://app.example/consent'],
    ['pages are off', { WEB_PAGES: 'off' }, 'https://id.example/oauth2/authorize'],
  ])('if %s, our consent page is not served', async (_, env, target) => {
    const origins = { PUBLIC_ORIGIN: 'https://id.example', WEB_APP_URL: 'https://app.example' };
    await serving({ ...origins, ...env }, async (service) => {
      expectApiError(await service.anonymous.get(PAGE), 'NOT_FOUND');
      expectApiError(await service.anonymous.get('/assets/base.js'), 'NOT_FOUND');
      expect(await sent(service)).toContain(`${target}?`);
    });
  });

  test('the startup log reports a missing consent page', async () => {
    const warned = async (env: Record<string, string>) => {
      const service = await gatehouse({ env: { LOG_LEVEL: 'warn', ...env } });
      const lines = service.log.filter((line) => line.includes('users cannot authorize applications'));
      await service.close();
      return lines.length;
    };
    expect(await warned({ WEB_PAGES: 'off' })).toBe(1);
    expect(await warned({ WEB_PAGES: 'off', OAUTH_CONSENT_URL: 'https://app.example/consent' })).toBe(0);
    expect(await warned({})).toBe(0);
  });
});
