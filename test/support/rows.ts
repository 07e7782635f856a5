import type { EntityTarget, ObjectLiteral, QueryDeepPartialEntity } from 'typeorm';
import { Snowflakes } from '../../src/core/snowflake.js';
import { Database } from '../../src/platform/database/database.js';
import type { Gatehouse } from './gatehouse.js';

/** What the default values of a row can use. */
export interface RowContext {
  /** Number of the row, from 1. */
  readonly n: number;
  /** A new Snowflake ID of the service. */
  readonly id: string;
  /** The time of the service. */
  readonly now: Date;
}

/**
 * Creates a function that inserts rows of a table that a feature owns. `defaults` returns the properties that a test does
 * not set.
 *
 * @example const newNote = rowFactory(Note, ({ n, id, now }) => ({ id, text: `note ${n}`, createdAt: now }));
 *   const note = await newNote(service, { ownerId: alice.id });
 */
export function rowFactory<Row extends ObjectLiteral>(
  entity: EntityTarget<Row>,
  defaults: (context: RowContext) => Partial<NoInfer<Row>>,
): (service: Gatehouse, values?: Partial<Row>) => Promise<Row> {
  let n = 0;
  return async (service, values) => {
    const { manager } = service.app.get(Database);
    const context = { n: ++n, id: service.app.get(Snowflakes).next(), now: service.clock.date() };
    const row = { ...defaults(context), ...values };
    const { generatedMaps } = await manager.insert(entity, row as QueryDeepPartialEntity<Row>);
    return { ...row, ...generatedMaps[0] } as Row;
  };
}
