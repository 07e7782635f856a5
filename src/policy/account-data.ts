import type { Type } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** Who receives an export. The account owner does not see what administrators wrote or looked up. */
export type ExportReader = 'owner' | 'operator';

/**
 * Reads data of an account, as JSON without secrets, digests and keys. Return data that can grow as an iterable (see
 * `streamRows`): it becomes a JSON array without being loaded into memory completely. `undefined` omits the part.
 */
export interface DataExporter {
  export(tx: EntityManager, accountId: string, reader: ExportReader): unknown;
}

/** Deletes data of an account, in the transaction that erases the account or hands it over to another owner. */
export interface DataEraser {
  erase(tx: EntityManager, accountId: string): Promise<void>;
}

/** A part of the export of an account. */
export type ExportDeclaration =
  | {
      /** A SELECT of the rows of the account `$1`. If readers see different data, one for each of them. */
      readonly select: string | { readonly [R in ExportReader]?: string };
      /** Exports the only row as an object, or `null`. Default: an array of all rows. */
      readonly isSingle?: boolean;
    }
  /** A provider of a module, for data that a SELECT cannot read, such as encrypted columns. */
  | { readonly exporter: Type<DataExporter> };

/** What happens to the rows of a table when their account is erased. */
export type ErasureDeclaration =
  /** Deletes the rows that have the ID of the account in this column. */
  | { readonly column: string }
  /** Deletes the rows with a provider of a module. It runs once, even if several tables name it. */
  | { readonly eraser: Type<DataEraser> }
  /** The rows are deleted with those of another table, for example by a foreign key. */
  | { readonly deletedWith: string }
  /** The rows stay, for this reason. */
  | { readonly kept: string };
