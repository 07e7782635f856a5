import { AsyncLocalStorage } from 'node:async_hooks';
import { ProcessSessions } from '../../src/gateway/store/process-sessions.js';
import { RedisSessions } from '../../src/gateway/store/redis-sessions.js';
import { Database, type Tx } from '../../src/platform/database/database.js';
import { MemoryStore, RedisStore } from '../../src/platform/store/shared-store.js';

interface Work {
  isOver: boolean;
}

type Method = (this: unknown, ...args: unknown[]) => unknown;

const current = new AsyncLocalStorage<Work>();

function demandNoTransaction(method: string): void {
  const work = current.getStore();
  if (work && !work.isOver)
    throw new Error(`${method} is called inside a transaction, which holds rows while a store is slow`);
}

/**
 * Makes every call to a shared store fail inside a transaction. This applies to all tests that start a service in their
 * own process.
 */
export function forbidStoresInTransactions(): void {
  const { transaction } = Database.prototype;
  Database.prototype.transaction = function <T>(this: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
    const own: Work = { isOver: false };
    const watched = (tx: Tx) => current.run(own, () => work(tx)).finally(() => (own.isOver = true));
    return transaction.call(this, watched) as Promise<T>;
  };
  for (const { name, prototype } of [MemoryStore, RedisStore, ProcessSessions, RedisSessions]) {
    const methods = prototype as unknown as Record<string, Method>;
    for (const key of Object.getOwnPropertyNames(prototype)) {
      const method = methods[key];
      if (key === 'constructor' || key === 'close' || method === undefined) continue;
      methods[key] = function (...args) {
        demandNoTransaction(`${name}.${key}`);
        return method.apply(this, args);
      };
    }
  }
}
