import { administrator, superuser, withoutAudit } from '../support/admin.js';
import { expectApiError, expectInvalid, type Gatehouse, gatehouse, type Persona, person } from '../support/index.js';

let service: Gatehouse;
let root: Persona;
beforeAll(async () => {
  service = await gatehouse();
  root = await superuser(service);
});
afterAll(() => service.close());

const EXPLAIN = '/v1/admin/explain';
const explain = async (body: object) => (await service.as(root).post(EXPLAIN, body)).body;

describe('web.md 4 explain', () => {
  test('shows the route, the guards in order, the deciding guard and the response', async () => {
    const body = { method: 'GET', path: '/v1/admin/users/12', credential: 'session', acls: ['admin:authenticate'] };
    const codes = expect.arrayContaining([expect.any(String)]);
    expect(await explain(body)).toEqual({
      route: {
        method: 'GET',
        path: '/v1/admin/users/:user_id',
        handler: 'AdminUsersController.show',
        policy: "@AdminAcl('user:lookup') @RateLimit('admin:lookup')",
        body: 'none',
        body_limit: null,
      },
      rows: [
        { row: 'load', judgement: 'depends', codes: ['SERVICE_UNAVAILABLE'] },
        { row: 'ip_ban', judgement: 'depends', codes: ['GLOBAL_IP_BANNED', 'GLOBAL_IP_TEMPORARILY_BANNED'] },
        { row: 'credential', judgement: 'passes', codes: [] },
        { row: 'identity', judgement: 'passes', codes },
        { row: 'credential_kind', judgement: 'passes', codes },
        { row: 'administrator', judgement: 'passes', codes },
        { row: 'acl', judgement: 'refuses', codes: ['MISSING_ACL'] },
        { row: 'input', judgement: 'unreached', codes },
      ],
      decides: 'acl',
      answer: { admitted: false, status: 403, code: 'MISSING_ACL', message: expect.any(String) },
    });
  });

  const USERS = { method: 'GET', path: '/v1/admin/users' };
  const ME = { method: 'GET', path: '/v1/users/@me' };
  const both = ['admin:authenticate', 'user:lookup'];
  test.each([
    [{ ...USERS }, 'UNAUTHORIZED'],
    [{ ...USERS, credential: 'bot', acls: ['*'] }, 'UNAUTHORIZED'],
    [{ ...USERS, credential: 'bearer', acls: ['*'], scopes: ['identify'] }, 'ACCESS_DENIED'],
    [{ ...USERS, credential: 'admin-bearer', acls: both }, null],
    [{ ...USERS, credential: 'session', acls: ['user:lookup'] }, 'MISSING_PERMISSIONS'],
    [{ ...USERS, credential: 'session', acls: both, suspicious_activity_flags: 1 }, null],
    [{ ...USERS, credential: 'admin-key', acls: both }, null],
    [{ ...USERS, credential: 'admin-key', acls: both, key_acls: [] }, 'MISSING_ACL'],
    [{ ...USERS, credential: 'admin-key', acls: ['user:lookup'], key_acls: both }, 'MISSING_PERMISSIONS'],
    [{ ...ME, credential: 'admin-key', acls: ['*'] }, 'UNAUTHORIZED'],
    [{ ...ME, credential: 'session' }, null],
    [{ ...ME, credential: 'bearer' }, 'MISSING_OAUTH_SCOPE'],
    [{ ...ME, credential: 'bearer', scopes: ['identify'] }, null],
    [
      { method: 'GET', path: '/v1/users/@me/webhooks', credential: 'session', suspicious_activity_flags: 4 },
      'ACCOUNT_SUSPICIOUS_ACTIVITY',
    ],
    [{ method: 'GET', path: '/v1/applications/@me', credential: 'session' }, 'INVALID_TOKEN'],
    [{ method: 'GET', path: '/v1/applications/@me', credential: 'bot' }, null],
    [{ method: 'POST', path: '/v1/auth/login' }, null],
    [{ method: 'POST', path: '/v1/auth/login', sso_enforced: true }, 'SSO_REQUIRED'],
    [{ method: 'POST', path: '/v1/oauth2/token' }, null],
    [{ method: 'GET', path: '/v1/nothing' }, 'NOT_FOUND'],
  ])('%j results in %s', async (body, code) => {
    const { answer: response, decides } = await explain(body);
    expect([response.code, response.admitted]).toEqual([code, code === null]);
    expect(decides === null).toBe(code === null || code === 'NOT_FOUND');
  });

  test('needs admin:authenticate, changes nothing and leaves no entry', async () => {
    const body = { method: 'GET', path: '/v1/users/@me' };
    expectApiError(await service.as(await person(service)).post(EXPLAIN, body), 'MISSING_PERMISSIONS');
    const clerk = await administrator(service);
    const { status } = await withoutAudit(service, () => service.as(clerk).post(EXPLAIN, body));
    expect(status).toBe(200);
  });

  test('the request is validated', async () => {
    const ask = (body: object) => service.as(root).post(EXPLAIN, body);
    expectInvalid(await ask({}), 'method: INVALID_FORMAT', 'path: INVALID_FORMAT');
    expectInvalid(await ask({ method: 'GET', path: 'v1' }), 'path: INVALID_FORMAT');
    const wrong = { method: 'GET', path: '/', credential: 'cookie', acls: ['x'], suspicious_activity_flags: 256 };
    const faults = [
      'credential: INVALID_FORMAT',
      'acls.0: INVALID_FORMAT',
      'suspicious_activity_flags: INVALID_FORMAT',
    ];
    expectInvalid(await ask(wrong), ...faults);
  });
});
