import {
  type App,
  administrator,
  auditOf,
  eraseAccount,
  expectApiError,
  expectExposure,
  expectInvalid,
  expectMatrix,
  exportAccount,
  type Gatehouse,
  GatewayClient,
  gatehouse,
  newApp,
  newTokens,
  newWebhook,
  type Persona,
  person,
  race,
  rowFactory,
  waitForSinks,
} from '@gatehouse-auth/server/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import extension from '../src/extension.js';
import { Note } from '../src/notes/note.entity.js';

const PER_ACCOUNT = 5;

let service: Gatehouse;
let alice: Persona;
let app: App;
beforeAll(async () => {
  service = await gatehouse({ ...extension, cuttable: true, env: { NOTES_PER_ACCOUNT: String(PER_ACCOUNT) } });
  alice = await person(service, 'alice');
  app = await newApp(service, alice);
});
afterAll(() => service.close());

const write = (by: { authorization: string }, text: string) => service.as(by).post('/v1/notes', { text });
const textsOf = async ({ id }: { id: string }) =>
  (await service.sql('SELECT text FROM notes WHERE owner_id = $1 ORDER BY id', [id])).map(({ text }) => text);

const newNote = rowFactory(Note, ({ n, id, now }) => ({ id, text: `note ${n}`, messageId: null, createdAt: now }));

describe('access to routes', () => {
  test('every route allows exactly the callers that its policy names', () => expectMatrix(service));

  test('only the page is also available to other callers', () =>
    expectExposure(
      service,
      "GET /notes @CredentialFree() @RateLimit('notes:page')",
      "GET /notes/client/:file @CredentialFree() @RateLimit('notes:page')",
      "GET /notes/notes.css @CredentialFree() @RateLimit('notes:page')",
      "GET /notes/notes.js @CredentialFree() @RateLimit('notes:page')",
    ));
});

describe('notes', () => {
  test('users write, read and delete their own notes; those of others are unknown to them', async () => {
    const [bob, carol] = [await person(service, 'bob'), await person(service, 'carol')];
    const { body: note } = await write(bob, ' first ').expect(201);
    expect(note).toEqual({ id: expect.any(String), owner_id: bob.id, text: 'first', created_at: expect.any(String) });
    await service.as(bob).get(`/v1/notes/${note.id}`).expect(200, note);
    await service.as(bob).get('/v1/notes').expect(200, [note]);
    expectApiError(await service.as(carol).get(`/v1/notes/${note.id}`), 'NOTES_NOT_FOUND');
    expectApiError(await service.as(carol).delete(`/v1/notes/${note.id}`), 'NOTES_NOT_FOUND');
    expect(await textsOf(bob)).toEqual(['first']);
    await service.as(bob).delete(`/v1/notes/${note.id}`).expect(204);
    expect(await textsOf(bob)).toEqual([]);
  });

  test('the list contains the newest notes, and `before` the older ones', async () => {
    const bob = await person(service, 'bob');
    const texts: string[] = [];
    for (let n = 0; n < 60; n++) texts.unshift((await newNote(service, { ownerId: bob.id })).text);
    const { body: newest } = await service.as(bob).get('/v1/notes').expect(200);
    expect(newest.map(({ text }: Note) => text)).toEqual(texts.slice(0, 50));
    const { body: older } = await service.as(bob).get(`/v1/notes?before=${newest[49].id}`).expect(200);
    expect(older.map(({ text }: Note) => text)).toEqual(texts.slice(50));
  });

  test('an invalid note is rejected with its field, and not stored', async () => {
    const bob = await person(service, 'bob');
    expectInvalid(await write(bob, ' '), 'text: INVALID_FORMAT');
    expectInvalid(await write(bob, 'x'.repeat(2001)), 'text: CONTENT_EXCEEDS_MAX_LENGTH');
    expect(await textsOf(bob)).toEqual([]);
  });

  test('parallel writes do not exceed the limit of an account', async () => {
    const bob = await person(service, 'bob');
    const { statuses, codes } = await race(32, (i) => write(bob, `note ${i}`));
    expect(statuses).toEqual({ 201: PER_ACCOUNT, 409: 32 - PER_ACCOUNT });
    expect(codes).toEqual({ NOTES_FULL: 32 - PER_ACCOUNT });
    expect(await textsOf(bob)).toHaveLength(PER_ACCOUNT);
  });

  test('a note is deleted once', async () => {
    const bob = await person(service, 'bob');
    const { body: note } = await write(bob, 'once').expect(201);
    const { statuses } = await race(32, () => service.as(bob).delete(`/v1/notes/${note.id}`));
    expect(statuses).toEqual({ 204: 1, 404: 31 });
  });

  test('bots write their own notes, and delete none', async () => {
    const bot = service.as(app.bot);
    const { body: note } = await bot.post('/v1/notes', { text: 'by a bot' }).expect(201);
    await bot.get('/v1/notes/mine').expect(200, { newest: note });
    expectApiError(await bot.delete(`/v1/notes/${note.id}`), 'ACCESS_DENIED');
  });

  test('access tokens read with one scope and write with the other', async () => {
    const bob = await person(service, 'bob');
    const bearer = async (scope: string) =>
      service.as(`Bearer ${(await newTokens(service, bob, app, scope)).access_token}`);
    const [reader, writer] = [await bearer('notes.read'), await bearer('notes.write')];
    const { body: note } = await writer.post('/v1/notes', { text: 'written' }).expect(201);
    await reader.get('/v1/notes').expect(200, [note]);
    expectApiError(await writer.get('/v1/notes'), 'MISSING_OAUTH_SCOPE');
    expectApiError(await reader.post('/v1/notes', { text: 'read' }), 'MISSING_OAUTH_SCOPE');
    expect(await textsOf(bob)).toEqual(['written']);
  });

  test('administrators see and remove notes, each with its ACL, and the audit log has an entry', async () => {
    const bob = await person(service, 'bob');
    const { body: note } = await write(bob, 'seen').expect(201);
    const clerk = await administrator(service, 'notes:lookup');
    await service.as(clerk).get(`/v1/admin/users/${bob.id}/notes`).expect(200, [note]);
    expectApiError(await service.as(clerk).delete(`/v1/admin/notes/${note.id}`), 'MISSING_ACL');
    const moderator = await administrator(service, 'notes:remove');
    await service.as(moderator).delete(`/v1/admin/notes/${note.id}`).expect(204);
    expectApiError(await service.as(moderator).delete(`/v1/admin/notes/${note.id}`), 'NOTES_NOT_FOUND');
    expect(await textsOf(bob)).toEqual([]);
    expect(await auditOf(service, 'notes:remove')).toMatchObject([
      { admin_user_id: moderator.id, target_type: 'note', target_id: note.id, metadata: { owner_id: bob.id } },
    ]);
  });

  test('without a database the response is 503, and afterwards all notes are there', async () => {
    const bob = await person(service, 'bob');
    await write(bob, 'kept').expect(201);
    const endOutage = await service.cutDatabase();
    expect((await race(32, () => write(bob, 'lost'))).codes).toEqual({ SERVICE_UNAVAILABLE: 32 });
    await endOutage();
    expect(await textsOf(bob)).toEqual(['kept']);
  });
});

