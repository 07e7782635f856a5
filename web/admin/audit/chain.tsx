import { formatDateTime, t } from '../../core/language.js';
import { Notice } from '../../kit/notice.js';
import type { Chain } from './entry.js';

function chainStateText({ state, verified_at: at, entries, broken_at: position }: Chain): string {
  const time = at ? formatDateTime(at) : '';
  if (state === 'broken') return t('adminAudit.chainBroken', { position: position ?? 0, time });
  if (state === 'intact') return t('adminAudit.chainIntact', { count: entries ?? 0, time });
  return t('adminAudit.chainUnverified');
}

const KINDS = { broken: 'bad', intact: 'good', unverified: 'warn' } as const;

/** Shows whether log entries were changed outside the service. */
export const ChainState = ({ of }: { readonly of: Chain }) => (
  <Notice kind={KINDS[of.state]} isAnnounced={of.state === 'broken'}>
    <p>{chainStateText(of)}</p>
  </Notice>
);
