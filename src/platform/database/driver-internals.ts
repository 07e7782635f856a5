/**
 * All that Gatehouse uses of TypeORM and `pg` outside their documented interfaces.
 * `test/platform/driver-internals.e2e-spec.ts` fails on the upgrade that changes it.
 */
import type pg from 'pg';
import { type DataSource, EntityManager, type QueryRunner } from 'typeorm';

type ConnectCallback = (error: Error | undefined, ...rest: unknown[]) => void;

/** A connection of the driver, or its pool. */
export interface Connection {
  query<R>(statement: { name?: string; text: string; values: unknown[] }): Promise<{ rows: R[] }>;
}

interface Pool extends Connection {
  readonly options: { readonly connectionTimeoutMillis?: number };
  connect(connected?: ConnectCallback): unknown;
}

/** The connection pool of a data source. TypeORM itself cannot send named statements. */
export const poolOf = (source: DataSource): Pool => (source.driver as unknown as { master: Pool }).master;

/**
 * The backend process ID that the server reported when the connection began. Through a connection pooler, it differs from
 * `pg_backend_pid()`.
 */
export const backendPidOf = (client: pg.Client): number | undefined =>
  (client as unknown as { processID?: number }).processID;

/** Fails the running and all waiting statements of a client, before the server's response to them is read. */
export const failConnection = (client: pg.ClientBase, error: Error): void =>
  void (client as unknown as { connection: NodeJS.EventEmitter }).connection.emit('error', error);

/** A manager of the same transaction, whose statements can be ended before the transaction ends. */
export interface SharedTransaction {
  readonly tx: EntityManager;
  /** Every later statement of `tx` fails. */
  end(): void;
}

export function shareTransaction(of: EntityManager): SharedTransaction {
  let hasEnded = false;
  const runner = new Proxy(of.queryRunner as QueryRunner, {
    get(target, member) {
      if (hasEnded) throw new Error('The time of this work in the transaction has ended. Its statements are rejected');
      if (member === 'manager') return tx;
      const value: unknown = Reflect.get(target, member);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const tx: EntityManager = new EntityManager(of.connection, runner);
  return {
    tx,
    end: () => {
      hasEnded = true;
    },
  };
}
