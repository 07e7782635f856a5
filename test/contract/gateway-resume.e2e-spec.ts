import { randomUUID } from 'node:crypto';
import { GatewayEvents } from '../../src/gateway/sessions/events.service.js';
import { Database } from '../../src/platform/database/database.js';
import { ReplicaBus } from '../../src/platform/replicas/replica-bus.js';
import { advanceGateway, GatewayClient, type Payload } from '../support/gateway-client.js';
import {
  expectInvalid,
  type Gatehouse,
  gatehouse,
  newApp,
  newTokens,
  type Persona,
  person,
  signIn,
} from '../support/index.js';

let service: Gatehouse;
beforeAll(async () => {
  service = await gatehouse({
    env: { GATEWAY_NUMBERS: JSON.stringify({ replay_events: 40, replay_bytes: 300_000, replay_event_bytes: 100_000 }) },
  });
});
afterAll(() => service.close());

const commit = (work: Parameters<Database['transaction']>[0]) => service.app.get(Database).transaction(work);

/** Announces events of one account, each in its own transaction. Waits until the gateway has received all of them. */
async function announce(accountId: string, ...events: [type: string, d?: unknown][]): Promise<void> {
  const replica = service.app.get(ReplicaBus);
  for (const [type, d] of events) {
    const data = { type, account_id: accountId, ...(d === undefined ? {} : { d }) };
    await commit((tx) => replica.announce(tx, { topic: 'event', data }));
  }
  const topic = randomUUID();
  const received = new Promise<void>((resolve) => replica.follow(topic, () => resolve()));
  await commit((tx) => replica.announce(tx, { topic, data: {} }));
  await received;
}

const note = (n: number): [string, unknown] => ['WEBHOOKS_UPDATE', { webhook_id: String(n), action: 'update' }];
const idsOf = (events: readonly Payload[]): string[] => events.map(({ d }) => d.webhook_id);

/** Creates an account with a session that has received all events so far. Its socket is closed. */
async function away(): Promise<{ who: Persona; id: string; seq: number }> {
  const who = await person(service);
  const { client, ready } = await GatewayClient.identify(service, who.authorization);
  const { s = 0 } = await client.event('SESSIONS_REPLACE');
  await client.terminate();
  return { who, id: ready.session_id, seq: s };
}

/** Resumes a session. Returns the client and the events that it received before RESUMED. */
async function resumed(token: string, id: string, seq: number) {
  const client = await GatewayClient.connect(service);
  client.resume(token, id, seq);
  const replayed: Payload[] = [];
  for (;;) {
    const message = await client.next();
    if (message.t === 'RESUMED') return { client, replayed, end: message };
    replayed.push(message);
  }
}

/** Returns the close code and reason after a Resume. */
async function resumeEnds(d: unknown): Promise<[number, string]> {
  const client = await GatewayClient.connect(service);
  client.send({ op: 6, d });
  return client.closed();
}

