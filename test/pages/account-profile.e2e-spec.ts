import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { describeInBrowser } from '../machine/browser.js';
import { type Site, site, type Visit } from '../machine/pages.js';
import { animatedPicture, factsOf, fetchBytes, type Persona, person, picture } from '../support/index.js';
import { focusOn, type } from './driving.js';

const KINDS = ['png', 'jpeg', 'webp', 'gif', 'avif'] as const;

/** An image whose left half is red and whose right half is blue. */
const halves = async (): Promise<Buffer> =>
  sharp(await picture('png', 800, 400, '#ff0000'))
    .composite([{ input: await picture('png', 400, 400, '#0000ff'), left: 400, top: 0 }])
    .png()
    .toBuffer();

describeInBrowser('web.md 3: /account/profile', () => {
  let world: Site;
  let visit: Visit;
  let owner: Persona;
  let sent: object[];
  let names = 0;
  beforeAll(async () => {
    world = await site();
  });
  afterAll(() => world?.close());
  beforeEach(async () => {
    owner = await person(world.service, `owner${++names}`);
    visit = await world.visit();
    sent = [];
    visit.page.on('request', (request) => {
      if (request.method() === 'PATCH') sent.push(request.postDataJSON());
    });
    await visit.arrive('/account/profile', owner.authorization);
    await visit.page.waitForSelector('[name=bio]');
  });
  afterEach(() => visit.leave());

  const profile = async () => (await world.service.as(owner).get('/v1/users/@me')).body;
  const press = (name: string) => visit.page.getByRole('button', { name, exact: true }).press('Enter');
  const save = async () => {
    await press('Save changes');
    await visit.page.getByText('Saved', { exact: true }).first().waitFor();
  };
  const pick = (name: string, buffer: Buffer) =>
    visit.page.setInputFiles(`input[name=${name}]`, { name: 'file', mimeType: 'image/png', buffer });
  const cutting = () => visit.page.getByRole('application', { name: 'Crop area' });
  const use = async () => {
    await press('Apply');
    await visit.page.getByRole('dialog').waitFor({ state: 'detached' });
  };
  const previewed = (place: string) => visit.page.locator(`.profile-card ${place}[src^="data:"]`).waitFor();
  const stored = async (kind: 'avatar' | 'banner', size = 1024) => {
    const { bytes } = await fetchBytes(
      world.service,
      `/media/${kind}s/${owner.id}/${(await profile())[kind]}.webp?size=${size}`,
    );
    return bytes;
  };
  const colourOf = async (bytes: Buffer) => {
    const { channels } = await sharp(bytes).stats();
    return channels.slice(0, 3).map(({ mean }) => (mean > 128 ? 1 : 0));
  };

  test('only changed fields are sent; an emptied field is cleared', async () => {
    const { page } = visit;
    await type(page, 'global_name', 'Somebody');
    await type(page, 'pronouns', 'they/them');
    await type(page, 'bio', 'First line');
    await page.keyboard.press('Enter');
    await page.keyboard.type('Second line');
    await page.focus('[name=has_colour]');
    await page.keyboard.press('Space');
    await page.fill('[name=accent_color]', '#336699');
    await visit.look('account-profile');
    await save();
    expect(await profile()).toMatchObject({
      ...{ global_name: 'Somebody', pronouns: 'they/them', bio: 'First line\nSecond line', accent_color: 0x336699 },
    });
    await type(page, 'pronouns', 'nobody');
    await type(page, 'pronouns', 'they/them');
    await page.focus('[name=global_name]');
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.press('Delete');
    await page.focus('[name=has_colour]');
    await page.keyboard.press('Space');
    await press('Save changes');
    await page.getByRole('button', { name: 'Discard changes' }).waitFor({ state: 'detached' });
    expect(sent.slice(1)).toEqual([{ global_name: null, accent_color: null }]);
    await page.focus('[name=pronouns]');
    await page.keyboard.press('Enter');
    expect(sent).toHaveLength(2);
  });

  test('an error is shown at its field, keeps the input and changes nothing; another username needs a proof', async () => {
    const { page } = visit;
    const other = await person(world.service, owner.username);
    const { discriminator } = (await world.service.as(other).get('/v1/users/@me')).body;
    await type(page, 'bio', 'x'.repeat(321));
    await type(page, 'pronouns', 'we');
    await press('Save changes');
    await page.getByText('This is too long.').waitFor();
    expect(await page.getAttribute('[name=bio]', 'aria-invalid')).toBe('true');
    expect(await page.inputValue('[name=pronouns]')).toBe('we');
    expect(await profile()).toMatchObject({ bio: null, pronouns: null });
    await type(page, 'bio', 'Short');
    await type(page, 'discriminator', discriminator);
    await press('Save changes');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Confirm it’s you first.').waitFor();
    await press('Save changes');
    await type(page, 'password', owner.password);
    await page.keyboard.press('Enter');
    await page.getByText('This tag is taken').waitFor();
    await visit.look('account-profile-refused');
    expect(await profile()).toMatchObject({ bio: null, pronouns: null });
    await press('Discard changes');
    await type(page, 'username', `${owner.username}_new`);
    await press('Save changes');
    await type(page, 'password', owner.password);
    await page.keyboard.press('Enter');
    await page.getByText('Saved', { exact: true }).first().waitFor();
    expect(await profile()).toMatchObject({ username: `${owner.username}_new`, bio: null });
  });

  test('changes made elsewhere appear, except in fields that are being edited', async () => {
    const { page } = visit;
    await visit.waitForGateway();
    await type(page, 'bio', 'Mine');
    await world.service.as(owner).patch('/v1/users/@me', { bio: 'Theirs', pronouns: 'elsewhere' }).expect(200);
    await page.locator('.profile-card').getByText('elsewhere').waitFor();
    expect(await page.inputValue('[name=pronouns]')).toBe('elsewhere');
    expect(await page.inputValue('[name=bio]')).toBe('Mine');
    await press('Discard changes');
    expect(await page.inputValue('[name=bio]')).toBe('Theirs');
  });

  test('an image is cropped by keyboard and previewed before it is sent; it can be removed', async () => {
    const { page } = visit;
    const chooser = page.waitForEvent('filechooser');
    await press('Upload image');
    await (await chooser).setFiles({ name: 'halves.png', mimeType: 'image/png', buffer: await halves() });
    await cutting().waitFor();
    await page.locator('[role=application]:focus').waitFor();
    await visit.look('account-profile-cutting');
    for (let presses = 0; presses < 12; presses++) await page.keyboard.press('ArrowRight');
    await page.keyboard.press('+');
    await page.keyboard.press('-');
    await page.keyboard.press('Tab');
    await page.keyboard.press('End');
    expect(await page.inputValue('[name=zoom]')).toBe('8');
    await page.keyboard.press('Home');
    await use();
    await previewed('img.portrait');
    await focusOn(page, 'Upload image');
    expect(sent).toEqual([]);
    await save();
    expect(Object.keys(sent[0] ?? {})).toEqual(['avatar']);
    const bytes = await stored('avatar');
    expect(await factsOf(bytes)).toMatchObject({ width: 400, height: 400 });
    expect(await colourOf(bytes)).toEqual([1, 0, 0]);
    await page.locator('.profile-card img.portrait[src*="/media/avatars/"]').waitFor();
    await press('Remove image');
    await focusOn(page, 'Upload image');
    await press('Save changes');
    await page.getByRole('button', { name: 'Discard changes' }).waitFor({ state: 'detached' });
    expect((await profile()).avatar).toBeNull();
  });

  test('a banner is cropped by dragging; canceling keeps the previous one', async () => {
    const { page } = visit;
    const wide = await sharp(await halves())
      .resize(1600, 400, { fit: 'fill' })
      .toBuffer();
    await pick('banner', wide);
    await cutting().waitFor();
    await page.keyboard.press('Escape');
    await cutting().waitFor({ state: 'detached' });
    expect(await page.getByRole('button', { name: 'Save changes' }).getAttribute('aria-disabled')).toBe('true');
    await pick('banner', wide);
    await cutting().waitFor();
    await page.getByLabel('Zoom', { exact: true }).fill('4');
    const box = await cutting().boundingBox();
    if (!box) throw new Error('nothing to drag');
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x - box.width, y, { steps: 5 });
    await page.mouse.up();
    await use();
    await previewed('.banner img');
    await save();
    const bytes = await stored('banner');
    expect(await factsOf(bytes)).toMatchObject({ width: 300, height: 100 });
    expect(await colourOf(bytes)).toEqual([0, 0, 1]);
  });

  test('every image type that the service accepts can be opened', async () => {
    for (const kind of KINDS) {
      await pick('avatar', await picture(kind));
      await cutting().waitFor();
      await visit.page.keyboard.press('Escape');
      await cutting().waitFor({ state: 'detached' });
    }
  });

  test.each(['gif', 'webp'] as const)(
    'an animated %s is kept complete with a note, and stays animated',
    async (kind) => {
      await pick('avatar', await animatedPicture(kind));
      await visit.page.getByText('Animated images stay as uploaded').waitFor();
      await previewed('img.portrait');
      await save();
      expect((await profile()).avatar).toMatch(/^a_/);
      expect(await factsOf(await stored('avatar'))).toMatchObject({ frames: 3 });
    },
  );

  test('a file that is not an image, or is too large, is rejected before anything is sent', async () => {
    const { page } = visit;
    // Bytes after the end of a GIF are ignored.
    const large = Buffer.concat([await animatedPicture('gif'), Buffer.alloc(2 * 1024 * 1024)]);
    const folder = mkdtempSync(join(tmpdir(), 'pictures-'));
    try {
      await pick('avatar', large);
      await page.getByText('Animated images can be up to 2 MB.').waitFor();
      await visit.look('account-profile-unusable');
      for (const text of ['<svg xmlns="http://www.w3.org/2000/svg"/>', 'GIF89a and nothing more', '']) {
        await pick('banner', Buffer.from(text));
        await page.getByText('This file isn’t a supported image.').waitFor();
        await pick('banner', await picture('png'));
        await cutting().waitFor();
        await page.keyboard.press('Escape');
        await page.getByText('This file isn’t a supported image.').waitFor({ state: 'detached' });
      }
      const path = join(folder, 'large.png');
      writeFileSync(path, await picture('png'));
      truncateSync(path, 51 * 1024 * 1024);
      await page.setInputFiles('input[name=avatar]', path);
      await page.getByText('This file is too large.').waitFor();
    } finally {
      rmSync(folder, { recursive: true });
    }
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(sent).toEqual([]);
    expect(await profile()).toMatchObject({ avatar: null, banner: null });
  });
});
