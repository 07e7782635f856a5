import { Injectable } from '@nestjs/common';
import type { Tx } from '../platform/database/database.js';

/** Deletes the data that one module stores about an account. */
export type DataEraser = (tx: Tx, accountId: string) => Promise<void>;

/** Who receives an export. The account owner does not see what administrators wrote or looked up. */
export type ExportReader = 'owner' | 'operator';

/**
 * Reads the data that one module stores about an account, as JSON without secrets, digests and keys. Return data that
 * can grow as an iterable (see `streamRows`): it becomes a JSON array without being loaded into memory completely.
 * `undefined` omits the part.
 */
export type DataExporter = (tx: Tx, accountId: string, reader: ExportReader) => unknown;

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

/** Registry of the data that modules store about an account, including bot accounts. */
@Injectable()
export class AccountDataRegistry {
  private readonly erasers: DataEraser[] = [];
  private readonly exporters = new Map<string, DataExporter>();

  /** Registers data to delete with an account, before the account is erased or handed over. */
  registerEraser(removal: DataEraser): void {
    this.erasers.push(removal);
  }

  /**
   * Registers data to export with an account, under a unique name.
   * @throws Error if the name is taken
   */
  registerExporter(name: string, reading: DataExporter): void {
    if (this.exporters.has(name)) throw new Error(`a part called ${name} is exported already`);
    this.exporters.set(name, reading);
  }

  /** Yields the text of a JSON object with all parts by name, row by row. */
  async *exportAll(tx: Tx, accountId: string, reader: ExportReader): AsyncGenerator<string> {
    let before = '{';
    for (const [name, reading] of this.exporters) {
      const part = await reading(tx, accountId, reader);
      if (part === undefined) continue;
      yield `${before}\n${JSON.stringify(name)}: `;
      before = ',';
      if (isList(part)) yield* listOf(part);
      else yield JSON.stringify(part);
    }
    yield '\n}\n';
  }

  /**
   * Deletes the data of an account that `tx` has locked. Registered last, deleted first, because later data may refer
   * to earlier data.
   */
  async eraseAll(tx: Tx, accountId: string): Promise<void> {
    for (const removal of this.erasers.toReversed()) await removal(tx, accountId);
  }
}
