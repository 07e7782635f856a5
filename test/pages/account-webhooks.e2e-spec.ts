import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import { eventually, newApp, newWebhook, type Persona, person, picture } from '../support/index.js';

const LIST = '/account/webhooks';

describeInBrowser('web.md 3: webhooks', () => {
  let world: Site;
  let owner: Persona;
  let visit: Visit;
  let count = 0;

  beforeAll(async () => {
    world = await site();
  });
  afterAll(() => world?.close());

  beforeEach(async () => {
    owner = await person(world.service, `owner${++count}`);
    visit = await world.visit();
  });

  const arrive = (path = LIST) => visit.arrive(path, owner.authorization);
  const hook = (name = 'hook') => newWebhook(world.service, owner, { name });
  const pathOf = ({ id }: { id: string }) => `${LIST}?id=${id}`;
  const post = (path: string, body: object) => world.service.anonymous.post(`${path}?wait=true`, body);
  const listed = async () => (await world.service.as(owner).get('/v1/users/@me/webhooks').expect(200)).body;
  const button = (name: string) => visit.page.getByRole('button', { name, exact: true });
  const dialogButton = (name: string) => visit.page.getByRole('dialog').getByRole('button', { name, exact: true });
  const title = (name: string) => visit.page.getByRole('heading', { level: 2, name, exact: true }).waitFor();
  const message = (text: string) => visit.page.getByRole('log').getByRole('listitem').filter({ hasText: text });
  const focused = (selector: string, hasText?: string) =>
    visit.page.locator(`${selector}:focus`, hasText ? { hasText } : {}).waitFor();
  /** Drags a file onto an element and drops it there, like from the desktop. */
  const drop = async (selector: string, buffer: Buffer) => {
    const path = join(await mkdtemp(join(tmpdir(), 'drop-')), 'a.png');
    await writeFile(path, buffer);
    const zone = visit.page.locator(selector);
    await zone.scrollIntoViewIfNeeded();
    const box = await zone.boundingBox();
    if (!box) throw new Error(`${selector} is not visible`);
    const at = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    const browser = await visit.context.newCDPSession(visit.page);
    const data = { items: [], files: [path], dragOperationsMask: 1 };
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
      await browser.send('Input.dispatchDragEvent', { type, ...at, data });
  };
  /** Returns the path of the URL in the dialog and confirms that the URL is saved. */
  const keep = async (): Promise<string> => {
    const dialog = visit.page.getByRole('dialog').filter({ has: visit.page.locator('code.secret') });
    const url = await dialog.locator('code.secret').innerText();
    await dialog.getByRole('button', { name: 'I’ve saved it' }).press('Enter');
    await visit.page.getByRole('dialog').waitFor({ state: 'detached' });
    return new URL(url).pathname;
  };

  test('one is created by keyboard: its URL is shown once, and posted messages appear immediately', async () => {
    const { page } = visit;
    const app = await newApp(world.service, owner, { name: 'Builds' });
    await arrive();
    await page.getByText('You haven’t created any webhooks yet.').waitFor();
    await visit.waitForGateway();
    await button('New webhook').press('Enter');
    await focused('[name=name]');
    await page.keyboard.type(' ');
    await page.getByLabel('App', { exact: true }).selectOption({ label: 'Builds' });
    const file = { name: 'a.png', mimeType: 'image/png', buffer: await picture('png') };
    await page.locator('[name=avatar]').setInputFiles(file);
    await page.locator('[name=name]').press('Enter');
    await page.getByText('Use 1 to 80 characters.').waitFor();
    expect(await listed()).toEqual([]);
    await visit.look('account-webhooks-refused');
    await page.locator('[name=name]').fill('Night <b>builds</b>');
    await page.locator('[name=name]').press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Copy: URL' }).waitFor();
    await visit.look('account-webhooks-address');
    const path = await keep();
    await title('Night <b>builds</b>');
    await focused('section.opened');
    await page.getByRole('link', { name: 'Builds', exact: true }).waitFor();
    await page.getByText('No messages yet.', { exact: false }).waitFor();
    const [made] = await listed();
    expect(made).toMatchObject({ name: 'Night <b>builds</b>', application_id: app.id, avatar: expect.any(String) });
    await button('Send test message').press('Enter');
    await message('This is a test message.').waitFor();
    await post(path, { content: 'It <i>works</i>', username: 'Builder' }).expect(200);
    await message('It <i>works</i>').getByText('Builder').waitFor();
    await page.getByRole('link', { name: 'Builds', exact: true }).press('Enter');
    await title('Builds');
    await page.getByRole('link', { name: 'All apps', exact: true }).press('Enter');
    // The section has the focus without a ring. The next control has the focus with one.
    const ring = () => page.evaluate('getComputedStyle(document.activeElement).outlineStyle');
    await focused('section.opened');
    expect(await ring()).toBe('none');
    await page.keyboard.press('Tab');
    expect(await ring()).toBe('solid');
    await visit.leave();
  });

  test('a test message is sent with the URL that the user pastes, and only with that of this webhook', async () => {
    const { page } = visit;
    const [{ path, id }, other] = [await hook(), await hook('other')];
    await arrive(pathOf({ id }));
    await visit.waitForGateway();
    await page.locator('[name=url]').fill(`${world.origin}${other.path}`);
    await page.locator('[name=url]').press('Enter');
    await page.getByText('This isn’t the URL of this webhook.').waitFor();
    await visit.look('account-webhooks-test');
    await page.locator('[name=url]').fill(`${world.origin}${path}`);
    await page.locator('[name=url]').press('Enter');
    await message('This is a test message. Your webhook works.').waitFor();
    await visit.leave();
  });

  test('messages appear when posted, edited and deleted, with embeds and files; older ones on request', async () => {
    const { page } = visit;
    const { path, id } = await hook();
    for (let n = 1; n <= 51; n++) await post(path, { content: `message ${n}.` }).expect(200);
    await arrive(pathOf({ id }));
    await message('message 51.').waitFor();
    await visit.waitForGateway();
    expect(await message('message 1.').count()).toBe(0);
    await button('Show older messages').press('Enter');
    await message('message 1.').waitFor();
    await button('Show older messages').waitFor({ state: 'detached' });

    const embeds = [{ title: 'Release', description: 'Two lines\nof it', fields: [{ name: 'By', value: 'una' }] }];
    const { body: reported } = await post(path, { content: 'shipped', embeds }).expect(200);
    await message('shipped').getByText('Release').waitFor();
    expect((await page.getByRole('log').getByRole('listitem').first().innerText()).includes('shipped')).toBe(true);
    const form = new FormData();
    form.append('content', 'with a file');
    form.append('files[0]', new Blob(['its text']), 'notes.txt');
    const sent = await fetch(`${world.origin}${path}?wait=true`, { method: 'POST', body: form });
    const { attachments } = (await sent.json()) as { attachments: [{ url: string }] };
    const link = message('with a file').getByRole('link', { name: 'notes.txt' });
    expect(await link.getAttribute('href')).toBe(attachments[0].url);
    await world.service.anonymous.patch(`${path}/messages/${reported.id}`, { content: 'withdrawn' }).expect(200);
    await message('withdrawn').getByText('(edited)').waitFor();
    await world.service.anonymous.patch(`${path}/messages/${reported.id}`, { flags: 4 }).expect(200);
    await page.getByRole('log').getByText('Release').waitFor({ state: 'detached' });
    await world.service.anonymous.delete(`${path}/messages/${reported.id}`).expect(204);
    await message('withdrawn').waitFor({ state: 'detached' });
    await visit.leave();
  });

  test('name and image are changed here and elsewhere, and an error keeps both', async () => {
    const { page } = visit;
    const { path, id } = await hook('Before');
    await post(path, { content: 'hello', embeds: [{ title: 'An embed', description: 'with a text' }] }).expect(200);
    await arrive(pathOf({ id }));
    await title('Before');
    await visit.waitForGateway();
    await message('hello').waitFor();
    await visit.look('account-webhooks-one');
    await page.locator('[name=name]').fill('After');
    const unsupported = page.getByText('This file isn’t a supported image.', { exact: false });
    const file = { name: 'a.png', mimeType: 'image/png', buffer: Buffer.from('no picture') };
    await page.locator('[name=avatar]').setInputFiles({ ...file, name: 'a.txt', mimeType: 'text/plain' });
    await unsupported.waitFor();
    await visit.look('account-webhooks-image-refused');
    await page.locator('[name=avatar]').setInputFiles(file);
    await unsupported.waitFor({ state: 'detached' });
    await button('Save').press('Enter');
    await unsupported.waitFor();
    expect(await listed()).toMatchObject([{ name: 'Before', avatar: null }]);
    expect(await page.locator('[name=name]').inputValue()).toBe('After');
    await drop('[name=avatar]', await picture('png'));
    await page.locator('img[src^="data:"]').waitFor();
    await button('Save').press('Enter');
    await title('After');
    expect(await listed()).toMatchObject([{ name: 'After', avatar: expect.any(String) }]);
    await button('Remove image').press('Enter');
    await button('Save').press('Enter');
    await button('Remove image').waitFor({ state: 'detached' });
    await page.locator('[aria-busy=true]').waitFor({ state: 'detached' });
    expect(await listed()).toMatchObject([{ avatar: null }]);
    await world.service.as(owner).patch(`/v1/webhooks/${id}`, { name: 'Elsewhere' }).expect(200);
    await title('Elsewhere');
    // The form follows in a later frame than the heading.
    const name = () => page.locator('[name=name]').inputValue();
    await eventually('the new name in the form', async () => (await name()) === 'Elsewhere' || undefined);
    await visit.leave();
  });

  test('the URL is replaced with the password, and the old one stops working immediately', async () => {
    const { page } = visit;
    const { path, id } = await hook();
    await arrive(pathOf({ id }));
    await button('Replace URL').press('Enter');
    await page.getByText('The current URL stops working right away', { exact: false }).waitFor();
    await dialogButton('Replace URL').press('Enter');
    await page.getByLabel('Password', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Confirm it’s you first.').waitFor();
    await post(path, { content: 'still here' }).expect(200);
    await dialogButton('Replace URL').press('Enter');
    await page.getByLabel('Password', { exact: true }).fill(owner.password);
    await page.keyboard.press('Enter');
    const next = await keep();
    await focused('button', 'Replace URL');
    expect((await post(path, { content: 'too late' })).status).toBe(404);
    await post(next, { content: 'moved' }).expect(200);
    await visit.leave();
  });

  test('webhooks created and deleted elsewhere appear and disappear; one is deleted here', async () => {
    const { page } = visit;
    await arrive();
    await page.getByText('You haven’t created any webhooks yet.').waitFor();
    await visit.waitForGateway();
    const [first, second] = [await hook('First'), await hook('Second')];
    await page.getByRole('main').getByRole('link', { name: 'Second' }).waitFor();
    await visit.look('account-webhooks');
    await page.getByRole('main').getByRole('link', { name: 'First' }).press('Enter');
    await title('First');
    await world.service.as(owner).delete(`/v1/webhooks/${first.id}`).expect(204);
    await page.getByText('This webhook doesn’t exist, or its URL has changed.').waitFor();
    await page.goBack();
    await page.getByRole('main').getByRole('link', { name: 'First' }).waitFor({ state: 'detached' });
    await page.getByRole('main').getByRole('link', { name: 'Second' }).press('Enter');
    await button('Delete webhook').press('Enter');
    await page.getByText('all messages and files are deleted', { exact: false }).waitFor();
    await dialogButton('Delete webhook').press('Enter');
    await page.getByText('You haven’t created any webhooks yet.').waitFor();
    await focused('section.opened');
    expect((await post(second.path, { content: 'too late' })).status).toBe(404);
    await visit.leave();
  });
});
