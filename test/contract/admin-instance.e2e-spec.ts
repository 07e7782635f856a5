import { administrator, auditOf, setAcls, withoutAudit } from '../support/admin.js';
import { expectApiError, expectInvalid, type Gatehouse, gatehouse, type Persona, person } from '../support/index.js';

let service: Gatehouse;
let root: Persona;
beforeAll(async () => {
  service = await gatehouse({ env: { BRAND_TERMS_URL: 'https://example.com/terms', PRODUCT_NAME: 'Testhouse' } });
  const { body } = await service.anonymous.post('/v1/auth/register', { username: 'root', consent: true });
  root = { id: body.user_id, email: '', password: '', username: 'root', authorization: body.token };
});
afterAll(() => service.close());

const CONFIG = '/v1/admin/instance/config';
const config = async () => (await service.as(root).get(CONFIG)).body;
const patch = (body: object) => service.as(root).patch(CONFIG, body);
const discovery = async () => (await service.anonymous.get('/.well-known/service')).body;
const register = (more: object = {}) =>
  service.anonymous.post('/v1/auth/register', {
    email: `r${Math.random()}@example.com`,
    password: 'a long enough password',
    consent: true,
    ...more,
  });

describe('admin.md 9 instance configuration', () => {
  test('shows the settings in force: stored, from the environment, or built in', async () => {
    await setAcls(service, root, ['admin:authenticate', 'instance:config:view']);
    expect(await config()).toMatchObject({
      registration: { mode: 'open', hide_existing_accounts: false, initial_suspicious_flags: 0 },
      app_public: {
        branding: { product_name: 'Testhouse' },
        legal: { terms_url: 'https://example.com/terms', privacy_url: null },
        setup: { configured: false },
      },
    });
    await setAcls(service, root, ['*']);
    expect((await config()).app_public.setup).toEqual({ configured: true });
  });

  test('a change merges: an absent member is unchanged, null clears, and it applies from the response on', async () => {
    const legal = { privacy_url: 'https://example.com/privacy' };
    const { status, body } = await patch({ app_public: { branding: { product_name: ' Gate ' }, legal } });
    expect(status).toBe(200);
    expect(body).toEqual(await config());
    expect(body.app_public).toMatchObject({
      branding: { product_name: 'Gate' },
      legal: { terms_url: 'https://example.com/terms', ...legal },
    });
    expect(await discovery()).toMatchObject({ product_name: 'Gate', legal });
    expect((await auditOf(service, 'update_instance_config')).at(-1)).toMatchObject({
      target_type: 'instance',
      target_id: '0',
      metadata: { changed: 'app_public.branding.product_name,app_public.legal.privacy_url' },
    });
    await patch({ app_public: { legal: { terms_url: null, privacy_url: null } } });
    expect((await config()).app_public.legal).toEqual({ terms_url: null, privacy_url: null });
  });

  test('a change without effect is also audited; read-only members are stripped', async () => {
    const before = await config();
    const { status, body } = await patch({ app_public: { setup: { configured: false } }, unknown: 1 });
    expect([status, body]).toEqual([200, before]);
    expect((await auditOf(service, 'update_instance_config')).at(-1)?.metadata).toEqual({ changed: '' });
  });

  test('every invalid member is named with its section, and nothing is stored', async () => {
    const before = await config();
    const bad = {
      registration: { mode: 'maybe', hide_existing_accounts: 'no', initial_suspicious_flags: 256 },
      app_public: {
        branding: { product_name: '' },
        legal: { terms_url: 'http://example.com', privacy_url: 'x' },
      },
    };
    expectInvalid(
      await withoutAudit(service, () => patch(bad)),
      'registration.mode: INVALID_FORMAT',
      'registration.hide_existing_accounts: INVALID_FORMAT',
      'registration.initial_suspicious_flags: INVALID_FORMAT',
      'app_public.branding.product_name: INVALID_FORMAT',
      'app_public.legal.terms_url: INVALID_URL_FORMAT',
      'app_public.legal.privacy_url: INVALID_URL_FORMAT',
    );
    const mixed = { registration: { mode: 'closed' }, app_public: { legal: { terms_url: 'https://a.example/#b' } } };
    expectInvalid(await patch(mixed), 'app_public.legal.terms_url: INVALID_URL_FORMAT');
    const long = { app_public: { branding: { product_name: 'x'.repeat(65) } } };
    expectInvalid(await patch(long), 'app_public.branding.product_name: CONTENT_EXCEEDS_MAX_LENGTH');
    expectInvalid(await patch({ registration: null }), 'registration: INVALID_FORMAT');
    expectInvalid(await patch({ registration: [] }), 'registration: INVALID_FORMAT');
    expectInvalid(await patch({ app_public: { legal: 'x' } }), 'app_public.legal: INVALID_FORMAT');
    expectInvalid(await patch({ registration: { mode: null } }), 'registration.mode: INVALID_FORMAT');
    expect(await config()).toEqual(before);
  });

  test('parallel changes of different members are all kept', async () => {
    await Promise.all([
      patch({ registration: { initial_suspicious_flags: 1 } }),
      patch({ registration: { hide_existing_accounts: true } }),
      patch({ app_public: { legal: { terms_url: 'https://example.com/a' } } }),
      patch({ app_public: { legal: { privacy_url: 'https://example.com/b' } } }),
    ]);
    expect(await config()).toMatchObject({
      registration: { initial_suspicious_flags: 1, hide_existing_accounts: true },
      app_public: { legal: { terms_url: 'https://example.com/a', privacy_url: 'https://example.com/b' } },
    });
    await patch({
      registration: { initial_suspicious_flags: 0, hide_existing_accounts: false },
      app_public: { legal: { terms_url: null, privacy_url: null } },
    });
  });

  test('reading and changing are two permissions', async () => {
    await setAcls(service, root, ['admin:authenticate', 'instance:config:view']);
    expectApiError(await patch({}), 'MISSING_ACL');
    await setAcls(service, root, ['*']);
  });

  test('registration closes and opens with the configuration', async () => {
    await patch({ registration: { mode: 'closed' } });
    expectApiError(await register(), 'REGISTRATION_CLOSED');
    expect((await discovery()).registration).toEqual({ mode: 'closed' });
    await patch({ registration: { mode: 'open' } });
    expect((await register()).status).toBe(200);
  });
});

