import { type Abstract, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { StartError } from '../core/config/start-error.js';
import { Database, type Tx } from '../platform/database/database.js';
import { streamRows } from '../platform/database/rows.js';
import type { DataEraser, ErasureDeclaration, ExportDeclaration, ExportReader } from '../policy/account-data.js';
import { FeatureRegistry, undeclaredTableFault } from '../policy/feature-registry.js';

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

/** Exports and erases the data that features store about an account, including bot accounts. */
@Injectable()
export class AccountDataRegistry implements OnApplicationBootstrap {
  constructor(
    private readonly modules: ModuleRef,
    private readonly features: FeatureRegistry,
    private readonly database: Database,
  ) {}

  /**
   * Stops the start if a declared provider is in no module, or if an extension has a table that it does not declare.
   * @throws StartError
   */
  async onApplicationBootstrap(): Promise<void> {
    await this.assertTablesDeclared();
    for (const part of this.features.exports.values()) if ('exporter' in part) this.providerOf(part.exporter);
    for (const table of this.features.erasure.values()) if ('eraser' in table) this.providerOf(table.eraser);
  }

  /** Finds tables that the migrations of an extension create without an entity. */
  private async assertTablesDeclared(): Promise<void> {
    const names = this.features.extensionFeatures.map(({ name }) => name);
    if (names.length === 0) return;
    const rows = await this.database.manager.query<{ table_name: string }[]>(
      "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'",
    );
    const faults = rows
      .map(({ table_name: table }) => table)
      .filter((table) => names.some((name) => table === name || table.startsWith(`${name}_`)))
      .filter((table) => !this.features.erasure.has(table))
      .map(undeclaredTableFault);
    if (faults.length > 0) throw new StartError(`Invalid features:\n${faults.join('\n')}`);
  }

  /** Yields the text of a JSON object with all parts by name, row by row. */
  async *exportAll(tx: Tx, accountId: string, reader: ExportReader): AsyncGenerator<string> {
    let before = '{';
    for (const [name, declaration] of this.features.exports) {
      const part = await this.read(tx, declaration, accountId, reader);
      if (part === undefined) continue;
      yield `${before}\n${JSON.stringify(name)}: `;
      before = ',';
      if (isList(part)) yield* listOf(part);
      else yield JSON.stringify(part);
    }
    yield '\n}\n';
  }

  private async read(tx: Tx, part: ExportDeclaration, accountId: string, reader: ExportReader): Promise<unknown> {
    if ('exporter' in part) return this.providerOf(part.exporter).export(tx, accountId, reader);
    const select = typeof part.select === 'string' ? part.select : part.select[reader];
    if (select === undefined || !part.isSingle) return select && streamRows(tx, select, [accountId]);
    const [row] = await tx.query<Record<string, unknown>[]>(select, [accountId]);
    return row ?? null;
  }

  /**
   * Deletes the data of an account that `tx` has locked. The last feature comes first, because its data may refer to
   * data of earlier features.
   */
  async eraseAll(tx: Tx, accountId: string): Promise<void> {
    const erased = new Set<unknown>();
    for (const { erasure = {} } of this.features.features.toReversed()) {
      for (const [table, declaration] of Object.entries(erasure)) {
        if ('eraser' in declaration && erased.has(declaration.eraser)) continue;
        if ('eraser' in declaration) erased.add(declaration.eraser);
        await this.erase(tx, table, declaration, accountId);
      }
    }
  }

  private async erase(tx: Tx, table: string, declaration: ErasureDeclaration, accountId: string): Promise<void> {
    if ('eraser' in declaration) await this.providerOf<DataEraser>(declaration.eraser).erase(tx, accountId);
    if ('column' in declaration)
      await tx.query<unknown>(`DELETE FROM "${table}" WHERE "${declaration.column}" = $1`, [accountId]);
  }

  private providerOf<T>(type: Abstract<T>): T {
    return this.modules.get<T>(type, { strict: false });
  }
}
