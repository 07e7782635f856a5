import { Controller, Delete, Get, HttpCode, Module, Post } from '@nestjs/common';
import { Cors, CredentialFree, Public } from '../../src/policy/decorators.js';
import type { RoutePlan } from '../../src/policy/plan.js';
import { Routes } from '../../src/policy/routes.js';
import { expectApiError, type Gatehouse, gatehouse, type RawResponse, sendRaw } from '../support/index.js';

const APP = 'https://app.example';

@Controller('v1/probe')
class ProbeController {
  @Get('page')
  @Public()
  page() {
    return {};
  }

  @Post('page')
  @HttpCode(200)
  @Public()
  @Cors('any')
  post() {
    return {};
  }

  @Delete('page')
  @Public()
  @Cors('none')
  remove() {}

  @Get(':id/messages')
  @Public()
  messages() {
    return {};
  }

  @Post(':id/:token')
  @HttpCode(200)
  @CredentialFree()
  @Cors('none')
  secret() {
    return {};
  }
}

@Controller('media/probe')
class MediaController {
  @Get()
  @CredentialFree()
  @Cors('any')
  read() {
    return {};
  }
}

@Module({ controllers: [ProbeController, MediaController] })
class ProbeModule {}

let service: Gatehouse;
beforeAll(async () => {
  service = await gatehouse({
    modules: [ProbeModule],
    env: { CORS_ORIGINS: ` ${APP} , http://localhost:3000,`, WEB_APP_URL: 'https://web.example' },
  });
});
afterAll(() => service.close());

const ask = (target: string, origin: string | null, method = 'GET', ...lines: string[]): Promise<RawResponse> =>
  sendRaw(service, [`${method} ${target} HTTP/1.1`, ...(origin === null ? [] : [`Origin: ${origin}`]), ...lines]);

/** Returns the headers that depend on the origin. Files also vary by `Accept-Encoding`, which is removed here. */
const corsOf = ({ headers }: RawResponse) =>
  Object.fromEntries(
    [...headers]
      .filter(([name]) => name.startsWith('access-control-') || name === 'vary')
      .map(([name, value]) => [name, value.replace(/(?:^|, )Accept-Encoding$/, '')])
      .filter(([, value]) => value !== ''),
  );

const EXPOSED = [
  ...[
    'X-Request-ID',
    'X-Service-Version',
    'Retry-After',
    'X-RateLimit-Scope',
    'X-RateLimit-Global',
    'X-RateLimit-Limit',
  ],
  ...['X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-RateLimit-Reset-After', 'X-RateLimit-Bucket'],
];
const ALLOWED = [
  ...[
    'Authorization',
    'Content-Type',
    'If-None-Match',
    'Range',
    'X-Request-ID',
    'X-Audit-Log-Reason',
    'X-Captcha-Token',
  ],
  ...['X-Captcha-Type', 'X-Service-Client-Properties', 'X-Service-Sudo-Mode-JWT'],
];
const listed = (text: string | null): string[] => (text ?? '').split(', ').sort();

const OF_DEFAULT = {
  'access-control-allow-origin': APP,
  'access-control-expose-headers': [...EXPOSED, 'X-Service-Sudo-Mode-JWT'].join(', '),
  vary: 'Origin',
};
const OF_ANY = { 'access-control-allow-origin': '*', 'access-control-expose-headers': EXPOSED.join(', ') };

describe('conventions.md 3: responses', () => {
  test('a listed origin may read the response and the sudo proof', async () => {
    expect(corsOf(await ask('/v1/probe/page', APP))).toEqual(OF_DEFAULT);
    const { headers } = await ask('/v1/probe/page', 'http://localhost:3000');
    expect(headers.get('access-control-allow-origin')).toBe('http://localhost:3000');
  });

  test.each([
    ...[
      'https://evil.example',
      'http://app.example',
      `${APP}:443`,
      `${APP}:444`,
      'https://app.example.evil',
      `${APP}/`,
    ],
    ...['https://APP.example', 'https://sub.app.example', 'https://evilapp.example', 'null', '*', '', `${APP}, ${APP}`],
    ...['https://web.example', 'https://app.exampl', `${APP}\u00a0`, 'http://localhost', 'http://localhost:30000'],
  ])('any other origin, such as %j, gets the usual response and may not read it', async (origin) => {
    const response = await ask('/v1/probe/page', origin);
    expect([response.status, corsOf(response)]).toEqual([200, { vary: 'Origin' }]);
  });

  test('public resources are readable by every origin, without the sudo proof', async () => {
    for (const origin of [APP, 'https://evil.example', 'null', null]) {
      expect(corsOf(await ask('/.well-known/service', origin))).toEqual(OF_ANY);
    }
  });

  test('the response of every route has exactly the CORS headers of its policy', async () => {
    const wanted = ({ policy }: RoutePlan, origin: string) =>
      policy.cors === 'none' ? {} : policy.cors === 'any' ? OF_ANY : origin === APP ? OF_DEFAULT : { vary: 'Origin' };
    // Media routes have their own rules (media.md).
    for (const route of service.app.get(Routes).all.filter(({ path }) => !path.startsWith('/media/'))) {
      const target = route.path.replace(/:\w+/g, '1').replace(/\*\w+/g, 'a/b');
      for (const origin of [APP, 'https://evil.example']) {
        for (const lines of [[], ['Authorization: Bearer x', 'Content-Type: text/plain']]) {
          const response = await ask(target, origin, route.method, 'Content-Length: 0', ...lines);
          const name = `${route.method} ${route.path} ${response.status}`;
          expect([name, corsOf(response)]).toEqual([name, wanted(route, origin)]);
        }
      }
    }
  });

  test('an error before routing has them also', async () => {
    const lines = ['GET /v1/probe/page HTTP/1.1', `Origin: ${APP}`, 'Transfer-Encoding: gzip'];
    expect(corsOf(await sendRaw(service, lines))).toEqual(OF_DEFAULT);
  });
});

