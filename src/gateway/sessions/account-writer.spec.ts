import { eventFrom, journalEvent } from '../protocol/event.js';
import { Payloads } from '../protocol/payloads.js';
import type { SessionWrite } from '../store/session-store.js';
import { AccountWriter, type WriterHost } from './account-writer.js';
import { GatewaySession, type Stored, startStored } from './session.js';

const MIB = 1024 * 1024;
const NUMBERS = { replay_events: 4096, replay_bytes: 16 * MIB, replay_event_bytes: 2 * MIB } as never;
const IDENTITY = { account: { id: '1' }, via: 'session', sessionId: 'login', digest: Buffer.alloc(32) } as never;

/** A writer whose store responds when `respond` is called. */
function slowStore() {
  const waiting: (() => void)[] = [];
  const written: number[] = [];
  const unexpected = async () => {
    throw new Error('not part of this test');
  };
  const host = {
    store: {
      write: (_: string, __: unknown, steps: readonly SessionWrite[]) =>
        new Promise((resolve) => {
          waiting.push(() => {
            written.push(...steps.map(({ standing }) => standing.cursor));
            resolve(steps.map(() => 'held'));
          });
        }),
    },
    ...{ onMoved: unexpected, onRetained: unexpected, onRemoved: unexpected },
    ...{ markAhead: unexpected, unmarkAhead: unexpected, trackWork: () => {} },
  } as unknown as WriterHost;
  const payloads = new Payloads(16 * MIB);
  const writer = new AccountWriter('1', payloads, host);
  const sessionOf = (isHeld: boolean): GatewaySession & { stored: Stored } => {
    const session = new GatewaySession(
      ...([
        IDENTITY,
        { mobile: false, ignored: new Set<string>(), shard: null },
        null,
        0,
        payloads,
        NUMBERS,
        'id',
      ] as const),
    );
    session.stored = {
      ...startStored({ fence: 1, since: 0, step: 0 }),
      state: isHeld ? 'starting' : 'stored',
    };
    return session as GatewaySession & { stored: Stored };
  };
  const respond = () => {
    for (const response of waiting.splice(0)) response();
  };
  return { writer, written, waiting, sessionOf, respond };
}

const event = (number: number) => journalEvent(number, eventFrom('WEBHOOKS_UPDATE', JSON.stringify('x'.repeat(MIB))));

/** Resolves to true if the promise is still pending after a while. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const after = new Promise((resolve) => setTimeout(resolve, 100, 'pending'));
  return (await Promise.race([promise, after])) === 'pending';
}

/** Pushes events, waiting after each as the dispatcher does. Returns how many were accepted so far. */
function pushAll(writer: AccountWriter, session: GatewaySession, count: number) {
  const progress = { accepted: 0 };
  const done = (async () => {
    for (let number = 1; number <= count; number++) {
      writer.push(session, event(number));
      progress.accepted = number;
      await writer.waitIfBusy();
    }
  })();
  return { progress, done };
}

describe('AccountWriter', () => {
  test('accepts no further events while more than 4 MiB wait for the store', async () => {
    const { writer, written, waiting, sessionOf, respond } = slowStore();
    const { progress, done } = pushAll(writer, sessionOf(false), 12);
    expect(await isPending(done)).toBe(true);
    expect(progress.accepted).toBeLessThan(6);
    while (await isPending(done)) respond();
    while (waiting.length > 0 || (await isPending(writer.waitUntilWritten()))) respond();
    expect(written.at(-1)).toBe(12);
  });

  test('accepts no further events while a session that is being taken over has more than 4 MiB', async () => {
    const { writer, written, sessionOf, respond } = slowStore();
    const session = sessionOf(true);
    const { progress, done } = pushAll(writer, session, 12);
    expect(await isPending(done)).toBe(true);
    expect(progress.accepted).toBeLessThan(6);
    expect(session.stored.pending).toHaveLength(progress.accepted);
    writer.startWriting(session, []);
    while (await isPending(done)) respond();
    while (await isPending(writer.waitUntilWritten())) respond();
    expect(written.at(-1)).toBe(12);
  });

  test('continues when the session that was being taken over has moved again', async () => {
    const { writer, sessionOf } = slowStore();
    const session = sessionOf(true);
    const { done } = pushAll(writer, session, 6);
    expect(await isPending(done)).toBe(true);
    session.stored.state = 'closed';
    await done;
  });
});
