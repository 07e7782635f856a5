import { Database } from '../../src/platform/database/database.js';
import type { Gatehouse } from '../support/gatehouse.js';

/**
 * Returns the names of the prepared statements that `work` sends, in order. Only names with this prefix are included.
 */
export async function recordStatementNames(
  service: Gatehouse,
  prefix: string,
  work: () => PromiseLike<unknown>,
): Promise<string[]> {
  const database = service.app.get(Database);
  const ask = database.statement as (this: Database, name: string, ...more: unknown[]) => Promise<never[]>;
  const names: string[] = [];
  database.statement = (name, ...more) => {
    names.push(name);
    return ask.call(database, name, ...more);
  };
  try {
    await work();
  } finally {
    Reflect.deleteProperty(database, 'statement');
  }
  return names.filter((name) => name.startsWith(prefix));
}
