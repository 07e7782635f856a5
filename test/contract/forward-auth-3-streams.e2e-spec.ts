import { setTimeout as delay } from 'node:timers/promises';
import { Tags } from '../../src/decisions/tags.js';
import { Database } from '../../src/platform/database/database.js';
import { ReplicaBus } from '../../src/platform/replicas/replica-bus.js';
import { defineFeature } from '../../src/policy/feature.js';
import {
  type App,
  administrator,
  basic,
  clients,
  type Gatehouse,
  gatehouse,
  newApp,
  type Persona,
  race,
} from '../support/index.js';
import { RevocationClient } from '../support/revocations.js';

const notes = defineFeature('notes', {
  servicePolicies: { 'notes-any': { accepts: 'authenticated' }, 'notes-more': { accepts: 'user' } },
});

let service: Gatehouse;
let root: Persona;
let alice: Persona;
beforeAll(async () => {
  service = await gatehouse({ features: [notes] });
  root = await administrator(service, '*');
  ({ alice } = await clients(service));
});
afterAll(() => service.close());

const allow = (client: App, policies: readonly string[]) =>
  service.as(root).patch(`/v1/admin/applications/${client.id}`, { resource_policies: policies }).expect(200);

async function resource(): Promise<App> {
  const app = await newApp(service, alice);
  await allow(app, ['notes-any']);
  return app;
}

const tagOf = (app: App) => service.app.get(Tags).of(app.id, [`account:${root.id}`]);
const touch = () => service.sql('UPDATE account SET epoch = epoch + 1 WHERE id = $1', [root.id]);
const idOf = (mark: string): number => Number(mark.split('-', 1));
const nextMark = async (stream: RevocationClient): Promise<string> =>
  (await stream.next('alive', stream.events.length + 1)).id;

