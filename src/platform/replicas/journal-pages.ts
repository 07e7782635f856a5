import {
  firstBytes,
  type JournalRow,
  PAGE_BYTES,
  PAGE_ROWS,
  type RunStatement,
  STORED,
  type StoredEntry,
  toJournalRow,
} from './journal.js';

const ROWS_OF_TOPICS = `
  SELECT ${STORED} FROM journal WHERE id > $1 AND topic = ANY ($2::text[]) ORDER BY id LIMIT $3::int`;

/** Whether the last entries up to an ID are newer than a time. Then the journal is not the one of that time. */
const HAS_OTHER_HISTORY = `
  SELECT EXISTS (
    SELECT FROM (SELECT created_at FROM journal WHERE id <= $1 ORDER BY id DESC LIMIT 100) AS last
    WHERE created_at > to_timestamp($2::float8)) AS found`;

/** A position of the journal and the time in seconds since 1970 at which it was reached. */
export interface PastPosition {
  readonly id: number;
  readonly seconds: number;
}

/**
 * Returns the entries of some topics after a position in ID order, up to a limit; null if the journal has another
 * history.
 */
export async function readEntriesAfter(
  ask: RunStatement,
  { id, seconds }: PastPosition,
  topics: readonly string[],
  limit: number,
): Promise<readonly JournalRow[] | null> {
  const [other] = await ask<{ found: boolean }>('journal-other-history', HAS_OTHER_HISTORY, [id, seconds]);
  if (other?.found !== false) return null;
  return (await ask<StoredEntry>('journal-topics', ROWS_OF_TOPICS, [id, topics, limit])).map(toJournalRow);
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
