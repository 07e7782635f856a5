import type { Changed, Tx } from '../database/database.js';
import type { LastStatement } from '../database/last-statement.js';

/** An entry of the journal that all replicas read. */
export interface JournalEntry {
  readonly topic: string;
  readonly data: Record<string, unknown>;
  /** The account of an event. Events of one account have consecutive numbers in commit order. */
  readonly accountId: string | null;
}

/** An entry with serialized data, so that only the database can still reject it. */
export interface SerializedEntry extends JournalEntry {
  readonly text: string;
}

export interface JournalRow extends JournalEntry {
  readonly id: number;
  /** Null if it is not an event of an account. */
  readonly number: number | null;
  /** The name that the writing process gave its transaction. */
  readonly origin: string | null;
  /** Size of the serialized data. */
  readonly bytes: number;
  /** When its transaction started, in microseconds as PostgreSQL prints it. */
  readonly createdAt: string;
}

/** Distinguishes an entry from one with the same ID in another copy of the database. */
type EntryMark = Pick<JournalRow, 'id' | 'createdAt' | 'origin'>;

/** Retention of journal entries in milliseconds. A replica that has not read for longer has missed entries. */
export const JOURNAL_RETENTION_MS = 300_000;
/** After this time without an entry, one without a notice is written. */
export const MARKER_INTERVAL_MS = 60_000;
/** Maximum entries of one read. */
const PAGE_ROWS = 1000;
/** A read ends with the entry that reaches this size, so that entries of any number and size fit into memory. */
const PAGE_BYTES = 1024 * 1024;
/** Upper bound for IDs of uncommitted transactions, more than a database has connections. */
const MAX_OPEN_IDS = 1000;
/** Position below every ID, used while the journal is empty. */
const UNKNOWN_POSITION = -1;

/**
 * For entries of one account, by far the most frequent case. The counter row stays locked until the commit, and the
 * entry gets its ID after that lock. Therefore numbers, IDs and commits of an account have the same order.
 */
const APPEND_ENTRY = `
  WITH taken AS (
    INSERT INTO account_event AS a (account_id, number) VALUES ($1, 1)
    ON CONFLICT (account_id) DO UPDATE SET number = a.number + 1
    RETURNING number)
  INSERT INTO journal (account_id, number, topic, data, origin) SELECT $1, number, $2, $3, $4 FROM taken`;

/** Locks several accounts in ascending order, so that concurrent transactions cannot deadlock. */
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

const COLUMNS = 'id, account_id, number, topic, data, origin, created_at';
const STORED = 'id, account_id, number, topic, data::text AS data, origin, created_at::text AS created_at';

/** Returns the first rows of a query that `order` sorts, up to a number of bytes, but at least one. */
const firstBytes = (rows: string, order: string, bytes: string): string => `
  SELECT ${COLUMNS} FROM (
    SELECT *, sum(octet_length(data)) OVER (ORDER BY ${order}) - octet_length(data) AS bytes_before FROM (${rows}) AS found
  ) AS counted WHERE bytes_before < ${bytes}`;

const NEW_ROWS = `
  SELECT ${STORED} FROM journal WHERE id = ANY ($2::bigint[])
  UNION ALL (SELECT ${STORED} FROM journal WHERE id > $1 ORDER BY id LIMIT ${PAGE_ROWS})`;
const NEW_ENTRIES = `${firstBytes(NEW_ROWS, 'id', String(PAGE_BYTES))} ORDER BY id`;

/** IDs that were allocated and not seen: their transactions are still open or were rolled back. */
const OPEN_IDS = `
  SELECT n FROM generate_series(greatest($1::bigint - ${MAX_OPEN_IDS}, (SELECT min(id) FROM journal)), $1::bigint) n
  WHERE NOT EXISTS (SELECT FROM journal WHERE id = n)`;

const LAST_ENTRY = 'SELECT id, created_at::text AS created_at, origin FROM journal ORDER BY id DESC LIMIT 1';

/** Whether an entry that was read is still there, unless it has expired. */
const HAS_ENTRY = `
  SELECT EXISTS (SELECT FROM journal WHERE id = $1 AND created_at = $2::timestamptz AND origin IS NOT DISTINCT FROM $3)
    OR $2::timestamptz < now() - interval '${JOURNAL_RETENTION_MS} milliseconds' AS found`;