describe('the gateway', () => {
  test('NOTES_WATCH returns the newest, and NOTES_CREATED is sent only to the same account', async () => {
    const [bob, carol] = [await person(service, 'bob'), await person(service, 'carol')];
    const { body: first } = await write(bob, 'first').expect(201);
    const { client } = await GatewayClient.identify(service, bob.authorization);
    const { client: other } = await GatewayClient.identify(service, carol.authorization);
    client.send({ op: 0, t: 'NOTES_WATCH', d: { limit: 10 } });
    expect((await client.event('NOTES_WATCHED')).d).toEqual({ notes: [first] });
    const { body: second } = await write(bob, 'second').expect(201);
    expect((await client.event('NOTES_CREATED')).d).toEqual(second);
    expect((await other.drain()).filter(({ t }) => t === 'NOTES_CREATED')).toEqual([]);
    client.send({ op: 0, t: 'NOTES_WATCH', d: { limit: 0 } });
    expect((await client.event('REFUSED')).d).toMatchObject({ t: 'NOTES_WATCH', code: 'INVALID_FORM_BODY' });
  });
});

describe('webhooks', () => {
  test('a message becomes a note of the owner, and is changed and deleted with it', async () => {
    const bob = await person(service, 'bob');
    const { client } = await GatewayClient.identify(service, bob.authorization);
    const hook = await newWebhook(service, bob, { name: 'News' });
    const { body: message } = await service.anonymous.post(`${hook.path}?wait=true`, { content: 'said' }).expect(200);
    expect((await client.event('NOTES_CREATED')).d).toMatchObject({ owner_id: bob.id, text: 'said' });
    await service.anonymous.patch(`${hook.path}/messages/${message.id}`, { content: 'said better' }).expect(200);
    await waitForSinks(service);
    expect(await textsOf(bob)).toEqual(['said better']);
    await service.anonymous.delete(`${hook.path}/messages/${message.id}`).expect(204);
    await waitForSinks(service);
    expect(await textsOf(bob)).toEqual([]);
  });

  test('an owner at the limit gets no note, and no message waits for it', async () => {
    const bob = await person(service, 'bob');
    await race(PER_ACCOUNT, (i) => write(bob, `note ${i}`));
    const hook = await newWebhook(service, bob, { name: 'News' });
    await service.anonymous.post(`${hook.path}?wait=true`, { content: 'one more' }).expect(200);
    await waitForSinks(service);
    expect(await textsOf(bob)).toHaveLength(PER_ACCOUNT);
  });
});

describe('the page', () => {
  test('has the policy of the pages, and only its script, its style and the client', async () => {
    const page = await service.anonymous.get('/notes').expect(200).expect('content-type', 'text/html; charset=utf-8');
    const csp = page.headers.get('content-security-policy');
    expect(csp).toBe((await service.anonymous.get('/login')).headers.get('content-security-policy'));
    expect(csp).toContain("default-src 'none'");
    const paths = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path ?? '');
    expect(paths).toEqual(['/notes/notes.css', '/notes/notes.js']);
    for (const path of paths) await service.anonymous.get(path).expect(200);
    await service.anonymous
      .get('/notes/client/index.js')
      .expect(200)
      .expect('content-type', /javascript/);
    expectApiError(await service.anonymous.get('/notes/client/other.js'), 'NOT_FOUND');
  });
});

describe('the account', () => {
  test('is erased with its notes, and exports them before', async () => {
    const bob = await person(service, 'bob');
    const { body: note } = await write(bob, 'goes').expect(201);
    expect((await exportAccount(service, bob)).notes).toEqual([note]);
    await eraseAccount(service, bob);
    expect(await textsOf(bob)).toEqual([]);
  });
});
