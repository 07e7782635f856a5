import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Config } from '../../src/core/config/config.js';
import { setAcls, superuser } from '../support/admin.js';
import { runCleanup } from '../support/cleanup.js';
import {
  expectApiError,
  fetchBytes,
  type Gatehouse,
  gatehouse,
  newApp,
  newWebhook,
  type Persona,
  pathOf,
  person,
  picture,
  uploadFile,
} from '../support/index.js';

let service: Gatehouse;
let root: Persona;
beforeAll(async () => {
  service = await gatehouse();
  root = await superuser(service);
  await setAcls(service, root, ['*']);
});
afterAll(() => service.close());

/** Creates a user with an attachment, an avatar, a banner, and avatars of a bot and of a webhook. */
async function owner() {
  const persona = await person(service, 'owner');
  const me = service.as(persona);
  const image = (await picture('png', 50, 50)).toString('base64');
  const attachment = pathOf((await uploadFile(service, persona, 'a.png', await picture('png'))).url);
  const { body } = await me.patch('/v1/users/@me', { avatar: image, banner: image });
  const app = await newApp(service, persona);
  const bot = await me.patch(`/v1/oauth2/applications/${app.id}/bot`, { avatar: image });
  const hook = await newWebhook(service, persona);
  const webhook = await me.patch(`/v1/webhooks/${hook.id}`, { avatar: image });
  const paths = [
    attachment,
    `/media/avatars/${persona.id}/${body.avatar}.png`,
    `/media/banners/${persona.id}/${body.banner}.png`,
    `/media/avatars/${bot.body.id}/${bot.body.avatar}.png`,
    `/media/avatars/${hook.id}/${webhook.body.avatar}.png`,
  ];
  return { persona, paths };
}

const keysOf = async ({ id }: Persona): Promise<string[]> =>
  (await service.sql('SELECT key FROM media_object WHERE account_id = $1 OR owner_id = $1', [id])).map(
    ({ key }) => key,
  );

const fileOf = (key: string): string => {
  const name = hash('sha256', key, 'hex');
  return join(service.app.get(Config).media.root, 'media', name.slice(0, 2), name);
};

/** Runs the cleanup as if the waiting time of all garbage were over. */
async function destroy(): Promise<void> {
  await runCleanup(service);
  await service.sql(`UPDATE media_garbage SET since = since - interval '1 day'`);
  await runCleanup(service);
}

async function expectWhole(paths: readonly string[], keys: readonly string[], persona: Persona): Promise<void> {
  expect(new Set(await keysOf(persona))).toEqual(new Set(keys));
  for (const key of keys) expect({ key, exists: existsSync(fileOf(key)) }).toEqual({ key, exists: true });
  for (const path of paths) {
    expect({ path, status: (await fetchBytes(service, path)).status }).toEqual({ path, status: 200 });
  }
}

const byAdmin = async ({ id }: Persona) => {
  const { status } = await service.as(root).put(`/v1/admin/users/${id}/deletion`, { reason_code: 3 });
  expect(status).toBe(200);
};
const byItself = async (persona: Persona) => {
  const { status } = await service.as(persona).post('/v1/users/@me/delete', { password: persona.password });
  expect(status).toBe(204);
};
const cancelled = async ({ id }: Persona) => {
  expect((await service.as(root).delete(`/v1/admin/users/${id}/deletion`)).status).toBe(200);
};

describe('media.md section 2, deletion with the owning account', () => {
  test.each([
    ['an administrator', byAdmin],
    ['the account itself', byItself],
  ])('scheduled by %s, nothing is deleted before the deadline, and everything after it', async (_who, schedule) => {
    const { persona, paths } = await owner();
    const keys = await keysOf(persona);
    expect(keys.length).toBeGreaterThanOrEqual(4);
    await schedule(persona);
    await destroy();
    await expectWhole(paths, keys, persona);

    await service.sql(`UPDATE account SET deletion_at = now() + interval '1 minute' WHERE id = $1`, [persona.id]);
    await destroy();
    await expectWhole(paths, keys, persona);

    await service.sql(`UPDATE account SET deletion_at = now() - interval '1 second' WHERE id = $1`, [persona.id]);
    await runCleanup(service);
    for (const path of paths) expectApiError(await service.anonymous.get(path), 'NOT_FOUND');
    expect(await keysOf(persona)).toEqual([]);
    await destroy();
    expect(keys.filter((key) => existsSync(fileOf(key)))).toEqual([]);
  });

  test.each([
    ['an administrator', byAdmin],
    ['the account itself', byItself],
  ])('scheduled by %s and canceled, nothing is ever deleted', async (_who, schedule) => {
    const { persona, paths } = await owner();
    const keys = await keysOf(persona);
    await schedule(persona);
    await destroy();
    await cancelled(persona);
    await destroy();
    await expectWhole(paths, keys, persona);
    expect((await service.anonymous.post('/v1/auth/login', persona)).status).toBe(200);
  });

  test('banned or disabled accounts keep their files', async () => {
    const { persona, paths } = await owner();
    const keys = await keysOf(persona);
    await service.as(root).put(`/v1/admin/users/${persona.id}/ban`, { duration_hours: 0 });
    await destroy();
    await expectWhole(paths, keys, persona);
    await service.as(root).delete(`/v1/admin/users/${persona.id}/ban`);
    await service.as(root).put(`/v1/admin/users/${persona.id}/suspicious-activity-disablement`, { flags: 1 });
    await destroy();
    await expectWhole(paths, keys, persona);
  });
});
