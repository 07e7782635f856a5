import type { paths, ResponseBody } from '@gatehouse-auth/client';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { download } from '../../core/download.js';
import { t } from '../../core/language.js';
import { withRetry } from '../../core/with-retry.js';
import { Button } from '../../kit/button.js';
import { FailureNotice } from '../../kit/notice.js';
import { toast } from '../../kit/toast.js';
import { Running } from '../audit/export.js';
import { cellOf, type Progress } from '../audit/saving.js';
import type { AdminUser } from '../rights.js';
import { listQuery } from './filters.js';
import { statesOf } from './states.js';

/** Maximum number of accounts per request. */
const STEP = 100;
const TYPE = 'text/csv;charset=utf-8';

const COLUMNS: Readonly<Record<string, (user: AdminUser) => string>> = {
  id: ({ id }) => id,
  username: ({ username, discriminator }) => `${username}#${discriminator}`,
  global_name: ({ global_name: name }) => name ?? '',
  email: ({ email }) => email ?? '',
  email_verified: ({ email, email_verified: is }) => (email === null ? '' : String(is)),
  state: (user) => statesOf(user).join(' '),
  second_factor: ({ authenticator_types: types }) => String(types.length > 0),
  sso_linked: ({ sso_linked: is }) => String(is),
  created_at: ({ created_at: at }) => at,
  last_active_at: ({ last_active_at: at }) => at ?? '',
};

type Page = ResponseBody<paths, '/v1/admin/users', 'get'>;

const row = (cells: readonly string[]): string => `${cells.map(cellOf).join(',')}\r\n`;

/** Collects all accounts of the list, from its first page. Earlier pages are kept as blobs. */
async function fetchAll(signal: AbortSignal, tell: (progress: Progress) => void): Promise<Blob> {
  const parts = [new Blob([row(Object.keys(COLUMNS))])];
  // The file begins with the first page, whichever page is shown.
  const { cursor: _, ...filters } = { cursor: '', ...listQuery() };
  let progress: Progress = { done: 0, total: 0, waits: 0 };
  const note = (more: Partial<Progress>) => {
    progress = { ...progress, ...more };
    tell(progress);
  };
  let cursor: string | null = null;
  do {
    const query = 'user_id' in filters ? filters : { ...filters, limit: STEP, ...(cursor ? { cursor } : {}) };
    const ask = (): Promise<Page> => api.get('/v1/admin/users', { query, signal });
    const page: Page = await withRetry(ask, signal, (waits) => note({ waits }));
    const lines = page.users.map((user) => row(Object.values(COLUMNS).map((cell) => cell(user))));
    parts.push(new Blob([lines.join('')]));
    const done = progress.done + page.users.length;
    note({ done, total: Math.max(page.total, done) });
    cursor = page.next_cursor;
  } while (cursor !== null);
  return new Blob(parts, { type: TYPE });
}

/** Exports all accounts of the list as a file. */
export function Export() {
  const progress = useSignal<Progress | null>(null);
  const running = useRef(new AbortController());
  const action = useAction(async () => {
    running.current = new AbortController();
    const { signal } = running.current;
    progress.value = { done: 0, total: 0, waits: 0 };
    try {
      const tell = (next: Progress) => {
        progress.value = next;
      };
      const file = await fetchAll(signal, tell);
      download(`accounts-${new Date().toISOString().slice(0, 10)}.csv`, TYPE, file);
      toast(t('adminPeople.exported', { count: progress.value?.done ?? 0 }));
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      progress.value = null;
    }
  });
  const cancel = () => running.current.abort();
  useEffect(() => cancel, []);
  return (
    <div class="stack">
      <div>
        <Button kind="plain" size="small" action={action}>
          {t('adminAudit.exportCsv')}
        </Button>
      </div>
      {progress.value && <Running of={progress.value} onCancel={cancel} />}
      <FailureNotice of={action} />
    </div>
  );
}