describe('admin.md 9 pending registrations', () => {
  const PENDING = '/v1/admin/instance/pending-registrations';
  const decide = (id: string, status: unknown) => service.as(root).patch(`${PENDING}/${id}`, { status });
  const apply = async (email: string) => {
    const { body } = await register({ email, username: 'applicant' });
    expect(body).toEqual({ registration_pending_approval: true, user_id: expect.any(String) });
    return body.user_id as string;
  };
  const login = (email: string) =>
    service.anonymous.post('/v1/auth/login', { email, password: 'a long enough password' });
  beforeAll(() => patch({ registration: { mode: 'approval' } }));

  test('are listed oldest first, with IP and email address only if the caller may see them', async () => {
    const ids = [await apply('first@example.com'), await apply('second@example.com')];
    const { body } = await service.as(root).get(PENDING);
    expect(body).toEqual({
      total: 2,
      pending_registrations: ids.map((user_id, index) => ({
        user_id,
        username: 'applicant',
        discriminator: expect.stringMatching(/^\d{4}$/),
        global_name: null,
        email: ['first@example.com', 'second@example.com'][index],
        client_ip: '127.0.0.1',
        requested_at: expect.stringMatching(/Z$/),
      })),
    });
    await setAcls(service, root, ['admin:authenticate', 'instance:config:view']);
    const page = await service.as(root).get(PENDING, { query: { limit: '1', offset: '1' } });
    expect(page.body).toMatchObject({
      total: 2,
      pending_registrations: [{ user_id: ids[1], email: null, client_ip: null }],
    });
    await setAcls(service, root, ['*']);
  });

  test('an approved user may sign in, a rejected user may not, until approved later', async () => {
    const id = await apply('third@example.com');
    expectApiError(await login('third@example.com'), 'REGISTRATION_PENDING_APPROVAL');
    expect((await decide(id, 'rejected')).body.user).toMatchObject({ id, traits: ['registration_rejected'] });
    expectApiError(await login('third@example.com'), 'REGISTRATION_REJECTED');
    expect((await decide(id, 'approved')).body.user.traits).toEqual([]);
    expect((await login('third@example.com')).status).toBe(200);
    const actions = (await auditOf(service)).filter(({ target_id }) => target_id === id).map(({ action }) => action);
    expect(actions).toEqual(['reject_registration', 'approve_registration']);
  });

  test('a rejection ends sessions', async () => {
    await patch({ registration: { mode: 'open' } });
    const applicant = await person(service, 'applicant');
    await service.sql("UPDATE account SET traits = '{registration_pending_approval}' WHERE id = $1", [applicant.id]);
    await decide(applicant.id, 'rejected');
    expectApiError(await service.as(applicant).get('/v1/users/@me'), 'UNAUTHORIZED');
  });

  test('a registration that is not pending cannot be decided', async () => {
    const member = await person(service, 'member');
    expectApiError(await withoutAudit(service, () => decide(member.id, 'approved')), 'REGISTRATION_NOT_PENDING');
    expectApiError(await withoutAudit(service, () => decide('1', 'approved')), 'UNKNOWN_USER');
    expectInvalid(await decide(member.id, 'maybe'), 'status: INVALID_FORMAT');
    expectInvalid(await decide('x', 'approved'), 'user_id: INVALID_SNOWFLAKE_FORMAT');
    const clerk = await administrator(service, 'instance:config:view');
    expectApiError(await service.as(clerk).patch(`${PENDING}/${member.id}`, { status: 'approved' }), 'MISSING_ACL');
  });
});
