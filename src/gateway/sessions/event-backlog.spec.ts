import type { JournalRow } from '../../platform/replicas/journal.js';
import type { AccountSessions } from './account-sessions.js';
import { EventBacklog, type UnreadEvents } from './event-backlog.js';

const MIB = 1024 * 1024;
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

const inclusive = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, n) => first + n);

const accountOf = (id: number) => ({ id: String(id) }) as AccountSessions;
const rowOf = (accountId: number, number: number, bytes: number): JournalRow => ({
  ...{ id: accountId * 1000 + number, number, bytes, accountId: String(accountId) },
  ...{ topic: 'event', data: {}, origin: null, createdAt: '' },
});

/** A backlog whose dispatches wait until `release` is called. */
function blockedBacklog() {
  const dispatched: JournalRow[] = [];
  const unread: { account: string; events: UnreadEvents }[] = [];
  const failures: unknown[] = [];
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const backlog = new EventBacklog({
    dispatch: async (_, row) => {
      await released;
      dispatched.push(row);
    },
    dispatchUnread: async ({ id: account }, events) => void unread.push({ account, events }),
    onFailure: (_, error) => failures.push(error),
  });
  return { backlog, dispatched, unread, failures, release: () => void release() };
}

describe('EventBacklog', () => {
  test('keeps at most 4 MiB in memory for all accounts together, and stores the position of the rest', async () => {
    const { backlog, dispatched, unread, release } = blockedBacklog();
    const accounts = Array.from({ length: 64 }, (_, n) => accountOf(n + 1));
    for (const number of [1, 2, 3]) {
      for (const account of accounts) backlog.add(account, rowOf(Number(account.id), number, 100_000));
    }
    expect(dispatched).toEqual([]);
    release();
    await nextTurn();
    const bytes = dispatched.reduce((sum, row) => sum + row.bytes, 0);
    expect(bytes).toBeLessThanOrEqual(4 * MIB);
    expect(bytes).toBeGreaterThan(3.9 * MIB);
    for (const { id } of accounts) {
      const inMemory = dispatched.filter(({ accountId }) => accountId === id).map(({ number }) => Number(number));
      const later = unread.filter(({ account }) => account === id).map(({ events }) => events);
      expect(later.length).toBeGreaterThan(0);
      const numbers = [...inMemory, ...later.flatMap(({ first, last }) => inclusive(first, last))];
      expect(numbers).toEqual([1, 2, 3]);
      expect(later.at(-1)?.lastId).toBe(Number(id) * 1000 + 3);
    }
  });

  test('accepts as much again after it was dispatched, even if a dispatch failed', async () => {
    const failing = new Set([2]);
    const dispatched: number[] = [];
    const failures: number[] = [];
    const unread: UnreadEvents[] = [];
    const backlog = new EventBacklog({
      dispatch: async (_, { number }) => {
        if (failing.has(Number(number))) throw new Error('cannot be read');
        dispatched.push(Number(number));
      },
      dispatchUnread: async (_, events) => void unread.push(events),
      onFailure: () => failures.push(1),
    });
    const account = accountOf(1);
    for (const number of [1, 2, 3, 4, 5, 6]) {
      backlog.add(account, rowOf(1, number, 3 * MIB));
      await nextTurn();
    }
    expect({ dispatched, failures, unread }).toEqual({ dispatched: [1, 3, 4, 5, 6], failures: [1], unread: [] });
  });
});
