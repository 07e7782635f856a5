import { useSignal } from '@preact/signals';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { formatDateTime, rich, t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { FailureNotice } from '../../kit/notice.js';
import { InnerLink } from '../../kit/opened.js';
import { toast } from '../../kit/toast.js';
import { AuditedActionButton, useAuditedAction } from '../parts/audited-action.js';
import { PersonLink } from '../parts/person-link.js';
import { can, me } from '../rights.js';
import { authorOf } from './authors.js';
import type { Ban } from './ban.js';
import { lift } from './forms.js';

interface OfBan {
  readonly ban: Ban;
}

/** Signals are weighted, so scores may be fractions. */
function signalsOf({ signals }: Ban): string {
  if (!signals) return t('adminBans.notCounted');
  const { trigger, rejected_credentials: rejected, windows, score } = signals;
  const points = Math.round(score);
  if (trigger === 'rejected_credentials') return t('adminBans.guessed', { count: rejected, points });
  return t('adminBans.refused', { count: windows, points });
}

function By({ ban: { reason, created_by_user_id: id } }: OfBan) {
  if (reason === 'automatic') return <>{t('adminBans.automatic')}</>;
  if (!id) return <>{t('adminBans.byAdministrator')}</>;
  const author = authorOf(id);
  const words = me.value?.id === id ? 'adminBans.byYou' : author ? 'adminBans.byNamed' : 'adminBans.by';
  return <>{rich(words, { person: <PersonLink id={id} summary={author} /> })}</>;
}

/** Loads the reason of a ban from the audit log on request. */
function Given({ ban: { value } }: OfBan) {
  const given = useSignal<{ readonly reason: string | null } | null>(null);
  const look = useAction(async () => {
    const { logs } = await api.get('/v1/admin/audit-logs', { query: { action: 'ban_ip', ip: value } });
    // The filter also matches operations performed from that IP address.
    const entry = logs.find(({ target_id: target }) => target === value);
    given.value = { reason: entry?.audit_log_reason ?? null };
  });
  const known = given.value;
  return (
    <div role="status">
      <FailureNotice of={look} />
      {!known && (
        <Button kind="bare" size="small" action={look}>
          {t('adminBans.why')}
        </Button>
      )}
      {known && <span class="small">{known.reason ? <q>{known.reason}</q> : t('adminBans.noReason')}</span>}
    </div>
  );
}

/** The author, reason and end of the ban. */
export const About = ({ ban }: OfBan) => (
  <div class="stack tight about">
    <span class="small quiet">
      <By ban={ban} /> · {t('adminBans.since', { time: formatDateTime(ban.created_at) })} ·{' '}
      {ban.expires_at ? t('adminBans.until', { time: formatDateTime(ban.expires_at) }) : t('adminBans.noEnd')}
    </span>
    {ban.reason === 'automatic' && <span class="small">{signalsOf(ban)}</span>}
    {ban.reason !== 'automatic' && can('get', '/v1/admin/audit-logs') && <Given ban={ban} />}
  </div>
);

export function LiftButton({ ban: { value }, onLifted }: OfBan & { readonly onLifted: () => void }) {
  const auditedAction = useAuditedAction(async (sent) => {
    await lift(value, sent);
    toast(t('adminBans.lifted', { count: 1 }));
    onLifted();
  });
  return (
    <AuditedActionButton label={t('adminBans.lift')} title={t('adminBans.liftTitle')} of={auditedAction} kind="plain">
      <p>{rich('adminBans.liftWhat', { address: <code dir="ltr">{value}</code> })}</p>
    </AuditedActionButton>
  );
}

/** A link to the audit entries of an IP address. */
export const AuditLink = ({ ip }: { readonly ip: string }) =>
  can('get', '/v1/admin/audit-logs') ? (
    <InnerLink href={`/admin/audit?${new URLSearchParams({ ip })}`}>{t('adminBans.audit')}</InnerLink>
  ) : null;
