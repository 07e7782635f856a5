import { randomBytes } from 'node:crypto';
import type { Connection } from '../../src/gateway/connection.js';
import { Gateway } from '../../src/gateway/gateway.service.js';
import { eventOf, journalEvent } from '../../src/gateway/protocol/event.js';
import { LiveSessions } from '../../src/gateway/sessions/live-sessions.service.js';
import { GatewayClient } from '../support/gateway-client.js';
import { type Gatehouse, gatehouse, type Persona, person } from '../support/index.js';

const MIB = 1024 * 1024;
const NUMBERS = {
  sockets_per_address: 1000,
  unsent_bytes: 64 * MIB,
  unsent_bytes_per_account: 32 * MIB,
  unsent_bytes_per_process: 48 * MIB,
  replay_bytes: 256 * MIB,
};

let service: Gatehouse;
beforeAll(async () => {
  service = await gatehouse({ env: { GATEWAY_NUMBERS: JSON.stringify(NUMBERS) } });
});
afterAll(() => service.close());

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Returns text that cannot be compressed. */
const text = (bytes: number): string => randomBytes((bytes * 3) / 4).toString('base64');
const PAYLOAD = text(150_000);

/** Number of events that were dispatched to each account. */
const reported = new Map<string, number>();
const numberOf = ({ id }: Persona): number => reported.get(id) ?? 0;

function tell(who: Persona): void {
  reported.set(who.id, numberOf(who) + 1);
  const event = eventOf('WEBHOOKS_UPDATE', { webhook_id: PAYLOAD, action: 'update' });
  service.app.get(LiveSessions).dispatch(who.id, journalEvent(numberOf(who), event));
}

interface Reader {
  readonly who: Persona;
  readonly client: GatewayClient;
  readonly id: string;
}

async function readerOf(who: Persona): Promise<Reader> {
  const { client, ready } = await GatewayClient.identify(service, who.authorization);
  return { who, client, id: ready.session_id };
}

const readersOf = (who: Persona, count: number): Promise<Reader[]> =>
  Promise.all(Array.from({ length: count }, () => readerOf(who)));

const isHeld = ({ id }: Reader): boolean => Boolean(service.app.get(LiveSessions).find(id)?.holder);

const connections = (): Connection[] => [
  ...(service.app.get(Gateway) as unknown as { connections: ReadonlySet<Connection> }).connections,
];

/** Reads the next `count` events and checks that they are the dispatched events in the same order. */
async function readAll({ client }: Reader, count: number): Promise<void> {
  let last: number | undefined;
  for (let n = 0; n < count; n++) {
    const { s = 0, d } = await client.event('WEBHOOKS_UPDATE');
    if (d.webhook_id !== PAYLOAD || (last !== undefined && s <= last)) throw new Error(`out of order: ${s}`);
    last = s;
  }
}

async function leave(readers: readonly Reader[]): Promise<void> {
  // The frames contain only generated data, and too much of it to be searched for secrets.
  service.frames.length = 0;
  for (const { client } of readers) client.socket.terminate();
  while (connections().length > 0) await nextTurn();
}

describe('gateway 10: an event for many sockets', () => {
  test('is encoded once, and the sockets share its memory until they have sent it', async () => {
    const who = await person(service);
    const readers = await readersOf(who, 10);
    for (const { client } of readers) client.socket.pause();
    const before = process.memoryUsage().arrayBuffers;
    // The operating system buffers the first events. Unsent bytes grow only after its buffers are full.
    while (connections().some(({ unsentBytes }) => unsentBytes < 10 * MIB)) {
      tell(who);
      await nextTurn();
    }
    expect((process.memoryUsage().arrayBuffers - before) / MIB).toBeLessThan(50);
    for (const { client } of readers) client.socket.resume();
    for (const reader of readers) await readAll(reader, numberOf(who));
    await leave(readers);
  });
});

describe('gateway 10: unsent bytes', () => {
  /** Dispatches events, which the readers read one by one, until the condition is met. */
  async function tellUntil(readers: readonly Reader[], hasHappened: () => boolean): Promise<void> {
    for (let n = 0; !hasHappened(); n++) {
      if (n > 2000) throw new Error('it did not happen');
      for (const who of new Set(readers.map((reader) => reader.who))) tell(who);
      await Promise.all(readers.map((reader) => (reader.client.socket.isPaused ? undefined : readAll(reader, 1))));
      await nextTurn();
    }
  }

  async function expectResumable({ who, client, id }: Reader): Promise<void> {
    client.socket.resume();
    expect(await client.closed()).toEqual([4000, 'Session unavailable']);
    const last = client.received.findLast(({ s }) => s !== undefined)?.s ?? 0;
    const back = await GatewayClient.connect(service);
    back.resume(who.authorization, id, last);
    await back.event('RESUMED');
    // These may include a `SESSIONS_REPLACE` event, which can be sent at any time.
    const missed = back.received.filter(({ t, s }) => s !== undefined && t !== 'RESUMED');
    expect(missed.map(({ s }) => s)).toEqual(missed.map((_, n) => last + 1 + n));
    const received = [...client.received, ...missed].filter(({ t }) => t === 'WEBHOOKS_UPDATE');
    expect(received).toHaveLength(numberOf(who));
    back.socket.terminate();
  }

  test('of one account beyond its budget close the slowest socket; others get everything', async () => {
    const who = await person(service);
    const [slow, slower, quick] = (await readersOf(who, 3)) as [Reader, Reader, Reader];
    const all = [slow, slower, quick];
    slower.client.socket.pause();
    const begun = numberOf(who);
    await tellUntil(all, () => numberOf(who) - begun > 30);
    slow.client.socket.pause();
    await tellUntil(all, () => !isHeld(slower));
    expect([isHeld(slow), isHeld(quick)]).toEqual([true, true]);
    await expectResumable(slower);
    await leave(all);
  });

  test('of all accounts beyond the budget of the process close the slowest socket; others get everything', async () => {
    const [carl, dora, emil] = [await person(service), await person(service), await person(service)];
    const all = [await readerOf(carl), await readerOf(dora), await readerOf(emil)];
    const [slower, slow, quick] = all as [Reader, Reader, Reader];
    slower.client.socket.pause();
    await tellUntil(all, () => numberOf(carl) > 30);
    slow.client.socket.pause();
    await tellUntil(all, () => !isHeld(slower) || !isHeld(slow));
    expect([isHeld(slower), isHeld(slow), isHeld(quick)]).toEqual([false, true, true]);
    await expectResumable(slower);
    await leave(all);
  });
});