describe('gateway 8: Resume', () => {
  test.each([
    [undefined],
    [null],
    [[]],
    ['x'],
    [{}],
    [{ session_id: 'x', seq: 1 }],
    [{ token: 'x', seq: 1 }],
    [{ token: 'x', session_id: 'x' }],
    [{ token: '', session_id: 'x', seq: 1 }],
    [{ token: 'x', session_id: '', seq: 1 }],
    [{ token: 1, session_id: 'x', seq: 1 }],
    [{ token: 'x', session_id: 1, seq: 1 }],
    [{ token: 'x', session_id: 'x', seq: '1' }],
    [{ token: 'x', session_id: 'x', seq: 1.5 }],
    [{ token: 'x', session_id: 'x', seq: null }],
    [{ token: '', session_id: 'x', seq: -1 }],
  ])('%j is an invalid Resume', async (d) => {
    expect(await resumeEnds(d)).toEqual([4002, 'Invalid resume payload']);
  });

  test('a negative sequence is rejected before the token is checked', async () => {
    expect(await resumeEnds({ token: 'x', session_id: 'x', seq: -1 })).toEqual([4000, 'Session unavailable']);
  });

  test('replays the missed events in order with their own sequences, then RESUMED', async () => {
    const { who, id, seq } = await away();
    await announce(who.id, note(1), note(2), note(3));
    const { client, replayed, end } = await resumed(who.authorization, id, seq + 1);
    expect(replayed.map(({ s, d }) => [s, d.webhook_id])).toEqual([
      [seq + 2, '2'],
      [seq + 3, '3'],
    ]);
    expect(end).toEqual({ op: 0, d: {}, s: seq + 3, t: 'RESUMED' });
    await announce(who.id, note(4));
    expect(await client.next()).toMatchObject({ s: seq + 4, d: { webhook_id: '4' } });
    await client.terminate();
    const again = await resumed(who.authorization, id, seq + 4);
    expect(again.replayed).toEqual([]);
    expect(again.end.s).toBe(seq + 4);
  });

  test('a rejected token, or one of another account or login session: 4004, and the session is kept', async () => {
    const { who, id, seq } = await away();
    const stranger = await person(service);
    for (const token of ['x', stranger.authorization, await signIn(service, who)]) {
      expect(await resumeEnds({ token, session_id: id, seq })).toEqual([4004, 'Invalid token']);
    }
    await resumed(who.authorization, id, seq);
  });

  test('an unknown session: op 9, the socket stays open and may identify', async () => {
    const { who } = await away();
    const client = await GatewayClient.connect(service);
    client.resume(who.authorization, 'f'.repeat(32), 1);
    expect(await client.next()).toEqual({ op: 9, d: false });
    client.send({ op: 2, d: { token: who.authorization } });
    const { d } = await client.event('READY');
    client.resume(who.authorization, 'f'.repeat(32), 1);
    await client.op(9);
    await announce(who.id, note(1));
    await client.event('WEBHOOKS_UPDATE');
    expect(d.session_id).toMatch(/^[0-9a-f]{32}$/);
  });

  test('a session is kept for 60 s after its socket ends, and no longer', async () => {
    const { who, id, seq } = await away();
    advanceGateway(service, 59);
    const { client } = await resumed(who.authorization, id, seq);
    await client.terminate();
    advanceGateway(service, 59);
    const second = await resumed(who.authorization, id, seq);
    await second.client.terminate();
    advanceGateway(service, 61);
    const late = await GatewayClient.connect(service);
    late.resume(who.authorization, id, seq);
    expect(await late.next()).toEqual({ op: 9, d: false });
  });

  test.each([
    ['1000', (client: GatewayClient) => client.socket.close(1000)],
    ['1001', (client: GatewayClient) => client.socket.close(1001)],
    ['an unknown opcode', (client: GatewayClient) => client.send({ op: 99 })],
    ['an invalid payload', (client: GatewayClient) => client.send({})],
    ['a payload that is too large', (client: GatewayClient) => client.send('x'.repeat(5000))],
    ['a second Identify', (client: GatewayClient) => client.send({ op: 2 })],
    ['an invalid sequence', (client: GatewayClient) => client.send({ op: 1, d: -1 })],
    ['a failed Resume', (client: GatewayClient) => client.resume('x', 'x', 1)],
    ['a malformed Resume', (client: GatewayClient) => client.send({ op: 6 })],
    ['silence', () => [1, 2, 3, 4, 5].forEach(() => void advanceGateway(service, 13.75))],
  ])('an end by %s retains the session', async (_, end) => {
    const who = await person(service);
    const { client, ready } = await GatewayClient.identify(service, who.authorization);
    end(client);
    await client.closed();
    await resumed(who.authorization, ready.session_id, 1);
  });

  test('a sequence above the current or below the acknowledged one: 4007, and the session is kept', async () => {
    const who = await person(service);
    const { client, ready } = await GatewayClient.identify(service, who.authorization);
    await announce(who.id, note(1), note(2), note(3));
    await client.event('WEBHOOKS_UPDATE');
    await client.event('WEBHOOKS_UPDATE');
    const { s: last = 0 } = await client.event('WEBHOOKS_UPDATE');
    await client.sendHeartbeat(last - 1);
    await client.sendHeartbeat(1);
    await client.terminate();
    const target = { token: who.authorization, session_id: ready.session_id };
    for (const seq of [last + 1, last - 2, 0, 1e300]) {
      expect(await resumeEnds({ ...target, seq })).toEqual([4007, 'Invalid sequence']);
    }
    const { replayed } = await resumed(who.authorization, ready.session_id, last - 1);
    expect(replayed.map(({ s }) => s)).toEqual([last]);
  });

  test('a heartbeat beyond the current sequence acknowledges only existing events', async () => {
    const who = await person(service);
    const { client, ready } = await GatewayClient.identify(service, who.authorization);
    const { s: seq = 0 } = await client.event('SESSIONS_REPLACE');
    await client.sendHeartbeat(1_000_000);
    await announce(who.id, note(1));
    await client.event('WEBHOOKS_UPDATE');
    await client.terminate();
    expect((await resumed(who.authorization, ready.session_id, seq)).replayed).toHaveLength(1);
  });

  test('evicted events cannot be replayed: op 9 below the floor, and the session is kept', async () => {
    const { who, id, seq } = await away();
    await announce(who.id, ...Array.from({ length: 41 }, (_, n) => note(n)));
    const client = await GatewayClient.connect(service);
    client.resume(who.authorization, id, seq);
    expect(await client.next()).toEqual({ op: 9, d: false });
    const { replayed } = await resumed(who.authorization, id, seq + 1);
    expect(replayed).toHaveLength(40);
  });

  test('the buffer is also limited in bytes; an event that is too large for it is sent but not stored', async () => {
    const { who, id, seq } = await away();
    const { client } = await resumed(who.authorization, id, seq);
    const big = (bytes: number): [string, unknown] => [
      'WEBHOOKS_UPDATE',
      { webhook_id: 'x'.repeat(bytes), action: 'update' },
    ];
    await announce(who.id, ...[1, 2, 3, 4].map(() => big(90_000)));
    for (let n = 0; n < 4; n++) await client.event('WEBHOOKS_UPDATE');
    await client.terminate();
    const refused = await GatewayClient.connect(service);
    refused.resume(who.authorization, id, seq);
    expect((await refused.next()).op).toBe(9);
    const { client: back, replayed } = await resumed(who.authorization, id, seq + 1);
    expect(replayed).toHaveLength(3);
    await announce(who.id, big(100_001));
    expect((await back.event('WEBHOOKS_UPDATE')).s).toBe(seq + 5);
    await back.terminate();
    refused.resume(who.authorization, id, seq + 4);
    expect((await refused.next()).op).toBe(9);
    await resumed(who.authorization, id, seq + 5);
  });

  test('a session that moves closes its old socket with op 7 and 4000', async () => {
    const who = await person(service);
    const { client, ready } = await GatewayClient.identify(service, who.authorization);
    await resumed(who.authorization, ready.session_id, 1);
    await client.op(7);
    expect(client.received.at(-1)).toEqual({ op: 7 });
    expect(await client.closed()).toEqual([4000, 'Session drain requested; reconnect to continue']);
  });

  test('a socket that takes another session releases its own as retained', async () => {
    const who = await person(service);
    const first = await GatewayClient.identify(service, who.authorization);
    const second = await GatewayClient.identify(service, who.authorization);
    await first.client.terminate();
    second.client.resume(who.authorization, first.ready.session_id, 1);
    await second.client.event('RESUMED');
    await resumed(who.authorization, second.ready.session_id, 1);
    await second.client.sendHeartbeat();
  });

  test('a session may be resumed on its own socket: sent events are sent again', async () => {
    const who = await person(service);
    const { client, ready } = await GatewayClient.identify(service, who.authorization);
    await announce(who.id, note(1));
    const { s } = await client.event('WEBHOOKS_UPDATE');
    client.resume(who.authorization, ready.session_id, 1);
    expect((await client.event('WEBHOOKS_UPDATE')).s).toBe(s);
    await client.event('RESUMED');
    await client.sendHeartbeat();
  });

  test('of 32 parallel Resumes of one session, exactly one has it at the end', async () => {
    const { who, id, seq } = await away();
    const clients = await Promise.all(Array.from({ length: 32 }, () => GatewayClient.connect(service)));
    for (const client of clients) client.resume(who.authorization, id, seq);
    await Promise.all(clients.map((client) => client.event('RESUMED')));
    await announce(who.id, note(1));
    const ends = await Promise.all(
      clients.map((client) =>
        Promise.race([client.closed(), client.event('WEBHOOKS_UPDATE').catch(() => client.closed())]),
      ),
    );
    const held = ends.filter((end) => !Array.isArray(end));
    expect(held).toHaveLength(1);
    for (const end of ends.filter((end) => Array.isArray(end))) {
      expect(end).toEqual([4000, 'Session drain requested; reconnect to continue']);
    }
  });

  test('a long replay waits for its reader, and later events follow it', async () => {
    const { who, id, seq } = await away();
    const long = (id: string) => ({ webhook_id: id.padEnd(90_000, '-'), action: 'update' });
    await announce(who.id, ...['0', '1', '2'].map((id): [string, unknown] => ['WEBHOOKS_UPDATE', long(id)]));
    const client = await GatewayClient.connect(service);
    client.resume(who.authorization, id, seq);
    await client.event('WEBHOOKS_UPDATE');
    await announce(who.id, note(3));
    const rest = [];
    for (let n = 0; n < 3; n++) rest.push(await client.event('WEBHOOKS_UPDATE'));
    expect(idsOf(rest).map((id) => id.replace(/-+$/, ''))).toEqual(['1', '2', '3']);
  });
});

