import { defineFeature } from '../../src/policy/feature.js';
import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import {
  type App,
  isTokenActive,
  newApp,
  newTokens,
  type Persona,
  person,
  picture,
  signIn,
  type Tokens,
} from '../support/index.js';
import { chooseLanguage } from './driving.js';

const notes = defineFeature('notes', {
  scopes: { 'notes.read': { 'en-US': 'Read your <i>notes</i>', de: 'Ihre Notizen lesen' } },
});

describeInBrowser('web.md 3: connected applications', () => {
  let world: Site;
  let maker: Persona;
  let owner: Persona;
  let visit: Visit;
  let count = 0;

  beforeAll(async () => {
    world = await site({ features: [notes] });
    maker = await person(world.service, 'maker');
  });
  afterAll(() => world?.close());

  beforeEach(async () => {
    owner = await person(world.service, `owner${++count}`);
    visit = await world.visit();
  });

  const connect = async (name: string, scope: string): Promise<{ app: App; tokens: Tokens }> => {
    const app = await newApp(world.service, maker, { name });
    return { app, tokens: await newTokens(world.service, owner, app, scope) };
  };
  const arrive = () => visit.arrive('/account/connections', owner.authorization);
  const entry = (name: string) => visit.page.getByRole('listitem').filter({ hasText: name }).first();
  const press = (name: string) => visit.page.getByRole('dialog').getByRole('button', { name }).press('Enter');
  const focusedRegion = () => visit.page.locator('section.section:focus').waitFor();

  test('without applications, the page says so', async () => {
    await arrive();
    await visit.page.getByText('No connected apps').waitFor();
    await visit.leave();
  });

  test('the devices on which an application signed the user in are listed and can be signed out', async () => {
    const { service } = world;
    const { app } = await connect('Night Owl', 'openid');
    await connect('Calendar', 'identify');
    const away = { authorization: await signIn(service, owner) };
    await newTokens(service, away, app, 'openid');
    await arrive();
    const listed = entry('Night Owl');
    await listed.getByText('This device').waitFor();
    expect(await entry('Calendar').getByText('This device').count()).toBe(0);
    await visit.look('account-connections-devices');
    await listed.getByRole('button', { name: 'Sign out' }).press('Enter');
    await press('Sign out');
    await visit.page.getByLabel('Password', { exact: true }).fill(owner.password);
    await visit.page.keyboard.press('Enter');
    await visit.page.getByText('Device signed out').waitFor();
    await visit.page.getByRole('dialog').waitFor({ state: 'detached' });
    await listed.getByRole('button', { name: 'Sign out' }).waitFor({ state: 'detached' });
    await listed.getByText('This device').waitFor();
    expect((await service.as(away).get('/v1/users/@me')).status).toBe(401);
    await visit.leave();
  });

  test('one that the platform trusts is shown as given by the platform', async () => {
    const app = await newApp(world.service, maker, { name: 'Wiki' });
    await world.service.sql("UPDATE application SET is_trusted = true, trusted_scopes = '{openid}' WHERE id = $1", [
      app.id,
    ]);
    await newTokens(world.service, owner, app, 'openid');
    await connect('Calendar', 'identify');
    await arrive();
    await entry('Wiki').getByText('Access given by ', { exact: false }).waitFor();
    expect(await entry('Calendar').getByText('Access given by ', { exact: false }).count()).toBe(0);
    await visit.leave();
  });

  test('each is listed with image, scopes in words and date; access is removed permanently', async () => {
    const { app, tokens } = await connect('Night <b>Reader</b>', 'identify notes.read');
    const other = await connect('Calendar', 'identify email');
    const avatar = (await picture('png')).toString('base64');
    await world.service
      .as(maker)
      .patch(`/v1/oauth2/applications/${app.id}/bot`, { avatar, bio: 'Reads at night.' })
      .expect(200);
    await arrive();
    const reader = entry('Night <b>Reader</b>');
    await reader.getByText('Read your <i>notes</i>').waitFor();
    await reader.getByText('See your username, name, and profile picture').waitFor();
    await reader.getByText('Reads at night.').waitFor();
    await reader.getByText(/^Access given \w+ \d+, \d{4}$/).waitFor();
    await reader
      .locator('img.portrait')
      .evaluate((image) => (image as unknown as { decode(): Promise<void> }).decode());
    await visit.look('account-connections');
    await chooseLanguage(visit.page, 'de');
    await reader.getByText('Ihre Notizen lesen').waitFor();
    await chooseLanguage(visit.page, 'en-US');

    await reader.getByRole('button', { name: 'Remove access' }).press('Enter');
    await visit.page.getByText('It loses access right away.', { exact: false }).waitFor();
    expect(await isTokenActive(world.service, tokens.access_token)).toBe(true);
    await visit.look('account-connections-asking');
    await visit.page.keyboard.press('Escape');
    await reader.getByRole('button', { name: 'Remove access' }).press('Enter');
    await press('Remove access');
    await reader.waitFor({ state: 'detached' });
    await focusedRegion();
    expect(await isTokenActive(world.service, tokens.access_token)).toBe(false);
    expect(await isTokenActive(world.service, other.tokens.access_token)).toBe(true);
    await visit.leave();
  });

  test('several lose their access together, those that are not selected keep it', async () => {
    const [first, second, kept] = [
      await connect('First', 'identify'),
      await connect('Second', 'identify'),
      await connect('Kept', 'identify'),
    ];
    await arrive();
    await visit.page.getByLabel('Select all').press('Space');
    await visit.page.getByLabel('Select Kept').press('Space');
    expect(await visit.page.getByLabel('Select all').isChecked()).toBe(false);
    await visit.page.getByRole('button', { name: 'Remove 2 apps' }).press('Enter');
    await press('Remove 2 apps');
    await entry('First').waitFor({ state: 'detached' });
    await focusedRegion();
    const alive = [first, second, kept].map(({ tokens }) => isTokenActive(world.service, tokens.access_token));
    expect(await Promise.all(alive)).toEqual([false, false, true]);
    expect(await visit.page.getByRole('listitem').filter({ hasText: 'Kept' }).count()).toBe(1);
    await visit.leave();
  });

  test('an application deleted in the meantime: nothing is removed with it, and the others can be removed', async () => {
    const [gone, left, alone] = [
      await connect('Gone', 'identify'),
      await connect('Left', 'identify'),
      await connect('Alone', 'identify'),
    ];
    await arrive();
    await visit.page.getByLabel('Select Gone').press('Space');
    await visit.page.getByLabel('Select Left').press('Space');
    const remove = (id: string) =>
      world.service.as(maker).delete(`/v1/oauth2/applications/${id}`, { password: maker.password }).expect(204);
    await remove(gone.app.id);
    await visit.page.getByRole('button', { name: 'Remove 2 apps' }).press('Enter');
    await press('Remove 2 apps');
    await visit.page.getByText('This app doesn’t exist.').waitFor();
    expect(await isTokenActive(world.service, left.tokens.access_token)).toBe(true);
    await press('Remove 1 app');
    await entry('Left').waitFor({ state: 'detached' });
    expect(await isTokenActive(world.service, left.tokens.access_token)).toBe(false);

    await remove(alone.app.id);
    await entry('Alone').getByRole('button', { name: 'Remove access' }).press('Enter');
    await press('Remove access');
    await visit.page.getByText('No connected apps').waitFor();
    await visit.page.getByRole('dialog').waitFor({ state: 'detached' });
    await visit.leave();
  });
});
