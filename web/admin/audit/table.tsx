import { useSignal } from '@preact/signals';
import { formatAgo, formatDateTime, t } from '../../core/language.js';
import { useCurrentAgo } from '../../kit/ago.js';
import { Icon } from '../../kit/icon.js';
import { InnerLink } from '../../kit/opened.js';
import { Table } from '../../kit/parts.js';
import { Portrait } from '../../kit/portrait.js';
import { REDACTED, Traces } from '../parts/entries.js';
import { pathOfEntry } from './addresses.js';
import { Changes } from './changes.js';
import type { Entry } from './entry.js';
import { Actor, AddressLink, Target } from './named.js';
import { actionText } from './words.js';

interface OfEntry {
  readonly of: Entry;
}

function Time({ of: { created_at: at } }: OfEntry) {
  useCurrentAgo();
  return (
    <time dateTime={at}>
      {formatDateTime(at)} <span class="quiet">{formatAgo(at)}</span>
    </time>
  );
}

/** Audit entries contain no images, so an initial stands for the account. */
const Who = ({ of }: OfEntry) => (
  <div class="row audit-account">
    {of.admin_user && (
      <Portrait id={of.admin_user_id} name={of.admin_user.global_name ?? of.admin_user.username} picture={null} />
    )}
    <Actor of={of} />
  </div>
);

const From = ({ of: { client_ip: ip, api_key_id: key } }: OfEntry) => (
  <>
    {ip === null ? <span class="quiet">–</span> : ip === REDACTED ? <bdi>{ip}</bdi> : <AddressLink ip={ip} />}
    {key !== null && <span class="quiet">{t('adminAudit.key')}</span>}
  </>
);

const Details = ({ of }: OfEntry) => (
  <div class="stack tight">
    {of.audit_log_reason && (
      <p>
        {t('admin.reason')}: <q dir="auto">{of.audit_log_reason}</q>
      </p>
    )}
    {Object.keys(of.metadata).length === 0 ? (
      <p class="small quiet">{t('adminAudit.noDetails')}</p>
    ) : (
      <Changes of={of} />
    )}
    <Traces of={of} />
    <p class="small">
      <InnerLink href={pathOfEntry(of.log_id)}>{t('adminAudit.open')}</InnerLink>
    </p>
  </div>
);

interface RowButtonProps extends OfEntry {
  readonly isOpen: boolean;
  readonly onTurn: () => void;
}

/** The action, as the button that opens the details of its row. */
const RowButton = ({ of: { action }, isOpen, onTurn }: RowButtonProps) => (
  <button type="button" class="audit-turn" aria-expanded={isOpen} onClick={onTurn}>
    <Icon name="chevron-down" size={16} />
    <bdi>{actionText(action)}</bdi>
  </button>
);

/** Audit log entries as a table, newest first. A row opens to the changes. */
export function EntryTable({ of, label }: { readonly of: readonly Entry[]; readonly label: string }) {
  const open = useSignal<ReadonlySet<string>>(new Set());
  const turn = (id: string) => () => {
    const next = new Set(open.value);
    if (!next.delete(id)) next.add(id);
    open.value = next;
  };
  return (
    <div class="audit-table">
      <Table
        caption={label}
        rows={of}
        keyOf={({ log_id: id }) => id}
        columns={{
          [t('adminNow.time')]: (entry) => <Time of={entry} />,
          [t('adminAudit.admin_user_id')]: (entry) => <Who of={entry} />,
          [t('adminAudit.action')]: (entry) => (
            <RowButton of={entry} isOpen={open.value.has(entry.log_id)} onTurn={turn(entry.log_id)} />
          ),
          [t('adminAudit.target_id')]: (entry) => <Target of={entry} />,
          [t('adminAudit.ip')]: (entry) => <From of={entry} />,
        }}
        details={(entry) => (open.value.has(entry.log_id) ? <Details of={entry} /> : null)}
      />
    </div>
  );
}
