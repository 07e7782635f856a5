import { describeInBrowser } from '../machine/browser.js';
import { CONNECTIONS, PUBLIC, signInWith } from '../machine/connections.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import { auditOf, environmentOf, ScriptedProvider } from '../support/index.js';
import { arriveAsAdministrator } from './administering.js';
import { type } from './driving.js';

describeInBrowser('connections.md 4: /admin/connections', () => {
  let provider: ScriptedProvider;
  let world: Site;
  let visit: Visit;
  beforeAll(async () => {
    provider = await ScriptedProvider.start();
    world = await site({ env: environmentOf(provider) });
    provider.seconds = () => world.service.clock.seconds();
  });
  afterAll(async () => {
    await world?.close();
    await provider?.stop();
  });
  beforeEach(async () => {
    visit = await world.visit();
  });

  const button = (name: string) => visit.page.getByRole('button', { name, exact: true });
  const said = (text: string | RegExp) => visit.page.getByText(text).first().waitFor();
  /** Reviews the changes and saves them. Returns the text of the review. */
  async function save(): Promise<string> {
    await button('Review changes').press('Enter');
    const dialog = visit.page.getByRole('dialog', { name: 'Save these changes?' });
    await dialog.locator('[name=reason]').fill('Requested by the team');
    const text = (await dialog.locator('.difference').innerText()).replace(/\s+/g, ' ');
    await dialog.getByRole('button', { name: 'Save' }).press('Enter');
    return text;
  }
  const offered = async () => (await world.service.anonymous.get(PUBLIC)).body.connections;

  test('a connection is created from a preset, configured, tested, enabled, disabled and deleted', async () => {
    const { page } = visit;
    const root = await arriveAsAdministrator(world, visit, '/admin/connections');
    await said('No connections yet');
    await button('New connection').press('Enter');
    await page.locator('[name=kind]').selectOption('gitlab');
    expect(await page.inputValue('[name=display_name]')).toBe('GitLab');
    expect(await page.inputValue('[name=id]')).toBe('gitlab');
    await visit.look('admin-connections-create');
    await button('Create connection').press('Enter');
    await page.waitForURL((url) => url.searchParams.get('id') === 'gitlab');
    await said(`${world.origin}/auth/connections/gitlab/callback`);
    expect(await page.inputValue('[name=issuer]')).toBe('https://gitlab.com');
    expect(await offered()).toEqual([]);
    await type(page, 'issuer', provider.issuer);
    await type(page, 'client_id', provider.clientId);
    await type(page, 'client_secret', provider.clientSecret ?? '');
    await button('Review changes').press('Enter');
    await visit.look('admin-connections-review');
    await said('Changing the provider unlinks every administrator from this connection.');
    await page.keyboard.press('Escape');
    expect((await world.service.as(root).get(`${CONNECTIONS}/gitlab`)).body.client_id).toBe(null);
    expect(await save()).toBe(
      `Client ID Before: Empty After: gatehouse Issuer URL Before: https://gitlab.com After: ${provider.issuer} Client secret Will be replaced`,
    );
    await said('Connection saved');
    await said('A secret is saved.');
    expect(await page.content()).not.toContain(provider.clientSecret);
    await button('Test connection').press('Enter');
    await said('The connection is ready.');
    await page.focus('[name=enabled]');
    await page.keyboard.press('Space');
    expect(await save()).toBe('Enable this connection Before: Off After: On');
    await page.locator('h2 ~ .badge.good').waitFor();
    expect(await offered()).toEqual([{ id: 'gitlab', kind: 'gitlab', display_name: 'GitLab', icon: 'gitlab' }]);
    await visit.look('admin-connections-one');
    const [entry] = (await auditOf(world.service, 'update_connection')) as { reason: string }[];
    expect(entry?.reason).toBe('Requested by the team');
    expect((await signInWith(world.service, provider, {}, { id: 'gitlab' })).status).toBe(200);
    await page.focus('[name=enabled]');
    await page.keyboard.press('Space');
    await save();
    await page.locator('h2 ~ .badge:not(.good)').waitFor();
    expect(await offered()).toEqual([]);
    await button('Delete connection').press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Delete this connection?' });
    await dialog.getByText('1 user is unlinked.').waitFor();
    await dialog.locator('[name=reason]').fill('Not needed anymore');
    await dialog.getByRole('button', { name: 'Delete connection' }).press('Enter');
    await said('No connections yet');
    expect((await world.service.as(root).get(CONNECTIONS)).body.connections).toEqual([]);
    await visit.leave();
  });

  test('errors are shown at their fields, and nothing is saved', async () => {
    const { page } = visit;
    const root = await arriveAsAdministrator(world, visit, '/admin/connections');
    const made = { id: 'own', kind: 'oauth2', display_name: 'Own' };
    expect((await world.service.as(root).post(CONNECTIONS, made)).status).toBe(200);
    await button('New connection').press('Enter');
    await page.locator('[name=kind]').selectOption('oidc');
    await type(page, 'display_name', 'Again');
    await type(page, 'id', 'own');
    await button('Create connection').press('Enter');
    await said('Another connection has this ID. Choose a different one.');
    await visit.open('/admin/connections?id=own');
    await page.locator('[name="claims.id"]').waitFor();
    await visit.look('admin-connections-oauth2');
    await type(page, 'token_url', 'not a URL');
    await page.focus('[name=enabled]');
    await page.keyboard.press('Space');
    await save();
    await page.locator('[name=token_url][aria-invalid=true]').waitFor();
    expect((await world.service.as(root).get(`${CONNECTIONS}/own`)).body).toMatchObject({
      ...{ enabled: false, token_url: null },
    });
    await type(page, 'authorization_url', `${provider.issuer}/authorize`);
    await type(page, 'token_url', `${provider.issuer}/token`);
    await type(page, 'userinfo_url', `${provider.issuer}/userinfo`);
    await page.locator('[name="claims.id"]').fill('id');
    await type(page, 'client_id', 'gatehouse');
    await save();
    await said('Connection saved');
    expect((await world.service.as(root).get(`${CONNECTIONS}/own`)).body).toMatchObject({
      ...{ enabled: true, claims: { id: 'id' }, client_secret_set: false },
    });
    await visit.leave();
  });

  test('all wrong lines of the allowed domains are named, and the focus is on them', async () => {
    const { page } = visit;
    const root = await arriveAsAdministrator(world, visit, '/admin/connections?id=own');
    await page.locator('[name=allowed_domains]').fill('example.com\n-bad\nexample.org\nworse domain');
    await save();
    await page.locator('[name=allowed_domains][aria-invalid=true]:focus').waitFor();
    for (const line of ['-bad:', 'worse domain:']) await said(line);
    expect(await page.locator('main').innerText()).not.toContain('example.org:');
    expect((await world.service.as(root).get(`${CONNECTIONS}/own`)).body.allowed_domains).toEqual([]);
    await visit.leave();
  });

  test('an administrator who may only view has no controls; an unknown connection is explained', async () => {
    const { page } = visit;
    await arriveAsAdministrator(world, visit, '/admin/connections?id=own', 'instance:config:view');
    await said('You can view these settings but not change them.');
    expect(await page.locator('main input').count()).toBe(0);
    expect(await button('Delete connection').count()).toBe(0);
    await visit.open('/admin/connections');
    await said('Own');
    expect(await button('New connection').count()).toBe(0);
    await visit.look('admin-connections-list');
    await visit.open('/admin/connections?id=unknown');
    await said('This connection doesn’t exist.');
    await visit.leave();
  });
});
