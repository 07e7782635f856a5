import type { Changed, Tx } from '../database/database.js';
import type { LastStatement } from '../database/last-statement.js';

/** What is written for all replicas to read. */
export interface Entry {
  readonly topic: string;
  readonly data: Record<string, unknown>;
  /** Whose event it is: those of one account have numbers without a gap, in the order of their commits. */
  readonly accountId: string | null;
}

/** An entry with its data as it is written: nothing but the database can refuse it any more. */
export interface WrittenEntry extends Entry {
  readonly text: string;
}

export interface JournalRow extends Entry {
  readonly id: number;
  /** Null for what is no event of an account. */
  readonly number: number | null;
  /** What the process that wrote it knows its transaction by. */
  readonly origin: string | null;
}

/** How long entries are kept, in milliseconds: whoever heard nothing for longer has missed something. */
export const KEPT_MS = 300_000;
const READ_AT_ONCE = 1000;
/** How many ids may be on their way at once, at most: more than a database has connections. */
const MAX_OPEN = 1000;
/** Below every id: where the journal is empty, nobody knows which ids there were. */
const UNKNOWN = -1;

/**
 * One account, by far the most frequent case. The row of the number stays locked until the commit, and only then the entry
 * gets its id: for one account numbers, ids and commits have one order.
 */
const APPEND_ENTRY = `
  WITH taken AS (
    INSERT INTO account_event AS a (account_id, number) VALUES ($1, 1)
    ON CONFLICT (account_id) DO UPDATE SET number = a.number + 1
    RETURNING number)
  INSERT INTO journal (account_id, number, topic, data, origin) SELECT $1, number, $2, $3, $4 FROM taken`;

/** Several accounts are locked in the order of their ids, so that nobody waits for somebody who waits for him. */
const APPEND_ENTRIES = `
  WITH entry AS (
    SELECT * FROM ROWS FROM (json_to_recordset($1) AS (account_id bigint, topic text, data json))
      WITH ORDINALITY AS e (account_id, topic, data, place)
  ), taken AS (
    INSERT INTO account_event AS a (account_id, number)
    SELECT account_id, count(*) FROM entry WHERE account_id IS NOT NULL GROUP BY account_id ORDER BY account_id
    ON CONFLICT (account_id) DO UPDATE SET number = a.number + excluded.number
    RETURNING account_id, number
  )
  INSERT INTO journal (account_id, number, topic, data, origin)
  SELECT e.account_id, t.number + 1 - row_number() OVER (PARTITION BY e.account_id ORDER BY e.place DESC), e.topic, e.data, $2
  FROM entry e LEFT JOIN taken t USING (account_id) ORDER BY e.place`;

const COLUMNS = 'id, account_id, number, topic, data::text, origin';

const NEW_ENTRIES = `
  SELECT ${COLUMNS} FROM journal WHERE id = ANY ($2::bigint[])
  UNION ALL (SELECT ${COLUMNS} FROM journal WHERE id > $1 ORDER BY id LIMIT ${READ_AT_ONCE})`;

/** Ids that were drawn and not seen: their transactions have not ended, or came to nothing. */
const OPEN_IDS = `
  SELECT n FROM generate_series(greatest($1::bigint - ${MAX_OPEN}, (SELECT min(id) FROM journal)), $1::bigint) n
  WHERE NOT EXISTS (SELECT FROM journal WHERE id = n)`;

const REMOVE_OLD = `
  DELETE FROM journal WHERE created_at < now() - interval '${KEPT_MS} milliseconds'
    AND id IN (SELECT id FROM journal ORDER BY id LIMIT $1)`;

/** Runs a statement of the journal. Who reads its rows says what they are. */
export type Ask = <R>(name: string, text: string, values: unknown[]) => Promise<R[]>;

/** An entry as it is stored. */
interface StoredEntry {
  readonly id: string;
  readonly account_id: string | null;
  readonly number: string | null;
  readonly topic: string;
  readonly data: string;
  readonly origin: string | null;
}

/** Most entries concern nobody in the process that reads them: what they say is parsed when it is asked for. */
class ReadEntry implements JournalRow {
  readonly id: number;
  readonly accountId: string | null;
  readonly number: number | null;
  readonly topic: string;
  readonly origin: string | null;
  private parsed: Record<string, unknown> | undefined;

  constructor(private readonly stored: StoredEntry) {
    this.id = Number(stored.id);
    this.accountId = stored.account_id;
    this.number = stored.number === null ? null : Number(stored.number);
    this.topic = stored.topic;
    this.origin = stored.origin;
  }

  get data(): Record<string, unknown> {
    this.parsed ??= JSON.parse(this.stored.data) as Record<string, unknown>;
    return this.parsed;
  }
}

const rowOf = (stored: StoredEntry): JournalRow => new ReadEntry(stored);

