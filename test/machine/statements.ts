import pg from 'pg';
import { Database } from '../../src/platform/database/database.js';
import type { Gatehouse } from '../support/gatehouse.js';

type Ask = (...asked: unknown[]) => unknown;
interface Pooled {
  query: Ask;
}
interface Pool {
  _clients: Pooled[];
  on(event: 'connect', listener: (client: Pooled) => void): void;
  off(event: 'connect', listener: (client: Pooled) => void): void;
}

const textOf = (asked: unknown): string =>
  typeof asked === 'string' ? asked : ((asked as { text?: string } | undefined)?.text ?? '');

const raising = (sqlstate: string): string =>
  `DO $planted$ BEGIN RAISE EXCEPTION 'planted' USING ERRCODE = ${pg.escapeLiteral(sqlstate)}; END $planted$`;

/** Statements of a service: what they are, and one of them that the database refuses. */
export class Statements {
  /** What was sent since the last `record`, in its order. */
  texts: string[] = [];
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
    client.query = (...asked) => {
      const text = textOf(asked[0]);
      this.texts.push(text);
      if (!this.wanted || this.wanted.text !== text || --this.wanted.occurrence >= 0) return ask.apply(client, asked);
      const { sqlstate } = this.wanted;
      this.wanted = undefined;
      this.isRaised = true;
      // What commits is refused as well: the server ends the transaction by that.
      const callback = asked.find((part) => typeof part === 'function');
      return ask.apply(client, callback ? [raising(sqlstate), callback] : [raising(sqlstate)]);
    };
  };

  /** What `work` sends. */
  async record(work: () => PromiseLike<unknown>): Promise<string[]> {
    this.texts = [];
    await work();
    return this.texts;
  }

  /** From now on the occurrence of this text, counted from 0, fails with this SQLSTATE, once. */
  plant(text: string, occurrence: number, sqlstate: string): void {
    this.isRaised = false;
    this.wanted = { text, occurrence, sqlstate };
  }

  /** Nothing fails any more. */
  clear(): void {
    this.wanted = undefined;
  }

  end(): void {
    this.pool.off('connect', this.watch);
    for (const [client, ask] of this.own) client.query = ask;
  }
}
