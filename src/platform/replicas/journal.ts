import type { ChangeResult, Tx } from '../database/database.js';
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
export const PAGE_ROWS = 1000;
/** A read ends with the entry that reaches this size, so that entries of any number and size fit into memory. */
export const PAGE_BYTES = 1024 * 1024;
/** Upper bound for IDs of uncommitted transactions. A transaction has one for each of its entries. */
const MAX_OPEN_IDS = 10_000;
/** Entries are kept longer than the retention by the longest transaction, because they have the time of its start. */
const REMOVAL_DELAY_MS = 30_000;
/** Position below every ID, before the first read. */
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
export const STORED = 'id, account_id, number, topic, data::text AS data, origin, created_at::text AS created_at';

/** Returns the first rows of a query that `order` sorts, up to a number of bytes, but at least one. */
export const firstBytes = (rows: string, order: string, bytes: string): string => `
  SELECT ${COLUMNS} FROM (
    SELECT *, sum(octet_length(data)) OVER (ORDER BY ${order}) - octet_length(data) AS bytes_before FROM (${rows}) AS found
  ) AS counted WHERE bytes_before < ${bytes}`;

const NEW_ROWS = `
  SELECT ${STORED} FROM journal WHERE id = ANY ($2::bigint[])
  UNION ALL (SELECT ${STORED} FROM journal WHERE id > $1 ORDER BY id LIMIT ${PAGE_ROWS})`;
const NEW_ENTRIES = `${firstBytes(NEW_ROWS, 'id', String(PAGE_BYTES))} ORDER BY id`;

/**
 * The last entry, if there is one, the last allocated ID, and the IDs up to it without an entry. The transactions of
 * these IDs are open, were rolled back, or wrote entries that have expired. Without the right to read the sequence, an
 * empty journal has the position 0.
 */
const POSITION = `
  WITH last AS (SELECT id, created_at::text AS created_at, origin FROM journal ORDER BY id DESC LIMIT 1),
    top AS (
      SELECT coalesce((SELECT id FROM last), CASE
        WHEN has_sequence_privilege(to_regclass('journal_id_seq'), 'USAGE, SELECT')
        THEN pg_sequence_last_value(to_regclass('journal_id_seq')) END, 0) AS position)
  SELECT position, last.*, ARRAY(
    SELECT n FROM generate_series(greatest(position - ${MAX_OPEN_IDS}, 1), position) n
    WHERE NOT EXISTS (SELECT FROM journal WHERE id = n) ORDER BY n) AS open
  FROM top LEFT JOIN last ON true`;

/**
 * The open transactions that may have allocated an ID. PostgreSQL takes the lock before the statement allocates its
 * first ID, and releases it after the commit.
 */
const WRITERS = `
  SELECT virtualtransaction AS writer FROM pg_locks
  WHERE relation = to_regclass('journal') AND mode = 'RowExclusiveLock' AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

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
  DELETE FROM journal WHERE created_at < now() - interval '${JOURNAL_RETENTION_MS + REMOVAL_DELAY_MS} milliseconds'
    AND id IN (SELECT id FROM journal ORDER BY id LIMIT $1)`;

/** Runs a statement of the journal. `R` is the type of its rows. */
export type RunStatement = <R>(name: string, text: string, values: unknown[]) => Promise<R[]>;

/** An entry as stored in the database. */
export interface StoredEntry {
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

export const toJournalRow = (stored: StoredEntry): JournalRow => new LazyJournalRow(stored);

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
  const [, count] = await tx.query<ChangeResult>(REMOVE_OLD, [limit]);
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
  /** Missing IDs up to the position in ascending order, with the time at which they were found. */
  private readonly openIds = new Map<number, number>();
  /** Missing IDs, and the transactions of that time that are still open. */
  private unresolved: { readonly ids: readonly number[]; writers: ReadonlySet<string> } | undefined;

  constructor(private readonly now: () => number) {}

  /** Starts after the last existing entry. */
  async start(ask: RunStatement): Promise<void> {
    this.adopt(await readPosition(ask));
  }

  private adopt({ position, last, open }: Position): void {
    this.remember(last);
    this.position = position;
    this.openIds.clear();
    this.unresolved = undefined;
    for (const id of open) this.openIds.set(id, this.now());
  }

  /** The highest ID below which no transaction is open. Every entry up to it was read. -1 before the first read. */
  get mark(): number {
    const [lowest] = this.openIds.keys();
    return lowest === undefined ? this.position : lowest - 1;
  }

  /**
   * Finds missing IDs whose transactions have ended. Call it before a read, and pass its result to the read. What the
   * read does not find then will never appear.
   */
  async findEnded(ask: RunStatement): Promise<readonly number[]> {
    if (this.openIds.size === 0) return [];
    const rows = await ask<{ writer: string }>('journal-writers', WRITERS, []);
    const open = new Set(rows.map(({ writer }) => writer));
    this.unresolved ??= { ids: [...this.openIds.keys()], writers: open };
    this.unresolved.writers = new Set([...this.unresolved.writers].filter((writer) => open.has(writer)));
    if (this.unresolved.writers.size > 0) return [];
    const { ids } = this.unresolved;
    this.unresolved = undefined;
    return ids;
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
    const current = await readPosition(ask);
    if (current.last) return current.last.id < id;
    // All entries have expired, so none is unread.
    this.adopt(current);
    return false;
  }

  /**
   * Reads the next page of entries. `isAll` means that there are no more.
   * @param ended missing IDs from `findEnded`
   */
  async read(ask: RunStatement, ended: readonly number[] = []): Promise<{ rows: JournalRow[]; isAll: boolean }> {
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
    const isAll = fresh < PAGE_ROWS && size < PAGE_BYTES;
    if (isAll) for (const id of ended) this.openIds.delete(id);
    this.dropExpiredIds();
    return { rows, isAll };
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

interface Position {
  readonly position: number;
  readonly last: EntryMark | undefined;
  readonly open: readonly number[];
}

async function readPosition(ask: RunStatement): Promise<Position> {
  type Row = { position: string; open: string[] } & (StoredEntry | { id: null });
  const [row] = await ask<Row>('journal-position', POSITION, []);
  if (!row) throw new Error('The position of the journal was not found');
  const last = row.id === null ? undefined : { id: Number(row.id), createdAt: row.created_at, origin: row.origin };
  return { position: Number(row.position), last, open: row.open.map(Number) };
}
