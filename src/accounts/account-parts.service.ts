import { Injectable } from '@nestjs/common';
import type { Tx } from '../platform/database/database.js';

/** Removes what one area keeps of an account. */
export type Removal = (tx: Tx, accountId: string) => Promise<void>;

/** For whom an account is exported: its owner sees nothing that administrators wrote or looked up. */
export type ExportReader = 'owner' | 'operator';

/**
 * Reads what one area keeps of an account, as JSON; never a secret, nor a digest or a key. Anything that can grow is an
 * iterable (`rowsOf`), which becomes a list without being in memory as a whole. `undefined` leaves the part out.
 */
export type Reading = (tx: Tx, accountId: string, reader: ExportReader) => unknown;

const isList = (value: unknown): value is Iterable<unknown> | AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && (Symbol.asyncIterator in value || Symbol.iterator in value);

async function* listOf(values: Iterable<unknown> | AsyncIterable<unknown>): AsyncGenerator<string> {
  let before = '[';
  for await (const value of values) {
    yield `${before}\n${JSON.stringify(value) ?? 'null'}`;
    before = ',';
  }
  yield before === '[' ? '[]' : '\n]';
}

/** What every area keeps of an account, the account of a bot included. */
@Injectable()
export class AccountParts {
  private readonly removals: Removal[] = [];
  private readonly readings = new Map<string, Reading>();

  /** Adds what is to be removed together with an account, before the account itself is erased or handed over. */
  alsoRemove(removal: Removal): void {
    this.removals.push(removal);
  }

  /**
   * Adds what is told of an account when it is exported, under a name of its own.
   * @throws Error when another part has the name
   */
  alsoExport(name: string, reading: Reading): void {
    if (this.readings.has(name)) throw new Error(`a part called ${name} is exported already`);
    this.readings.set(name, reading);
  }

  /** What was added, by name: the text of a JSON object, in pieces of a row. */
  async *read(tx: Tx, accountId: string, reader: ExportReader): AsyncGenerator<string> {
    let before = '{';
    for (const [name, reading] of this.readings) {
      const part = await reading(tx, accountId, reader);
      if (part === undefined) continue;
      yield `${before}\n${JSON.stringify(name)}: `;
      before = ',';
      if (isList(part)) yield* listOf(part);
      else yield JSON.stringify(part);
    }
    yield '\n}\n';
  }

  /** Of an account that `tx` holds. What was added last may stand on what was added before: it goes first. */
  async remove(tx: Tx, accountId: string): Promise<void> {
    for (const removal of this.removals.toReversed()) await removal(tx, accountId);
  }
}
