import { AsyncLocalStorage } from 'node:async_hooks';
import { ProcessSessions } from '../../src/gateway/store/process-sessions.js';
import { RedisSessions } from '../../src/gateway/store/redis-sessions.js';
import { Database, type Tx } from '../../src/platform/database/database.js';
import { Inbox } from '../../src/platform/mail/inbox.js';
import { Outbound } from '../../src/platform/outbound/outbound.js';
import { RedisHints } from '../../src/platform/replicas/redis-hints.js';
import { LocalStorage } from '../../src/platform/storage/storage.js';
import { MemoryStore, RedisStore } from '../../src/platform/store/shared-store.js';

/**
 * The classes that call other services, or replace them in tests: Redis, HTTP servers, object storage, and
 * providers of email and text messages.
 */
const CALLERS = [
  MemoryStore,
  RedisStore,
  ProcessSessions,
  RedisSessions,
  RedisHints,
  Outbound,
  LocalStorage,
  Inbox,
] as const;

/** The deletion of files keeps the rows of their keys locked, so that a request that writes such a key waits for it. */
const EXEMPT = 'LocalStorage.remove';

interface Transaction {
  isOver: boolean;
}

type Method = (this: unknown, ...args: unknown[]) => unknown;

const current = new AsyncLocalStorage<Transaction>();

function assertNoTransaction(method: string): void {
  const transaction = current.getStore();
  if (transaction && !transaction.isOver)
    throw new Error(`${method} is called inside a transaction, which keeps its locks while another service is slow`);
}

/** Runs a part of a transaction. Calls that it starts and does not await are allowed after its end. */
function watch<T>(work: () => T | Promise<T>): Promise<T> {
  const transaction: Transaction = { isOver: false };
  return current
    .run(transaction, async () => work())
    .finally(() => {
      transaction.isOver = true;
    });
}

/**
 * Makes every call to another service fail inside a transaction. This applies to all tests that start a service in their
 * own process.
 */
export function forbidExternalCallsInTransactions(): void {
  const { transaction, beforeCommit } = Database.prototype;
  Database.prototype.transaction = function <T>(this: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
    return transaction.call(this, (tx: Tx) => watch(() => work(tx))) as Promise<T>;
  };
  Database.prototype.beforeCommit = function (this: Database, tx, action) {
    beforeCommit.call(this, tx, () => watch(action));
  };
  for (const { name, prototype } of CALLERS) {
    for (const [key, { value: method }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
      if (key === 'constructor' || key === 'close' || typeof method !== 'function') continue;
      const isExempt = `${name}.${key}` === EXEMPT;
      const watched: Method = function (...args) {
        if (isExempt) return current.exit(() => method.apply(this, args));
        assertNoTransaction(`${name}.${key}`);
        return method.apply(this, args);
      };
      Object.defineProperty(prototype, key, { value: watched, writable: true, configurable: true });
    }
  }
}
