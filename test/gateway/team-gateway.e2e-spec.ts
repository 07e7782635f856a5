import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Parser } from '@asyncapi/parser';
import { describeProject } from '../../src/description/compiler/describe.js';
import { notes } from '../fixtures/team/feature.js';
import { SearchModule, SearchSink } from '../fixtures/team/search.js';
import { WatchingModule } from '../fixtures/team/watching.js';
import { GatewayClient } from '../support/gateway-client.js';
import { eventually, type Gatehouse, gatehouse, newApp, newWebhook, type Persona, person } from '../support/index.js';

// biome-ignore lint/suspicious/noExplicitAny: the test reads single members of the document
type Document = any;

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-team-'));
let service: Gatehouse;
let alice: Persona;
let robot: string;
beforeAll(async () => {
  const file = join(folder, 'description.json');
  const described = await describeProject(join(import.meta.dirname, '../fixtures/team/tsconfig.json'));
  writeFileSync(file, JSON.stringify(described));
  service = await gatehouse({
    ...{ features: [notes], modules: [WatchingModule, SearchModule], descriptions: [file] },
    env: { RATE_LIMITS: 'on' },
  });
  alice = await person(service, 'alice');
  robot = (await newApp(service, alice)).bot.slice('Bot '.length);
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

const rename = (d: unknown) => ({ op: 0, t: 'NOTES_RENAME', d });
const identify = async (token: string) => (await GatewayClient.identify(service, token)).client;

/** The error of a rejected command. The connection stays open. */
async function refusal(client: GatewayClient, payload: object) {
  client.send(payload);
  const { d } = await client.event('REFUSED');
  await client.sendHeartbeat();
  return d;
}

describe('commands and events of an extension', () => {
  test('the response of a command goes to its session, its event only to all sessions of the account', async () => {
    const bob = await person(service, 'bob');
    const [asking, other, stranger] = [
      await identify(alice.authorization),
      await identify(alice.authorization),
      await identify(bob.authorization),
    ];
    asking.send(rename({ note_id: 7, title: 'Milk' }));
    expect((await asking.event('NOTES_RENAMED')).d).toEqual({ id: '7', title: 'Milk' });
    expect((await other.event('NOTES_RENAMED')).d).toEqual({ id: '7', title: 'Milk' });
    await asking.sendHeartbeat();
    expect(asking.received.filter(({ t }) => t === 'NOTES_RENAME_DONE').map(({ d }) => d)).toEqual([{ id: '7' }]);
    await other.sendHeartbeat();
    await stranger.sendHeartbeat();
    const received = [...other.received, ...stranger.received].map(({ t }) => t);
    expect(received).not.toContain('NOTES_RENAME_DONE');
    expect(stranger.received.map(({ t }) => t)).not.toContain('NOTES_RENAMED');
  });

  test('an opcode is available to users and bots', async () => {
    for (const token of [alice.authorization, robot]) {
      const client = await identify(token);
      client.send({ op: 64 });
      expect((await client.event('NOTES_POSITION')).d).toEqual({ line: 12 });
    }
  });

  test('errors have the codes and the order of the guide, without effects', async () => {
    const carol = await person(service, 'carol');
    const [user, bot] = [await identify(carol.authorization), await identify(robot)];
    const reported = (code: string, message: string) => ({ op: 0, t: 'NOTES_RENAME', code, message });
    expect(await refusal(bot, rename('bad'))).toMatchObject({ code: 'ACCESS_DENIED' });
    expect(await refusal(user, rename({ note_id: 7, title: '' }))).toMatchObject({ code: 'INVALID_FORM_BODY' });
    expect(await refusal(user, rename({ note_id: 1, title: 'Milk' }))).toEqual(
      reported('NOTES_LOCKED', 'The note is locked.'),
    );
    expect(await refusal(user, rename({ note_id: 7, title: 'Milk' }))).toMatchObject({ code: 'RATE_LIMITED' });
    await service.sql('UPDATE account SET suspicious_flags = 1 WHERE id = $1', [carol.id]);
    expect(await refusal(user, { op: 64 })).toMatchObject({ op: 64, code: 'ACCOUNT_SUSPICIOUS_ACTIVITY' });
    expect(user.received.map(({ t }) => t)).not.toContain('NOTES_RENAMED');
    user.send({ op: 65 });
    expect(await user.closed()).toEqual([4001, 'Unknown opcode']);
    const early = await GatewayClient.connect(service);
    early.send(rename({ note_id: 7, title: 'Milk' }));
    expect(await early.closed()).toEqual([4003, 'Not authenticated']);
    const late = await identify(carol.authorization);
    await service.sql('UPDATE session SET revoked_at = now() WHERE account_id = $1', [carol.id]);
    late.send({ op: 64 });
    expect(await late.closed()).toEqual([4004, 'Invalid token']);
  });
});

test('a sink of an extension receives webhook messages', async () => {
  const hook = await newWebhook(service, alice);
  expect((await service.anonymous.post(hook.path, { content: 'hello' })).status).toBe(204);
  const { found } = service.app.get(SearchSink);
  expect(await eventually('a message', async () => [...found.values()][0])).toBe('create by hook');
});

// These tests run last, because reading the document blocks the process for longer than the database connections
// tolerate.
describe('/asyncapi.json with the commands of an extension', () => {
  let document: Document;
  beforeAll(async () => {
    document = (await service.anonymous.get('/asyncapi.json')).body;
  });

  test('is AsyncAPI 3 without errors, by its own parser', async () => {
    const { diagnostics } = await new Parser().parse(JSON.stringify(document));
    expect(diagnostics.filter(({ severity }) => severity < 1)).toEqual([]);
  });

  test('describes for each its purpose, its callers, its payload and every error', () => {
    const { messages, schemas } = document.components;
    expect(messages.CLIENT_NOTES_RENAME).toMatchObject({
      summary: 'Gives a note another title',
      payload: {
        properties: {
          ...{ op: { const: 0 }, t: { const: 'NOTES_RENAME' } },
          d: { properties: { note_id: { format: 'int64' }, title: { maxLength: 40 } }, required: ['note_id', 'title'] },
        },
        required: ['op', 't', 'd'],
      },
    });
    expect(document.operations.receiveCLIENT_NOTES_RENAME).toMatchObject({
      'x-gatehouse-policy': "@UserOnly() @RateLimit('notes:rename')",
      'x-gatehouse-refusals': [
        ...['ACCESS_DENIED', 'ACCOUNT_SUSPICIOUS_ACTIVITY', 'INTERNAL_SERVER_ERROR', 'INVALID_FORM_BODY'],
        ...['NOTES_LOCKED', 'RATE_LIMITED', 'SERVICE_UNAVAILABLE'],
      ],
    });
    expect(messages.CLIENT_POSITION).toMatchObject({
      summary: 'Asks where the account was reading',
      payload: { properties: { op: { const: 64 } }, required: ['op'] },
    });
    expect(document.operations.receiveCLIENT_POSITION['x-gatehouse-refusals']).not.toContain('INVALID_FORM_BODY');
    expect(document.operations.receiveCLIENT_IDENTIFY).not.toHaveProperty('x-gatehouse-refusals');
    expect(schemas).toEqual(expect.any(Object));
  });

  test('describes the added events and the form of an error', () => {
    const { messages } = document.components;
    expect(messages.EVENT_NOTES_RENAMED).toMatchObject({
      summary: 'A note was renamed',
      payload: { properties: { d: { properties: { id: { type: 'string' }, title: { type: 'string' } } } } },
    });
    expect(messages.EVENT_REFUSED.payload.properties.d.required).toEqual(['op', 'code', 'message']);
    expect(document['x-close-codes']).toContainEqual({ code: 4003, reason: 'Not authenticated' });
  });
});