describe('forward-auth.md 3: the stream', () => {
  test('sends a heartbeat every 250 ms, with the headers of an event stream', async () => {
    const stream = await RevocationClient.open(service, await resource());
    expect(stream.res.headers).toMatchObject({ 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    await stream.until(() => stream.events.length >= 9, 'nine heartbeats');
    const times = stream.events.slice(0, 9).map(({ at }) => at);
    const seconds = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1000;
    expect(seconds).toBeGreaterThan(1.6);
    expect(seconds).toBeLessThan(3.2);
    stream.close();
  });

  test('is opened at most 20 times by an application, also in a race of 32', async () => {
    const app = await resource();
    const streams: RevocationClient[] = [];
    const { responses } = await race(32, async () => {
      const opened = await RevocationClient.open(service, app).catch((error: Error) => error.message);
      if (opened instanceof RevocationClient) streams.push(opened);
      const status = opened instanceof RevocationClient ? 200 : Number(opened.split(' ')[1]);
      return { status, body: {} } as never;
    });
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(12);
    expect(streams).toHaveLength(20);
    const other = await RevocationClient.open(service, await resource());
    other.close();
    streams[0]?.close();
    let again: RevocationClient | undefined;
    for (let n = 0; n < 40 && !again; n++) {
      again = await RevocationClient.open(service, app).catch(() => undefined);
      await delay(25);
    }
    expect(again).toBeDefined();
    for (const stream of [...streams, again]) stream?.close();
  });

  test('ends when the secret is reset, the list of policies changes, or the application is deleted', async () => {
    const ends = [
      (app: App) => allow(app, ['notes-any', 'notes-more']),
      (app: App) =>
        service
          .as(alice)
          .post(`/v1/oauth2/applications/${app.id}/client-secret/reset`, { password: alice.password })
          .expect(200),
      (app: App) =>
        service.as(alice).delete(`/v1/oauth2/applications/${app.id}`, { password: alice.password }).expect(204),
    ];
    const bystander = await RevocationClient.open(service, await resource());
    for (const end of ends) {
      const app = await resource();
      const stream = await RevocationClient.open(service, app);
      await stream.next('alive');
      await end(app);
      await stream.closed();
    }
    expect(bystander.isClosed).toBe(false);
    bystander.close();
  });

  test('rejects wrong credentials and other methods, and answers HEAD without a stream', async () => {
    const app = await resource();
    await expect(RevocationClient.open(service, { ...app, secret: 'wrong' })).rejects.toThrow('status 401');
    const response = await fetch(`${service.url}/v1/decisions/revocations`, {
      method: 'HEAD',
      headers: { authorization: basic(app.id, app.secret ?? '') },
    });
    expect(response.status).toBe(200);
  });

  test('continues after a mark, and resets with one that is too old, invalid or of another database', async () => {
    const app = await resource();
    const first = await RevocationClient.open(service, app);
    const mark = await nextMark(first);
    first.close();
    await touch();
    const second = await RevocationClient.open(service, app, mark);
    const missed = await second.revoked(tagOf(app));
    expect(second.events.indexOf(missed)).toBe(0);
    expect(second.events.map(({ event }) => event)).not.toContain('reset');
    second.close();
    const [id = '', seconds = '', identity = ''] = mark.split('-');
    const wrong = [
      `${id}-${Number(seconds) - 301}-${identity}`,
      `${id}-${seconds}-0123456789abcdef`,
      `${id}-${Number(seconds) + 3600}-${identity}`,
      'nonsense',
      '',
    ];
    for (const since of wrong) {
      const stream = await RevocationClient.open(service, app, since);
      expect((await stream.next('reset')).id).toMatch(/^\d+-\d+-[0-9a-f]{16}$/);
      stream.close();
    }
  });

  test('resets if the journal has another history than that of the mark', async () => {
    const app = await resource();
    const first = await RevocationClient.open(service, app);
    const mark = await nextMark(first);
    first.close();
    await service.sql(
      `UPDATE journal SET created_at = now() + interval '1 minute' WHERE id = (SELECT max(id) FROM journal WHERE id <= ${idOf(mark)})`,
    );
    const stream = await RevocationClient.open(service, app, mark);
    await stream.next('reset');
    stream.close();
    await service.sql('UPDATE journal SET created_at = now() WHERE created_at > now()');
  });

  test('resets if the database went back in time', async () => {
    const stream = await RevocationClient.open(service, await resource());
    await stream.next('alive');
    const bus = service.app.get(ReplicaBus) as unknown as { deliver(notice: object): Promise<void> };
    await bus.deliver({ topic: 'rewound', data: {} });
    await stream.next('reset');
    stream.close();
  });
});

describe('forward-auth.md 3: a mark', () => {
  /** Adds an entry to the journal in a transaction that ends when `end` is called. Returns its ID. */
  async function holdEntry(): Promise<{ id: number; end: (commit: boolean) => Promise<void> }> {
    let release: (commit: boolean) => void = () => {};
    const released = new Promise<boolean>((resolve) => {
      release = resolve;
    });
    let onId: (id: number) => void = () => {};
    const id = new Promise<number>((resolve) => {
      onId = resolve;
    });
    const done = service.app
      .get(Database)
      .transaction(async (tx) => {
        const [row] = await tx.query<{ id: string }[]>(
          `INSERT INTO journal (topic, data) VALUES ('decision', json_build_object('accounts', ARRAY[$1::text])) RETURNING id`,
          [root.id],
        );
        onId(Number(row?.id));
        if (!(await released)) throw new Error('rolled back');
      })
      .catch((error: Error) => expect(error.message).toBe('rolled back'));
    return {
      id: await id,
      end: async (commit) => {
        release(commit);
        await done;
      },
    };
  }

  const isEmbedded = () => service.app.get(Database).isEmbedded;

  test.each([true, false])(
    'stays below the ID of an open transaction, and passes it afterwards: commit %s',
    async (commits) => {
      const app = await resource();
      const stream = await RevocationClient.open(service, app);
      await nextMark(stream);
      const from = stream.events.length;
      const open = await holdEntry();
      if (!isEmbedded()) {
        // Later IDs are committed and sent, but the mark waits.
        for (let n = 0; n < 3; n++) await touch();
        await stream.revoked(tagOf(app), from);
        for (let n = 0; n < 4; n++) expect(idOf(await nextMark(stream))).toBeLessThan(open.id);
      }
      const sent = stream.events.length;
      await open.end(commits);
      if (commits) await stream.revoked(tagOf(app), sent);
      if (isEmbedded()) await touch();
      await stream.until(() => stream.events.some(({ id }) => idOf(id) > open.id), 'a mark above the ID');
      stream.close();
    },
  );

  test('of a stream that ends before an open transaction commits: the next stream sends its entry', async () => {
    if (isEmbedded()) return;
    const app = await resource();
    const first = await RevocationClient.open(service, app);
    await nextMark(first);
    const open = await holdEntry();
    await touch();
    const mark = await nextMark(first);
    expect(idOf(mark)).toBeLessThan(open.id);
    first.close();
    await open.end(true);
    await delay(300);
    const second = await RevocationClient.open(service, app, mark);
    await second.revoked(tagOf(app));
    second.close();
  });

  test('of a decision does not exceed what was committed before', async () => {
    const app = await resource();
    const ask = async () =>
      (
        await service
          .as(basic(app.id, app.secret ?? ''))
          .post('/v1/decisions', { policy: 'notes-any', authorization: root.authorization })
          .expect(200)
      ).body.as_of as string;
    const open = isEmbedded() ? undefined : await holdEntry();
    if (open) {
      await touch();
      await delay(100);
      expect(idOf(await ask())).toBeLessThan(open.id);
      await open.end(true);
    }
    const [{ id }] = (await service.sql('SELECT max(id) AS id FROM journal')) as [{ id: string }];
    expect(idOf(await ask())).toBeLessThanOrEqual(Number(id));
  });
});