/** What writes the entries of a transaction, as its last statement. */
export function appending(entries: readonly WrittenEntry[], origin: string): Omit<LastStatement, 'failed'> {
  const [first, ...more] = entries;
  if (more.length === 0 && first?.accountId) {
    const values = [first.accountId, first.topic, first.text, origin];
    return { name: 'journal_append_one', text: APPEND_ENTRY, values };
  }
  const written = entries.map(
    ({ accountId, topic, text }) =>
      `{"account_id":${JSON.stringify(accountId)},"topic":${JSON.stringify(topic)},"data":${text}}`,
  );
  return { name: 'journal_append', text: APPEND_ENTRIES, values: [`[${written.join(',')}]`, origin] };
}

/** Removes what is too old, from the oldest on. Answers how much that was. */
export async function removeOld(tx: Tx, limit: number): Promise<number> {
  const [, count] = await tx.query<Changed>(REMOVE_OLD, [limit]);
  return count;
}

/**
 * Reads what is new, in the order of ids, which for each account is that of its commits. An id can be seen before a lower
 * one whose transaction takes longer: that is asked for again until it is there or cannot come any more.
 */
export class JournalReader {
  private position = UNKNOWN;
  private readonly open = new Map<number, number>();

  constructor(private readonly now: () => number) {}

  /** Begins behind everything that there is. */
  async start(ask: Ask): Promise<void> {
    this.position = await lastId(ask);
    this.open.clear();
    const rows = await ask<{ n: string }>('journal-open', OPEN_IDS, [this.position]);
    for (const { n } of rows) this.open.set(Number(n), this.now());
  }

  /** Whether ids that were read are handed out again: the database has forgotten what it had. */
  async isBehind(ask: Ask): Promise<boolean> {
    const last = await lastId(ask);
    if (last !== UNKNOWN) return last < this.position;
    // Nothing is unread, whatever ids come next.
    this.position = UNKNOWN;
    this.open.clear();
    return false;
  }

  /** The next entries; `isAll`: there are no more. */
  async read(ask: Ask): Promise<{ rows: JournalRow[]; isAll: boolean }> {
    const found = await ask<StoredEntry>('journal-read', NEW_ENTRIES, [this.position, [...this.open.keys()]]);
    const rows = found.map(rowOf).sort((a, b) => a.id - b.id);
    let fresh = 0;
    for (const { id } of rows) {
      if (this.open.delete(id)) continue;
      fresh++;
      this.noteSkipped(id);
      this.position = id;
    }
    this.forgetOld();
    return { rows, isAll: fresh < READ_AT_ONCE };
  }

  private noteSkipped(id: number): void {
    if (this.position === UNKNOWN) return;
    const first = Math.max(this.position + 1, id - MAX_OPEN);
    for (let skipped = first; skipped < id; skipped++) this.open.set(skipped, this.now());
  }

  private forgetOld(): void {
    for (const [id, since] of this.open) {
      if (since > this.now() - KEPT_MS) return;
      this.open.delete(id);
    }
  }
}

async function lastId(ask: Ask): Promise<number> {
  const [row] = await ask<{ last: string | null }>('journal-last', 'SELECT max(id) AS last FROM journal', []);
  return Number(row?.last ?? UNKNOWN);
}

/** The number of the last event of each account that has had one. */
export async function lastNumbers(ask: Ask, accountIds: readonly string[]): Promise<Map<string, number>> {
  const text = 'SELECT account_id, number FROM account_event WHERE account_id = ANY ($1::bigint[])';
  const rows = await ask<{ account_id: string; number: string }>('journal-numbers', text, [accountIds]);
  return new Map(rows.map(({ account_id, number }) => [account_id, Number(number)]));
}

/** An account, and the number of its last event that is known. */
export type Place = readonly [accountId: string, number: number];

const EVENTS_SINCE = `
  SELECT p.place, a.number AS last, j.id, j.account_id, j.number, j.topic, j.data::text, j.origin
  FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS p (account_id, number, place)
  JOIN account_event a ON a.account_id = p.account_id
  LEFT JOIN journal j ON j.account_id = p.account_id AND j.number > p.number
  ORDER BY p.place, j.number`;

/** The events behind each place, whole and in order; null if some of them are gone. */
export async function eventsSince(ask: Ask, places: readonly Place[]): Promise<(JournalRow[] | null)[]> {
  const rows = await ask<{ place: string; last: string } & (StoredEntry | { id: null })>(
    'journal-since',
    EVENTS_SINCE,
    [places.map(([accountId]) => accountId), places.map(([, number]) => number)],
  );
  const found = places.map((): typeof rows => []);
  for (const row of rows) found[Number(row.place) - 1]?.push(row);
  return found.map((some, place) => {
    const number = places[place]?.[1] ?? 0;
    const last = Number(some[0]?.last ?? 0);
    const events = some.filter((row) => row.id !== null).map(rowOf);
    const isWhole = events.length === last - number && events.every((event, n) => event.number === number + 1 + n);
    return isWhole ? events : null;
  });
}
