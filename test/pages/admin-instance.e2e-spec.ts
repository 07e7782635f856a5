import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import {
  auditOf,
  environmentOf,
  expectApiError,
  offerSso,
  type Persona,
  ScriptedProvider,
  setAcls,
  superuser,
  withoutAudit,
} from '../support/index.js';
import { arriveAsAdministrator } from './administering.js';
import { chooseLanguage, heading } from './driving.js';

const PATH = '/admin/instance';
const CONFIG = '/v1/admin/instance/config';
const DEFAULTS = {
  registration: { mode: 'open', hide_existing_accounts: false, initial_suspicious_flags: 0 },
  app_public: { branding: { product_name: 'Gatehouse' }, legal: { terms_url: null, privacy_url: null } },
};

describeInBrowser('web.md 4: the instance settings', () => {
  let provider: ScriptedProvider;
  let world: Site;
  let visit: Visit;
  let root: Persona;
  beforeAll(async () => {
    provider = await ScriptedProvider.start();
    world = await site({ env: environmentOf(provider) });
    root = await superuser(world.service);
    await offerSso(world.service, provider);
  });
  afterAll(async () => {
    await world?.close();
    await provider?.stop();
  });
  beforeEach(async () => {
    visit = await world.visit();
    provider.reset();
    const { clientId: client_id, clientSecret: client_secret } = provider;
    const sso = { display_name: null, allowed_domains: [], enabled: true, enforced: false, client_id, client_secret };
    expect((await world.service.as(root).patch(CONFIG, { ...DEFAULTS, sso })).status).toBe(200);
  });
  afterEach(() => visit.leave());

  const arrive = async (...acls: string[]) => {
    const admin = await arriveAsAdministrator(world, visit, PATH, ...acls);
    await heading(visit, 'Settings');
    await visit.page.getByRole('heading', { level: 2, name: 'Sign-up' }).waitFor();
    return admin;
  };
  const field = (path: string) => visit.page.locator(`[name="${path}"]`);
  const button = (name: string) => visit.page.getByRole('button', { name, exact: true });
  const dialog = () => visit.page.getByRole('dialog');
  const dialogButton = (name: string) => dialog().getByRole('button', { name, exact: true });
  const review = async () => {
    await button('Review changes').press('Enter');
    await dialog().waitFor();
  };
  const save = async (reason: string) => {
    await dialog().locator('[name=reason]').fill(reason);
    await dialogButton('Save').press('Enter');
  };
  const saved = () => dialog().waitFor({ state: 'detached' });
  /** The settings as the service returns them. */
  const config = async () => (await world.service.as(root).get(CONFIG)).body;
  /** The request bodies that the page sends from now on. */
  const sent = () => {
    const bodies: unknown[] = [];
    visit.page.on('request', (request) => {
      if (request.method() === 'PATCH' && request.url().endsWith(CONFIG)) bodies.push(request.postDataJSON());
    });
    return bodies;
  };

  test('by keyboard: differences are shown in words, and only they are sent, with the reason', async () => {
    const { page } = visit;
    const admin = await arrive();
    const bodies = sent();
    expect(await button('Review changes').getAttribute('aria-disabled')).toBe('true');
    await field('app_public.branding.product_name').focus();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('Fährhaus <b>');
    await field('registration.hide_existing_accounts').focus();
    await page.keyboard.press('Space');
    await field('registration.initial_suspicious_flags.REQUIRE_VERIFIED_EMAIL').focus();
    await page.keyboard.press('Space');
    await field('app_public.legal.terms_url').fill(' https://example.com/terms ');
    await page.getByText('4 unsaved changes').waitFor();
    await visit.look('admin-instance');
    await review();
    const reported = await dialog().getByRole('definition').allInnerTexts();
    expect(reported).toEqual([
      ...['Before: Off', 'After: On'],
      ...['Before: Empty', 'After: verify your email'],
      ...['Before: Gatehouse', 'After: Fährhaus <b>'],
      ...['Before: Empty', 'After: https://example.com/terms'],
    ]);
    await visit.look('admin-instance-review');
    await page.keyboard.press('Escape');
    await saved();
    expect(bodies).toEqual([]);
    expect(await field('app_public.branding.product_name').inputValue()).toBe('Fährhaus <b>');
    await review();
    await save('Umzug, endlich');
    await saved();
    await page.getByText('unsaved').waitFor({ state: 'detached' });
    expect(bodies).toEqual([
      {
        registration: { hide_existing_accounts: true, initial_suspicious_flags: 1 },
        app_public: { branding: { product_name: 'Fährhaus <b>' }, legal: { terms_url: 'https://example.com/terms' } },
      },
    ]);
    expect((await auditOf(world.service, 'update_instance_config')).at(-1)).toMatchObject({
      ...{ admin_user_id: admin.id, reason: 'Umzug, endlich' },
      metadata: {
        changed:
          'registration.hide_existing_accounts,registration.initial_suspicious_flags,app_public.branding.product_name,app_public.legal.terms_url',
      },
    });
    expect(await config()).toMatchObject(bodies[0] as object);
    await field('app_public.legal.terms_url').fill('');
    await review();
    expect(await dialog().getByRole('definition').allInnerTexts()).toEqual([
      'Before: https://example.com/terms',
      'After: Empty',
    ]);
    await save('no terms');
    await saved();
    expect((await config()).app_public.legal.terms_url).toBeNull();
  });

  test('errors are shown at their fields, the input stays, and nothing is stored', async () => {
    const { page } = visit;
    await arrive();
    await field('app_public.legal.privacy_url').fill('http://example.com/privacy');
    await field('sso.allowed_domains').fill('example.com\nno domain\nexample.org');
    await field('registration.mode').selectOption('closed');
    const before = await config();
    await review();
    await dialog().getByText('No one will be able to create an account', { exact: false }).waitFor();
    await save('closing time');
    await saved();
    await page.locator('[name="app_public.legal.privacy_url"]:focus').waitFor();
    const wrong = (path: string) => page.locator('.field', { has: field(path) }).getByRole('alert');
    await wrong('app_public.legal.privacy_url').getByText('Enter a full URL starting with', { exact: false }).waitFor();
    expect(await config()).toEqual(before);
    expect(await field('registration.mode').inputValue()).toBe('closed');
    await visit.look('admin-instance-refused');
    await field('app_public.legal.privacy_url').fill('https://example.com/privacy');
    await review();
    expect(await dialog().locator('[name=reason]').inputValue()).toBe('closing time');
    await dialogButton('Save').press('Enter');
    await saved();
    await wrong('sso.allowed_domains').getByText('no domain: Check the format.').waitFor();
    expect(await config()).toEqual(before);
    await field('sso.allowed_domains').fill('example.com\n\n example.org');
    await review();
    await dialogButton('Save').press('Enter');
    await saved();
    expect(await config()).toMatchObject({
      registration: { mode: 'closed' },
      sso: { allowed_domains: ['example.com', 'example.org'] },
      app_public: { legal: { privacy_url: 'https://example.com/privacy' } },
    });
  });

  test('the client secret can be set but not read; only the fact of its change is shown', async () => {
    const { page } = visit;
    await arrive();
    const bodies = sent();
    const secret = field('sso.client_secret');
    expect(await secret.inputValue()).toBe('');
    await secret.fill('a new <secret>');
    await review();
    await dialog().getByText('Will be replaced').waitFor();
    expect(await dialog().innerText()).not.toContain('a new <secret>');
    await save('rotation');
    await saved();
    expect(await secret.inputValue()).toBe('');
    expect(bodies).toEqual([{ sso: { client_secret: 'a new <secret>' } }]);
    await page.getByLabel('Remove saved client secret').press('Space');
    await review();
    await dialog().getByText('Will be removed').waitFor();
    await save('public now');
    await saved();
    await page.getByText('No secret saved.', { exact: false }).waitFor();
    expect((await config()).sso.client_secret_set).toBe(false);
    const entries = await auditOf(world.service, 'update_instance_config');
    expect(JSON.stringify(entries)).not.toContain('a new <secret>');
  });

  test('enforcing single sign-on shows a warning; an incomplete configuration is rejected and stays in the form', async () => {
    const { page } = visit;
    await arrive();
    await field('sso.enforced').press('Space');
    await field('sso.enabled').press('Space');
    await review();
    await dialog().getByText('Password and passkey sign-in will stop working', { exact: false }).waitFor();
    await visit.look('admin-instance-enforce');
    await save('all by the provider');
    await dialog().getByText('Single sign-on isn’t fully set up.', { exact: false }).waitFor();
    expect((await config()).sso).toMatchObject({ enabled: true, enforced: false });
    await page.keyboard.press('Escape');
    expect(await field('sso.enforced').isChecked()).toBe(true);
    await field('sso.enabled').press('Space');
    await review();
    await dialogButton('Save').press('Enter');
    await saved();
    expect((await config()).sso).toMatchObject({ enabled: true, enforced: true });
  });

  test('another provider removes the links of administrators, which is shown before and after', async () => {
    const { page } = visit;
    const admin = await arrive();
    const linked = { subject: 'root at the provider' };
    const link = await world.service.as(root).put(`/v1/admin/users/${admin.id}/sso-identity`, linked);
    expect(link.status).toBe(200);
    await field('sso.client_id').fill('another client');
    await review();
    await dialog().getByText('Changing the provider unlinks every administrator', { exact: false }).waitFor();
    await save('moved');
    await saved();
    await page.getByText('1 administrator was unlinked from the provider.').waitFor();
    expect(await world.service.sql('SELECT 1 FROM sso_identity WHERE account_id = $1', [admin.id])).toEqual([]);
  });

  test('the single sign-on test shows each success and failure in words', async () => {
    const { page } = visit;
    await arrive();
    const state = page.getByRole('heading', { name: 'Single sign-on' }).locator('..');
    await state.getByText('Not tested').waitFor();
    await button('Test connection').press('Enter');
    await page.getByText('Single sign-on is ready.').waitFor();
    await state.getByText('Test passed').waitFor();
    await page.getByText('Signing keys found').waitFor();
    provider.overrides.keys = (_, res) => void res.writeHead(500).end();
    await button('Test connection').press('Enter');
    await page.getByText('Single sign-on isn’t ready.').waitFor();
    await state.getByText('Test failed').waitFor();
    await page.getByText('Signing keys not found').waitFor();
    await page.getByText('The keys couldn’t be loaded.').waitFor();
    await chooseLanguage(page, 'de');
    await page.getByText('Die Schlüssel konnten nicht geladen werden.').waitFor();
    await chooseLanguage(page, 'en-US');
    await visit.look('admin-instance-trial');
    expect((await auditOf(world.service, 'test_sso')).at(-1)?.metadata).toEqual({ ok: 'false', failed: 'jwks' });
  });

  test('a preset fills in the issuer from one input, and clears the endpoints, by keyboard', async () => {
    const { page } = visit;
    await world.service.as(root).patch(CONFIG, { sso: { enabled: false } });
    await arrive();
    const issuer = (text: string) => page.getByText(`Issuer URL: ${text}`, { exact: true }).waitFor();
    const preset = field('sso_preset');
    const input = field('sso_preset_input');
    expect(await preset.inputValue()).toBe('custom');
    expect(await field('sso.issuer').inputValue()).toBe(provider.issuer);
    expect(await field('sso.jwks_url').isVisible()).toBe(false);
    await page.locator('summary').filter({ hasText: 'Advanced' }).press('Enter');
    await field('sso.jwks_url').fill('https://keys.example.com/');
    await preset.selectOption({ label: 'Google' });
    await issuer('https://accounts.google.com');
    expect(await input.count()).toBe(0);
    expect(await field('sso.display_name').inputValue()).toBe('Google');
    expect(await field('sso.jwks_url').inputValue()).toBe('');
    await preset.selectOption({ label: 'Microsoft Entra ID' });
    await issuer('Empty');
    await input.fill('contoso');
    await page.locator('[name=sso_preset_input][aria-invalid=true]').waitFor();
    await input.fill(' 8EAEF023-2b34-4da1-9baa-8bc8c9d6a490');
    await issuer('https://login.microsoftonline.com/8eaef023-2b34-4da1-9baa-8bc8c9d6a490/v2.0');
    expect(await field('sso.display_name').inputValue()).toBe('Microsoft Entra ID');
    await visit.look('admin-instance-preset');
    await preset.selectOption({ label: 'Okta' });
    await input.fill('https://dev-1-admin.okta.com/admin/dashboard');
    await issuer('https://dev-1.okta.com');
    await preset.selectOption({ label: 'Keycloak' });
    await input.fill('https://id.example.com/auth/realms/staff/.well-known/openid-configuration');
    await issuer('https://id.example.com/auth/realms/staff');
    await preset.selectOption({ label: 'Google' });
    await review();
    await save('to Google');
    await saved();
    expect((await config()).sso).toMatchObject({
      ...{ issuer: 'https://accounts.google.com', display_name: 'Google', jwks_url: null },
    });
    await page.reload();
    await preset.waitFor();
    expect(await preset.inputValue()).toBe('google');
    await offerSso(world.service, provider);
  });

  test('badges show the saved state, and the preview shows the colors in both schemes', async () => {
    const { page } = visit;
    await arrive();
    await world.service.as(root).patch(CONFIG, { sso: { client_id: null }, registration: { mode: 'approval' } });
    await page.reload();
    await heading(visit, 'Settings');
    const badge = (name: string) => page.getByRole('region', { name, exact: true }).locator('h2 + .badge').innerText();
    expect(await badge('Single sign-on')).toBe('Incomplete');
    expect(await badge('Sign-up')).toBe('Anyone, with approval');
    await field('registration.mode').selectOption('closed');
    expect(await badge('Sign-up')).toBe('Anyone, with approval');
    const preview = page.getByRole('figure');
    await preview.getByText('Light', { exact: true }).waitFor();
    await field('app_public.branding.product_name').fill('Fährhaus');
    expect(await preview.getByText('Fährhaus').count()).toBe(2);
    await preview.getByText('BRAND_ACCENT', { exact: false }).waitFor();
  });

  test('without the permission to change, everything is visible and nothing is editable', async () => {
    const viewer = await arrive('instance:config:view');
    await visit.page.getByText('You can view these settings but not change them.', { exact: false }).waitFor();
    await visit.page.getByText(provider.issuer, { exact: true }).waitFor();
    expect(await visit.page.locator('main :is(input, textarea, select)').count()).toBe(0);
    expect(await button('Review changes').count()).toBe(0);
    expect(await button('Test connection').count()).toBe(0);
    await visit.look('admin-instance-readonly');
    const before = await config();
    const as = world.service.as(viewer);
    const body = { registration: { mode: 'closed' } };
    expectApiError(await withoutAudit(world.service, () => as.patch(CONFIG, body)), 'MISSING_ACL');
    expectApiError(await withoutAudit(world.service, () => as.post('/v1/admin/instance/sso/test')), 'MISSING_ACL');
    expect(await config()).toEqual(before);
  });

  test('the identity provider can be changed only with all permissions; the rest with the ACL', async () => {
    const clerk = await arrive('instance:config:view', 'instance:config:update');
    const editable = await visit.page
      .locator('main :is(input, textarea, select)[name^="sso."]')
      .evaluateAll((all) => all.map((one) => (one as unknown as { name: string }).name));
    expect(editable).toEqual(['sso.display_name', 'sso.scope']);
    expect(await button('Test connection').count()).toBe(0);
    const before = await config();
    const forced = await withoutAudit(world.service, () =>
      world.service.as(clerk).patch(CONFIG, { sso: { issuer: 'https://evil.example' } }),
    );
    expectApiError(forced, 'MISSING_ACL');
    expect(await config()).toEqual(before);
    await field('sso.display_name').fill('Corp');
    await review();
    await save('a name');
    await saved();
    expect((await config()).sso.display_name).toBe('Corp');
  });

  test('an administrator who lost the permission in the meantime is rejected, and the input stays', async () => {
    const admin = await arrive();
    await field('app_public.branding.product_name').fill('Too late');
    await review();
    await setAcls(world.service, admin, ['admin:authenticate', 'instance:config:view']);
    await save('late');
    await dialog().getByRole('alert').waitFor();
    expect(await dialog().locator('[name=reason]').inputValue()).toBe('late');
    expect((await config()).app_public.branding.product_name).toBe('Gatehouse');
  });
});
