import pg from 'pg';

/** A statement that runs in one round trip with the commit of its transaction. */
export interface LastStatement {
  /** Name of the prepared statement on each connection that runs it, unless connections share sessions. */
  readonly name: string;
  readonly text: string;
  readonly values: readonly string[];
  /** Called if the commit failed or its outcome is unknown. */
  onFailure(): void;
}

interface Connection {
  query(text: string, values?: readonly string[]): Promise<unknown>;
}

const preparedStatements = new WeakMap<Connection, Set<string>>();

/**
 * Runs the statements and commits in one round trip. Their locks are held only until the commit is done. If a statement
 * fails, none after it runs, including the commit.
 */
export async function commitWith(connection: Connection, statements: readonly LastStatement[]): Promise<void> {
  const prepared = preparedStatements.get(connection) ?? new Set();
  preparedStatements.set(connection, prepared);
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

/** The same for connections that share sessions, in which nothing can be prepared. Takes one more round trip for each. */
export async function commitWithUnprepared(
  connection: Connection,
  statements: readonly LastStatement[],
): Promise<void> {
  for (const { text, values } of statements) await connection.query(text, values);
  await connection.query('COMMIT');
}
