import { formatAgo, formatDateTime, t } from '../../core/language.js';
import { useCurrentAgo } from '../../kit/ago.js';
import { Notice } from '../../kit/notice.js';
import type { Chain } from './entry.js';

function chainStateText({ state, verified_at: at, entries, broken_at: position }: Chain): string {
  const times = at ? { ago: formatAgo(at), time: formatDateTime(at) } : { ago: '', time: '' };
  if (state === 'broken') return t('adminAudit.chainBroken', { position: position ?? 0, ...times });
  if (state === 'intact') return t('adminAudit.chainIntact', { count: entries ?? 0, ...times });
  return t('adminAudit.chainUnverified');
}

const KINDS = { broken: 'bad', intact: 'good', unverified: 'warn' } as const;

/** Shows whether log entries were changed outside the service, and when that was verified. */
export function ChainState({ of }: { readonly of: Chain }) {
  useCurrentAgo();
  return (
    <Notice kind={KINDS[of.state]} isAnnounced={of.state === 'broken'}>
      <p>{chainStateText(of)}</p>
    </Notice>
  );
}
