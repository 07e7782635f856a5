import { api } from '../../core/api.js';
import { withRetry } from '../../core/with-retry.js';
import type { Filters } from './addresses.js';
import type { Entry } from './entry.js';

/** Maximum number of entries per request. */
const STEP = 200;

/** Text that a spreadsheet would interpret as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** A CSV cell (RFC 4180), escaped so that spreadsheets do not evaluate it. */
export function cellOf(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const nameOf = (summary: Entry['admin_user']): string =>
  summary ? `${summary.username}#${summary.discriminator}` : '';

const COLUMNS: Readonly<Record<string, (entry: Entry) => string>> = {
  log_id: ({ log_id }) => log_id,
  created_at: ({ created_at }) => created_at,
  action: ({ action }) => action,
  admin_user_id: ({ admin_user_id }) => admin_user_id,
  admin_user: ({ admin_user }) => nameOf(admin_user),
  api_key_id: ({ api_key_id }) => api_key_id ?? '',
  target_type: ({ target_type }) => target_type,
  target_id: ({ target_id }) => target_id,
  target_user: ({ target_user }) => nameOf(target_user),
  audit_log_reason: ({ audit_log_reason }) => audit_log_reason ?? '',
  client_ip: ({ client_ip }) => client_ip ?? '',
  request_id: ({ request_id }) => request_id,
  metadata: ({ metadata }) => JSON.stringify(metadata),
};

const row = (cells: readonly string[]): string => `${cells.map(cellOf).join(',')}\r\n`;

interface Form {
  readonly ending: string;
  readonly type: string;
  readonly head: string;
  readonly line: (entry: Entry) => string;
}

export const FORMS = {
  csv: {
    ending: 'csv',
    type: 'text/csv;charset=utf-8',
    head: row(Object.keys(COLUMNS)),
    line: (entry) => row(Object.values(COLUMNS).map((cell) => cell(entry))),
  },
  lines: {
    ending: 'jsonl',
    type: 'application/jsonl',
    head: '',
    line: (entry) => `${JSON.stringify(entry)}\n`,
  },
} as const satisfies Record<string, Form>;

export interface Progress {
  readonly done: number;
  readonly total: number;
  /** Seconds to wait for the rate limit. */
  readonly waits: number;
}

/**
 * Collects all entries that match the filters, newest first. Only the last page is kept as text; earlier ones are
 * blobs.
 */
export async function fetchAllEntries(
  filters: Filters,
  { head, line, type }: Form,
  signal: AbortSignal,
  tell: (progress: Progress) => void,
): Promise<Blob> {
  const parts: Blob[] = [new Blob([head])];
  let progress: Progress = { done: 0, total: 0, waits: 0 };
  const note = (more: Partial<Progress>) => {
    progress = { ...progress, ...more };
    tell(progress);
  };
  for (let before: string | undefined; ; ) {
    const query = { ...filters, limit: STEP, ...(before === undefined ? {} : { before }) };
    const ask = () => api.get('/v1/admin/audit-logs', { query, signal });
    const { logs, total } = await withRetry(ask, signal, (waits) => note({ waits }));
    parts.push(new Blob([logs.map(line).join('')]));
    const done = progress.done + logs.length;
    note({ done, total: Math.max(total, done) });
    before = logs.at(-1)?.log_id;
    if (logs.length < STEP) return new Blob(parts, { type });
  }
}
