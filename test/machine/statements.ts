import pg from 'pg';
import { Database } from '../../src/platform/database/database.js';
import type { Gatehouse } from '../support/gatehouse.js';

type Ask = (...requested: unknown[]) => unknown;
interface Pooled {
  query: Ask;
}
interface Counted {
  rows?: readonly unknown[];
}
interface Pool {
  _clients: Pooled[];
  on(event: 'connect', listener: (client: Pooled) => void): void;
  off(event: 'connect', listener: (client: Pooled) => void): void;
}

const textOf = (requested: unknown): string =>
  typeof requested === 'string' ? requested : ((requested as { text?: string } | undefined)?.text ?? '');

const raising = (sqlstate: string): string =>
  `DO $planted$ BEGIN RAISE EXCEPTION 'planted' USING ERRCODE = ${pg.escapeLiteral(sqlstate)}; END $planted$`;

/** Records the statements of a service, and can make one of them fail. */
export class Statements {
  /** Statements that were sent since the last call of `record`, in order. */
  texts: string[] = [];
  /** The highest number of rows that one of these statements has returned. */
  mostRows = 0;
  /** Whether the planted error was raised. */
  isRaised = false;
  private wanted: { text: string; occurrence: number; sqlstate: string } | undefined;
  private readonly own = new Map<Pooled, Ask>();
  private readonly pool: Pool;

  constructor(service: Gatehouse) {
    this.pool = (service.app.get(Database).source.driver as unknown as { master: Pool }).master;
    for (const client of this.pool._clients) this.watch(client);
    this.pool.on('connect', this.watch);
  }

  private readonly watch = (client: Pooled): void => {
    const ask = client.query;
    this.own.set(client, ask);
    client.query = (...requested) => {
      const text = textOf(requested[0]);
      this.texts.push(text);
      if (!this.wanted || this.wanted.text !== text || --this.wanted.occurrence >= 0) {
        const response = ask.apply(client, requested.map(this.counting));
        if (response instanceof Promise) void response.then(this.count, () => undefined);
        return response;
      }
      const { sqlstate } = this.wanted;
      this.wanted = undefined;
      this.isRaised = true;
      // A COMMIT can also fail in this way, because the error makes the server end the transaction.
      const callback = requested.find((part) => typeof part === 'function');
      return ask.apply(client, callback ? [raising(sqlstate), callback] : [raising(sqlstate)]);
    };
  };

  private readonly counting = (argument: unknown): unknown => {
    if (typeof argument !== 'function') return argument;
    return (error: unknown, result?: Counted) => {
      this.count(result);
      argument(error, result);
    };
  };

  private readonly count = (result?: Counted): void => {
    this.mostRows = Math.max(this.mostRows, result?.rows?.length ?? 0);
  };

  /** The statements that `work` sends. */
  async record(work: () => PromiseLike<unknown>): Promise<string[]> {
    this.texts = [];
    this.mostRows = 0;
    await work();
    return this.texts;
  }

  /**
   * Makes one later occurrence of this statement fail once with this SQLSTATE. Occurrences are counted from 0, starting
   * now.
   */
  plant(text: string, occurrence: number, sqlstate: string): void {
    this.isRaised = false;
    this.wanted = { text, occurrence, sqlstate };
  }

  /** Removes a planted error that was not raised. */
  clear(): void {
    this.wanted = undefined;
  }

  end(): void {
    this.pool.off('connect', this.watch);
    for (const [client, ask] of this.own) client.query = ask;
  }
}