describe('conventions.md 3: preflight', () => {
  const preflight = (target: string, origin: string, method: string) =>
    ask(target, origin, 'OPTIONS', `Access-Control-Request-Method: ${method}`, 'Access-Control-Request-Headers: x');

  test('204 with the methods of the path, the headers, and ten minutes', async () => {
    const response = await preflight('/v1/users/@me', APP, 'PATCH');
    expect([response.status, response.text]).toEqual([204, '']);
    const { 'access-control-allow-headers': allowed, ...rest } = corsOf(response);
    expect(listed(allowed ?? null)).toEqual([...ALLOWED].sort());
    expect(rest).toEqual({
      ...OF_DEFAULT,
      'access-control-allow-methods': 'GET, HEAD, PATCH',
      'access-control-max-age': '600',
    });
  });

  test('media allow no credentials and no proof', async () => {
    const response = await preflight('/media/probe', 'https://evil.example', 'GET');
    expect(response.status).toBe(204);
    const refused = ['Authorization', 'X-Service-Client-Properties', 'X-Service-Sudo-Mode-JWT'];
    expect(listed(response.headers.get('access-control-allow-headers'))).toEqual(
      ALLOWED.filter((name) => !refused.includes(name)).sort(),
    );
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
  });

  test('another origin gets 204 and no permission', async () => {
    for (const origin of ['https://evil.example', 'null']) {
      const response = await preflight('/v1/users/@me', origin, 'GET');
      expect([response.status, corsOf(response)]).toEqual([204, { vary: 'Origin' }]);
    }
  });

  test('the requested operation decides, not other operations on the same path', async () => {
    expect((await preflight('/v1/probe/page', APP, 'GET')).headers.get('access-control-allow-origin')).toBe(APP);
    const any = await preflight('/v1/probe/page', 'https://evil.example', 'POST');
    expect(any.headers.get('access-control-allow-origin')).toBe('*');
    expect(any.headers.get('access-control-allow-methods')).toBe('GET, HEAD, POST');
    expectApiError(await preflight('/v1/probe/page', APP, 'DELETE'), 'NOT_FOUND');
  });

  test('a secret URL has no preflight response; a readable one next to it does', async () => {
    expectApiError(await preflight('/v1/probe/1/s3cret', APP, 'POST'), 'NOT_FOUND');
    expectApiError(await preflight('/v1/probe/1/s3cret', APP, 'GET'), 'NOT_FOUND');
    const response = await preflight('/v1/probe/1/messages', APP, 'GET');
    expect([response.status, response.headers.get('access-control-allow-methods')]).toEqual([204, 'GET, HEAD']);
  });

  test('OPTIONS has no other use', async () => {
    expectApiError(await preflight('/v1/nope', APP, 'GET'), 'NOT_FOUND');
    for (const nothing of ['/v1/oauth2/applications/', '/v1/oauth2/applications//bot', '/media/attachments/']) {
      expectApiError(await preflight(nothing, APP, 'GET'), 'NOT_FOUND');
    }
    expectApiError(await ask('/v1/users/@me', APP, 'OPTIONS'), 'NOT_FOUND');
    expectApiError(await ask('/v1/users/@me', null, 'OPTIONS', 'Access-Control-Request-Method: GET'), 'NOT_FOUND');
    expect((await ask('*', APP, 'OPTIONS', 'Access-Control-Request-Method: GET')).status).toBe(400);
  });
});
