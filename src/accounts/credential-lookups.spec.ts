import { setImmediate as turn } from 'node:timers/promises';
import type { Config } from '../core/config/config.js';
import type { Database } from '../platform/database/database.js';
import { CredentialLookups } from './credential-lookups.js';

interface SentStatement {
  readonly name: string;
  readonly keys: string[];
  answer(rows: { key: string | Buffer; session_id?: string }[]): void;
  fail(reason: Error): void;
}

/** A fake database whose responses the test triggers. */
function createLookups(limits: Partial<Config> = {}) {
  const statements: SentStatement[] = [];
  const texts: string[] = [];
  const database = {
    statement: (name: string, text: string, [keys]: [(string | Buffer)[]]) =>
      new Promise((response, fail) => {
        texts.push(text);
        statements.push({ name, keys: keys.map(String), answer: response, fail });
      }),
  };
  const config = { sessionMaxSeconds: 0, sessionIdleSeconds: 0, ...limits };
  return { statements, texts, found: new CredentialLookups(database as unknown as Database, config as Config) };
}

/** Returns what a promise resolves to within some turns of the event loop, or `'no answer'`. */
const resultSoon = <T>(promise: Promise<T>) =>
  Promise.race([
    promise,
    (async () => {
      for (let turns = 0; turns < 20; turns++) await turn();
      return 'no answer';
    })(),
  ]);

const statementAt = (statements: readonly SentStatement[], index: number): SentStatement => {
  const one = statements[index];
  if (!one) throw new Error(`statement ${index} was not sent`);
  return one;
};

describe('performance.md P4: batched lookups', () => {
  test('those of one turn and one kind are one statement, and each gets its own result', async () => {
    const { statements, found } = createLookups();
    const key = Buffer.from('a digest with \xff and \xfe', 'latin1');
    const responses = [found.find('session', key), found.find('session', 'b'), found.find('session', 'unknown')];
    const bot = found.find('bot', 'b');
    expect(statements).toEqual([]);
    await turn();
    expect(statements.map(({ name, keys }) => [name, keys.length])).toEqual([
      ['identity-session', 3],
      ['identity-bot', 1],
    ]);
    expect(found.counters).toEqual({ lookups: 4, statements: 2 });
    statementAt(statements, 0).answer([
      { key: 'b', session_id: '2' },
      { key: Buffer.from(key), session_id: '1' },
    ]);
    statementAt(statements, 1).answer([]);
    expect(await resultSoon(Promise.all(responses))).toEqual([
      { key, session_id: '1' },
      { key: 'b', session_id: '2' },
      undefined,
    ]);
    expect(await resultSoon(bot)).toBeUndefined();
  });

  test('two statements of a kind are in flight; later lookups are sent when one returns', async () => {
    const { statements, found } = createLookups();
    const first = found.find('session', 'a');
    await turn();
    void found.find('session', 'b');
    await turn();
    void found.find('session', 'c');
    void found.find('session', 'd');
    await turn();
    expect(statements.map(({ keys }) => keys)).toEqual([['a'], ['b']]);
    statementAt(statements, 0).answer([]);
    await resultSoon(first);
    await turn();
    expect(statements.map(({ keys }) => keys)).toEqual([['a'], ['b'], ['c', 'd']]);
    void found.find('session', 'e');
    await turn();
    expect(statements).toHaveLength(3);
  });

  test('nothing is sent without waiting lookups, and the next one is sent immediately', async () => {
    const { statements, found } = createLookups();
    for (const key of ['a', 'b', 'c', 'd']) {
      const one = found.find('session', key);
      await turn();
      expect(statements.at(-1)?.keys).toEqual([key]);
      statements.at(-1)?.answer([]);
      await resultSoon(one);
      await turn();
    }
    expect(statements).toHaveLength(4);
  });

  test('even a repeated turn does not make it three', async () => {
    const { statements, found } = createLookups();
    void found.find('session', 'a');
    await turn();
    const second = found.find('session', 'b');
    statementAt(statements, 0).answer([]);
    for (let waits = 0; statements.length < 2 && waits < 20; waits++) await null;
    expect(statements.map(({ keys }) => keys)).toEqual([['a'], ['b']]);
    // Order of the event loop: the turn scheduled for `b`, then `d`, then the turn scheduled for `c`.
    setImmediate(() => void found.find('session', 'd'));
    void found.find('session', 'c');
    await turn();
    await turn();
    expect(statements.map(({ keys }) => keys)).toEqual([['a'], ['b'], ['c']]);
    statementAt(statements, 1).answer([]);
    expect(await resultSoon(second)).toBeUndefined();
    await turn();
    expect(statementAt(statements, 3).keys).toEqual(['d']);
  });

  test('all lookups of a failed statement fail, and the next statement is sent', async () => {
    const { statements, found } = createLookups();
    const gone = new Error('gone');
    const both = [found.find('session', 'a'), found.find('session', 'b')];
    await turn();
    statementAt(statements, 0).fail(gone);
    expect(await resultSoon(Promise.allSettled(both))).toEqual([
      { status: 'rejected', reason: gone },
      { status: 'rejected', reason: gone },
    ]);
    for (const key of ['c', 'd']) {
      void found.find('session', key);
      await turn();
    }
    expect(statements.slice(1).map(({ keys }) => keys)).toEqual([['c'], ['d']]);
  });

  test('a limit on the age of sessions is only in the statements that find them', async () => {
    const { texts, found } = createLookups({ sessionMaxSeconds: 1234, sessionIdleSeconds: 100 });
    for (const kind of ['session', 'held-session', 'bot', 'bearer', 'admin-key'] as const) void found.find(kind, '1');
    await turn();
    expect(
      texts.map((text) => [
        text.includes("s.created_at > now() - interval '1234 seconds'"),
        text.includes("s.last_used_at > now() - interval '160 seconds'"),
      ]),
    ).toEqual([...[1, 2].map(() => [true, true]), ...[3, 4, 5].map(() => [false, false])]);
  });
});
