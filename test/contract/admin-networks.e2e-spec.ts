import { superuser } from '../support/admin.js';
import { expectApiError, type Gatehouse, gatehouse, type Persona, type TestResponse } from '../support/index.js';

const INSIDE = '127.0.80.5';
const OUTSIDE = '127.0.81.5';
const ORIGIN = 'https://app.example';
const PATHS = ['/v1/admin/users', '/v1/admin/acls', '/v1/admin/audit-logs/1'];

let service: Gatehouse;
let root: Persona;
beforeAll(async () => {
  service = await gatehouse({ env: { ADMIN_ALLOW_NETWORKS: '127.0.80.0/24,::1', CORS_ORIGINS: ORIGIN } });
  root = await superuser(service);
});
afterAll(() => service.close());

/** The parts of a response by which a caller could distinguish one path from another. */
function told({ status, body, headers }: TestResponse) {
  const rest = Object.entries(headers).filter(([name]) => name !== 'date' && name !== 'x-request-id');
  return { status, body, headers: Object.fromEntries(rest) };
}

describe('web.md 4 ADMIN_ALLOW_NETWORKS', () => {
  test('administration is available from listed networks', async () => {
    const { status } = await service.as(root).from(INSIDE).get('/v1/admin/acls');
    expect(status).toBe(200);
  });

  test('from other networks it responds like an unknown path, to every credential and origin, and does nothing', async () => {
    const [{ n }] = (await service.sql('SELECT count(*)::int AS n FROM audit_log')) as [{ n: number }];
    for (const client of [service.anonymous, service.as(root), service.as('Admin fa_1_x'), service.as('Bearer  x')]) {
      const outside = client.from(OUTSIDE).with({ origin: ORIGIN });
      const unknown = told(await outside.get('/v1/nothing-at-all'));
      expect(unknown).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
      for (const path of PATHS) expect(told(await outside.get(path))).toEqual(unknown);
      const made = await outside.post('/v1/admin/api-keys', { name: 'x', acls: [] });
      expectApiError(made, 'NOT_FOUND');
    }
    expect(await service.sql('SELECT count(*)::int AS n FROM audit_log')).toEqual([{ n }]);
    expect(await service.sql('SELECT 1 FROM admin_key')).toEqual([]);
  });

  test('a preflight from another network also gets the response of an unknown path', async () => {
    const preflight = async (from: string, path: string) =>
      told(
        await service.anonymous
          .from(from)
          .with({ origin: ORIGIN, 'access-control-request-method': 'GET' })
          .send('OPTIONS', path),
      );
    expect(await preflight(INSIDE, '/v1/admin/users')).toMatchObject({ status: 204 });
    expect(await preflight(OUTSIDE, '/v1/admin/users')).toEqual(await preflight(OUTSIDE, '/v1/nothing-at-all'));
  });

  test('a browser from another network gets the page of an unknown path, and other operations work', async () => {
    const outside = service.as(root).from(OUTSIDE);
    // These requests come from 127.0.0.1, which is not a listed network.
    const page = async (path: string) => {
      const response = await fetch(`${service.url}${path}`, { headers: { accept: 'text/html' } });
      return [response.status, response.headers.get('content-type'), await response.text()];
    };
    const nowhere = (await page('/v1/nothing-at-all')) as unknown;
    for (const path of ['/v1/admin/users', '/admin', '/admin/audit']) expect(await page(path)).toEqual(nowhere);
    expect((await outside.get('/v1/users/@me')).status).toBe(200);
  });

  test('metrics do not count it under its route', async () => {
    const lines = async () => (await service.anonymous.get('/metrics')).text.split('\n');
    const before = (await lines()).filter((line) => line.includes('route="/v1/admin/acls"'));
    await service.anonymous.from(OUTSIDE).get('/v1/admin/acls');
    expect((await lines()).filter((line) => line.includes('route="/v1/admin/acls"'))).toEqual(before);
  });
});