const APPEND_MARKER = `
  INSERT INTO journal (topic, data, origin)
  SELECT 'marker', '{}', $1 WHERE NOT EXISTS (
    SELECT FROM (SELECT created_at FROM journal ORDER BY id DESC LIMIT 1) AS last
    WHERE created_at > now() - interval '${MARKER_INTERVAL_MS} milliseconds')`;

const REMOVE_OLD = `
  DELETE FROM journal WHERE created_at < now() - interval '${JOURNAL_RETENTION_MS} milliseconds'
    AND id IN (SELECT id FROM journal ORDER BY id LIMIT $1)`;

/** Runs a statement of the journal. `R` is the type of its rows. */
export type RunStatement = <R>(name: string, text: string, values: unknown[]) => Promise<R[]>;

/** An entry as stored in the database. */
interface StoredEntry {
  readonly id: string;
  readonly account_id: string | null;
  readonly number: string | null;
  readonly topic: string;
  readonly data: string;
  readonly origin: string | null;
  readonly created_at: string;
}

/** Parses the data on first access, because most entries are not relevant for the process that reads them. */
class LazyJournalRow implements JournalRow {
  readonly id: number;
  readonly accountId: string | null;
  readonly number: number | null;
  readonly topic: string;
  readonly origin: string | null;
  readonly bytes: number;
  readonly createdAt: string;
  private parsed: Record<string, unknown> | undefined;

  constructor(private readonly stored: StoredEntry) {
    this.id = Number(stored.id);
    this.accountId = stored.account_id;
    this.number = stored.number === null ? null : Number(stored.number);
    this.topic = stored.topic;
    this.origin = stored.origin;
    this.bytes = Buffer.byteLength(stored.data);
    this.createdAt = stored.created_at;
  }

  get data(): Record<string, unknown> {
    this.parsed ??= JSON.parse(this.stored.data) as Record<string, unknown>;
    return this.parsed;
  }
}

const toJournalRow = (stored: StoredEntry): JournalRow => new LazyJournalRow(stored);

