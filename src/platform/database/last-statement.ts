import pg from 'pg';

/** The statement with which a transaction ends. */
export interface LastStatement {
  /** Under which it is prepared on each connection that runs it. */
  readonly name: string;
  readonly text: string;
  readonly values: readonly string[];
  /** It was not committed, or nobody knows. */
  failed(): void;
}

interface Connection {
  query(text: string): Promise<unknown>;
}

const preparedOn = new WeakMap<Connection, Set<string>>();

/**
 * Runs statements and commits, as one message: one way to the server and back. What a statement locks is held for no longer
 * than the commit takes; behind one that fails nothing is run, the commit included.
 */
export async function commitWith(connection: Connection, statements: readonly LastStatement[]): Promise<void> {
  const prepared = preparedOn.get(connection) ?? new Set();
  preparedOn.set(connection, prepared);
  for (const { name, text } of statements) {
    if (prepared.has(name)) continue;
    await connection.query(`PREPARE ${name} AS ${text}`);
    prepared.add(name);
  }
  const executions = statements.map(
    ({ name, values }) => `EXECUTE ${name} (${values.map(pg.escapeLiteral).join(', ')})`,
  );
  await connection.query([...executions, 'COMMIT'].join('; '));
}