describe('gateway 11: events', () => {
  test('a changed profile is sent to every session of the account, complete and after the commit', async () => {
    const who = await person(service);
    const first = await GatewayClient.identify(service, who.authorization);
    const second = await GatewayClient.identify(service, await signIn(service, who));
    const { body } = await service.as(who).patch('/v1/users/@me', { bio: 'hello' });
    for (const { client } of [first, second]) {
      expect((await client.event('USER_UPDATE')).d).toEqual(body);
    }
  });

  test('nothing is sent for a change that was rejected or rolled back', async () => {
    const who = await person(service);
    const { client } = await GatewayClient.identify(service, who.authorization);
    expectInvalid(await service.as(who).patch('/v1/users/@me', { bio: '' }), 'bio: INVALID_FORMAT');
    const failed = commit(async (tx) => {
      await service.app
        .get(ReplicaBus)
        .announce(tx, { topic: 'event', data: { type: 'USER_UPDATE', account_id: who.id } });
      throw new Error('rolled back');
    });
    await expect(failed).rejects.toThrow('rolled back');
    await announce(who.id, note(1));
    await client.event('WEBHOOKS_UPDATE');
    expect(client.received.some(({ t }) => t === 'USER_UPDATE')).toBe(false);
  });

  test('settings and passkeys are sent in full', async () => {
    const who = await person(service);
    const { client, ready } = await GatewayClient.identify(service, who.authorization);
    const { body } = await service.as(who).patch('/v1/users/@me/settings', { theme: 'dark' });
    expect((await client.event('USER_SETTINGS_UPDATE')).d).toEqual(body);
    expect(body).toEqual({ ...ready.user_settings, theme: 'dark' });
    await announce(who.id, ['WEBAUTHN_CREDENTIALS_UPDATE']);
    expect((await client.event('WEBAUTHN_CREDENTIALS_UPDATE')).d).toEqual([]);
  });

  test('an authorization and its end are sent to the bot of the application, not to the user', async () => {
    const who = await person(service);
    const app = await newApp(service, await person(service));
    const { client } = await GatewayClient.identify(service, app.bot.slice('Bot '.length));
    const { client: user } = await GatewayClient.identify(service, who.authorization);
    await newTokens(service, who, app);
    expect((await client.event('APPLICATION_AUTHORIZE')).d).toEqual({
      user_id: who.id,
      scopes: ['identify'],
      authorized_at: expect.stringMatching(/Z$/),
    });
    await service.as(who).delete(`/v1/oauth2/@me/authorizations/${app.id}`);
    expect((await client.event('APPLICATION_DEAUTHORIZE')).d).toEqual({ user_id: who.id });
    await user.drain();
    expect(user.received.some(({ t }) => t?.startsWith('APPLICATION_'))).toBe(false);
  });

  test('events of one account keep the order of their commits, regardless of their read times', async () => {
    const who = await person(service);
    const { client } = await GatewayClient.identify(service, who.authorization);
    const events = Array.from({ length: 30 }, (_, n) => (n % 3 === 0 ? (['USER_UPDATE'] as [string]) : note(n)));
    await announce(who.id, ...events);
    const seen: (string | undefined)[] = [];
    while (seen.length < 30) {
      const { t, d } = await client.next();
      if (t === 'USER_UPDATE' || t === 'WEBHOOKS_UPDATE') seen.push(d.webhook_id);
    }
    expect(seen).toEqual(Array.from({ length: 30 }, (_, n) => (n % 3 === 0 ? undefined : String(n))));
  });

  test('ignored events are neither sent nor counted; names are case-insensitive', async () => {
    const who = await person(service);
    const { client } = await GatewayClient.identify(service, who.authorization, {
      ignored_events: ['webhooks_update', 'Sessions_Replace', 'SESSIONS_REPLACE', 'ready', 'RESUMED'],
    });
    await announce(who.id, note(1), ['USER_SETTINGS_UPDATE']);
    expect(await client.next()).toMatchObject({ t: 'USER_SETTINGS_UPDATE', s: 2 });
  });

  test('events go to sessions without a shard and to shard 0', async () => {
    const who = await person(service);
    const clients = [];
    for (const shard of [null, [0, 3], [1, 3], [2, 3]]) {
      clients.push((await GatewayClient.identify(service, who.authorization, { shard })).client);
    }
    await announce(who.id, note(1));
    for (const client of clients.slice(0, 2)) await client.event('WEBHOOKS_UPDATE');
    for (const client of clients.slice(2)) expect(await client.drain()).toEqual([]);
  });

  test('an event of an unknown type ends the session at its next Resume', async () => {
    const { who, id, seq } = await away();
    await announce(who.id, ['NOBODY_READS_THIS'], note(1));
    const client = await GatewayClient.connect(service);
    client.resume(who.authorization, id, seq);
    expect(await client.next()).toEqual({ op: 9, d: false });
  });

  test('an event that cannot be read during a database outage is sent after it, before later ones', async () => {
    const { who, id, seq } = await away();
    let attempts = 0;
    service.app.get(GatewayEvents).reader('WEBHOOKS_UPDATE', async () => {
      if (++attempts < 3) throw new Error('timeout exceeded when trying to connect');
      return { webhook_id: 'late', action: 'update' };
    });
    await announce(who.id, ['WEBHOOKS_UPDATE'], note(1));
    const { client } = await resumed(who.authorization, id, seq);
    const isLast = () => client.received.some(({ d }) => d?.webhook_id === '1');
    while (!isLast()) await client.event('WEBHOOKS_UPDATE');
    const events = client.received.filter(({ t }) => t === 'WEBHOOKS_UPDATE');
    expect(events.map(({ s, d }) => [s, d.webhook_id])).toEqual([
      [seq + 1, 'late'],
      [seq + 2, '1'],
    ]);
    expect(attempts).toBe(3);
  });

  test('after a gap in the journal, sessions end at their next Resume', async () => {
    const { who, id, seq } = await away();
    const { client } = await resumed(who.authorization, id, seq);
    // biome-ignore lint/suspicious/noExplicitAny: simulates what the replica does after it reconnects
    await (service.app.get(ReplicaBus) as any).deliver({ topic: 'gap', data: {} });
    await announce(who.id, note(1));
    const { s = 0 } = await client.event('WEBHOOKS_UPDATE');
    client.resume(who.authorization, id, s);
    expect(await client.op(9)).toEqual({ op: 9, d: false });
  });

  test('32 transactions that announce for the same accounts in opposite orders all commit; numbers have no gap', async () => {
    const [one, two] = [await person(service), await person(service)];
    const replica = service.app.get(ReplicaBus);
    const data = (who: Persona) => ({
      type: 'WEBHOOKS_UPDATE',
      account_id: who.id,
      d: { webhook_id: '1', action: 'update' },
    });
    const work = (_: unknown, n: number) =>
      commit(async (tx) => {
        const order = n % 2 ? [one, two, one] : [two, one];
        for (const who of order) await replica.announce(tx, { topic: 'event', data: data(who) });
        if (n % 8 === 0) throw new Error('rolled back');
      });
    const results = await Promise.allSettled(Array.from({ length: 32 }, work));
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(4);
    for (const [{ id }, count] of [[one, 44] as const, [two, 28] as const]) {
      const rows = await service.sql(
        "SELECT number FROM journal WHERE account_id = $1 AND data->>'type' = 'WEBHOOKS_UPDATE' ORDER BY id",
        [id],
      );
      const first = Number(rows[0]?.number);
      expect(rows.map(({ number }) => Number(number))).toEqual(Array.from({ length: count }, (_, n) => first + n));
    }
  });

  test('after a long time without events, the next one is received normally', async () => {
    const { who, id, seq } = await away();
    const replica = service.app.get(ReplicaBus) as unknown as { lastReadAt: number };
    // A process with a shared database polls every second, so its last read is always recent.
    if (!process.env.TEST_DATABASE_URL) replica.lastReadAt -= 600_000;
    await announce(who.id, note(1));
    expect(idsOf((await resumed(who.authorization, id, seq)).replayed)).toEqual(['1']);
  });

  test('SESSIONS_REPLACE is sent to all sessions of the account when one starts or ends', async () => {
    const who = await person(service);
    const first = await GatewayClient.identify(service, who.authorization, { properties: { mobile: true } });
    const entry = (session_id: string, mobile: boolean) => ({ session_id, status: 'online', afk: false, mobile });
    expect((await first.client.event('SESSIONS_REPLACE')).d).toEqual([
      entry('all', true),
      entry(first.ready.session_id, true),
    ]);
    const token = await signIn(service, who);
    const second = await GatewayClient.identify(service, token);
    const both = [entry('all', false), entry(first.ready.session_id, true), entry(second.ready.session_id, false)];
    expect(second.ready.sessions).toEqual(both);
    expect((await first.client.event('SESSIONS_REPLACE')).d).toEqual(both);
    await second.client.terminate();
    expect(await first.client.drain()).toEqual([]);
    await service.as(token).post('/v1/auth/logout');
    expect((await first.client.event('SESSIONS_REPLACE')).d).toEqual([
      entry('all', true),
      entry(first.ready.session_id, true),
    ]);
  });

  test('a resumed session gets one list of the sessions that started and ended in the meantime, after the events', async () => {
    const { who, id, seq } = await away();
    const others = [];
    while (others.length < 3) others.push(await GatewayClient.identify(service, who.authorization));
    await announce(who.id, note(1));
    const all = ['all', id, ...others.map(({ ready }) => ready.session_id)];
    const { client, replayed, end } = await resumed(who.authorization, id, seq);
    expect(replayed.map(({ s, t }) => [s, t])).toEqual([
      [seq + 1, 'WEBHOOKS_UPDATE'],
      [seq + 2, 'SESSIONS_REPLACE'],
    ]);
    expect(replayed[1]?.d.map(({ session_id }: { session_id: string }) => session_id)).toEqual(all);
    expect(end.s).toBe(seq + 2);
    await client.terminate();
    expect((await resumed(who.authorization, id, seq + 2)).replayed).toEqual([]);
  });

  test('a sequence that was not dispatched yet is invalid, even if events are pending', async () => {
    const { who, id, seq } = await away();
    await GatewayClient.identify(service, who.authorization);
    expect(await resumeEnds({ token: who.authorization, session_id: id, seq: seq + 1 })).toEqual([
      4007,
      'Invalid sequence',
    ]);
    const { replayed } = await resumed(who.authorization, id, seq);
    expect(replayed.map(({ s, t }) => [s, t])).toEqual([[seq + 1, 'SESSIONS_REPLACE']]);
  });

  test('events between the check of the credential and READY are sent after READY', async () => {
    const who = await person(service);
    const client = await GatewayClient.connect(service);
    client.send({ op: 2, d: { token: who.authorization } });
    const responses = Promise.all([1, 2, 3, 4, 5].map(() => service.as(who).patch('/v1/users/@me', { bio: 'again' })));
    const ready = await client.next();
    expect(ready.t).toBe('READY');
    await responses;
    await announce(who.id, note(1));
    await client.event('WEBHOOKS_UPDATE');
    const sequences = client.received.flatMap(({ s }) => s ?? []);
    expect(sequences).toEqual(sequences.map((_, index) => index + 1));
  });
});