/** Returns the statement that writes the entries of a transaction. */
export function createAppendStatement(
  entries: readonly SerializedEntry[],
  origin: string,
): Omit<LastStatement, 'onFailure'> {
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

/**
 * Writes an entry without a notice if there was none for a while. Its origin is random, so that every process knows an
 * entry that a restored database lacks.
 */
export const appendMarker = (ask: RunStatement, origin: string): Promise<unknown[]> =>
  ask('journal-marker', APPEND_MARKER, [origin]);

/** Removes expired entries, oldest first. Returns their number. */
export async function removeExpiredEntries(tx: Tx, limit: number): Promise<number> {
  const [, count] = await tx.query<Changed>(REMOVE_OLD, [limit]);
  return count;
}

/**
 * Reads new entries in ID order, which for each account is commit order. An ID can become visible before a lower one
 * whose transaction takes longer. The lower ID is requested again until it appears or can no longer appear.
 */
export class JournalReader {
  private position = UNKNOWN_POSITION;
  /** The entry at the position, with which the database is recognized. */
  private lastEntry: EntryMark | undefined;
  private rememberedAt = Number.NEGATIVE_INFINITY;
  private readonly openIds = new Map<number, number>();

  constructor(private readonly now: () => number) {}

  /** Starts after the last existing entry. */
  async start(ask: RunStatement): Promise<void> {
    this.remember(await readLastEntry(ask));
    this.position = this.lastEntry?.id ?? UNKNOWN_POSITION;
    this.openIds.clear();
    const rows = await ask<{ n: string }>('journal-open', OPEN_IDS, [this.position]);
    for (const { n } of rows) this.openIds.set(Number(n), this.now());
  }

  /**
   * Whether the database has lost entries that were read. Then the last one is no longer there, or another one has its
   * ID.
   */
  async hasLostEntries(ask: RunStatement): Promise<boolean> {
    const { lastEntry } = this;
    if (!lastEntry) return false;
    const { id, createdAt, origin } = lastEntry;
    const [row] = await ask<{ found: boolean }>('journal-has', HAS_ENTRY, [id, createdAt, origin]);
    if (row?.found === false) return true;
    const last = await readLastEntry(ask);
    if (last) return last.id < this.position;
    // The journal is empty, so no entry is unread whatever IDs come next.
    this.position = UNKNOWN_POSITION;
    this.lastEntry = undefined;
    this.openIds.clear();
    return false;
  }

  /** Reads the next page of entries. `isAll` means that there are no more. */
  async read(ask: RunStatement): Promise<{ rows: JournalRow[]; isAll: boolean }> {
    const found = await ask<StoredEntry>('journal-read', NEW_ENTRIES, [this.position, [...this.openIds.keys()]]);
    const rows = found.map(toJournalRow);
    let fresh = 0;
    let size = 0;
    let newest: JournalRow | undefined;
    for (const row of rows) {
      const { id, bytes } = row;
      size += bytes;
      if (this.openIds.delete(id)) continue;
      fresh++;
      this.trackSkippedIds(id);
      this.position = id;
      newest = row;
    }
    if (newest) this.remember(newest);
    this.dropExpiredIds();
    return { rows, isAll: fresh < PAGE_ROWS && size < PAGE_BYTES };
  }

  /** Whether the last entry is so old that a new one should be written before it expires. */
  get needsMarker(): boolean {
    return !this.lastEntry || this.now() - this.rememberedAt > MARKER_INTERVAL_MS;
  }

  private remember(entry: EntryMark | undefined): void {
    this.lastEntry = entry && { id: entry.id, createdAt: entry.createdAt, origin: entry.origin };
    this.rememberedAt = this.now();
  }

  private trackSkippedIds(id: number): void {
    if (this.position === UNKNOWN_POSITION) return;
    const first = Math.max(this.position + 1, id - MAX_OPEN_IDS);
    for (let skipped = first; skipped < id; skipped++) this.openIds.set(skipped, this.now());
  }

  private dropExpiredIds(): void {
    for (const [id, since] of this.openIds) {
      if (since > this.now() - JOURNAL_RETENTION_MS) return;
      this.openIds.delete(id);
    }
  }
}

async function readLastEntry(ask: RunStatement): Promise<EntryMark | undefined> {
  const [row] = await ask<Pick<StoredEntry, 'id' | 'created_at' | 'origin'>>('journal-last', LAST_ENTRY, []);
  return row && { id: Number(row.id), createdAt: row.created_at, origin: row.origin };
}

/** Returns the number of the last event of each account that has events. */
export async function readLastEventNumbers(
  ask: RunStatement,
  accountIds: readonly string[],
): Promise<Map<string, number>> {
  const text = 'SELECT account_id, number FROM account_event WHERE account_id = ANY ($1::bigint[])';
  const rows = await ask<{ account_id: string; number: string }>('journal-numbers', text, [accountIds]);
  return new Map(rows.map(({ account_id, number }) => [account_id, Number(number)]));
}

/** An account, and the number of its last known event. */
export type EventPosition = readonly [accountId: string, number: number];

/** Consecutive events of an account. */
export interface EventPage {
  readonly rows: readonly JournalRow[];
  /** Whether there are no later events. */
  readonly isLast: boolean;
}

const ACCOUNT_ROWS = `
  SELECT ${STORED} FROM journal WHERE account_id = p.account_id AND number > p.number ORDER BY number LIMIT ${PAGE_ROWS}`;

const EVENTS_AFTER = `
  SELECT p.place, a.number AS last, j.*
  FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS p (account_id, number, place)
  JOIN account_event a ON a.account_id = p.account_id
  LEFT JOIN LATERAL (${firstBytes(ACCOUNT_ROWS, 'number', '$3::int')}) AS j ON true
  ORDER BY p.place, j.number`;

/**
 * Returns the first events after each position, in order; null if the next event was removed. All positions together
 * share the size of one page.
 */
export async function readEventsAfter(
  ask: RunStatement,
  places: readonly EventPosition[],
): Promise<(EventPage | null)[]> {
  const rows = await ask<{ place: string; last: string } & (StoredEntry | { id: null })>(
    'journal-after',
    EVENTS_AFTER,
    [places.map(([accountId]) => accountId), places.map(([, number]) => number), Math.ceil(PAGE_BYTES / places.length)],
  );
  const found = places.map((): typeof rows => []);
  for (const row of rows) found[Number(row.place) - 1]?.push(row);
  return found.map((some, place) => {
    const number = places[place]?.[1] ?? 0;
    const last = Number(some[0]?.last ?? 0);
    const events = some.filter((row) => row.id !== null).map(toJournalRow);
    const reached = number + events.length;
    const isWhole = events.every((event, n) => event.number === number + 1 + n);
    const isLast = reached === last;
    return isWhole && (isLast || events.length > 0) ? { rows: events, isLast } : null;
  });
}
