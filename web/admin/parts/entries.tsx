import { formatDateTime, rich, t } from '../../core/language.js';
import { InnerLink } from '../../kit/opened.js';
import { pathOfEntry, pathWith } from '../audit/addresses.js';
import '../audit/audit.css';
import { Changes } from '../audit/changes.js';
import type { Entry } from '../audit/entry.js';
import { Actor, AddressLink, KeyLink, Target } from '../audit/named.js';
import { actionText } from '../audit/words.js';

export type { Entry } from '../audit/entry.js';

export const REDACTED = '[redacted]';

/** The IP address, the key and the request of the operation. */
export const Traces = ({ of: { client_ip: ip, api_key_id: key, request_id: request } }: { readonly of: Entry }) => (
  <ul class="traces small quiet">
    {ip && (
      <li>
        {t('adminAudit.ip')}: {ip === REDACTED ? <bdi>{ip}</bdi> : <AddressLink ip={ip} />}
      </li>
    )}
    {key && (
      <li>
        {t('adminAudit.key')}: <KeyLink id={key} />
      </li>
    )}
    <li>
      {t('adminAudit.request_id')}:{' '}
      <InnerLink href={pathWith({ request_id: request })}>
        <bdi>{request}</bdi>
      </InnerLink>
    </li>
  </ul>
);

const Item = ({ of }: { readonly of: Entry }) => (
  <li>
    <div class="stack tight audit-entry">
      <strong>
        <InnerLink href={pathOfEntry(of.log_id)}>
          <bdi>{actionText(of.action)}</bdi>
        </InnerLink>
      </strong>
      <p>
        {rich('adminAudit.on', { target: <Target of={of} /> })}
        {' · '}
        {rich('adminAudit.by', { who: <Actor of={of} /> })}
        {' · '}
        <time class="quiet" dateTime={of.created_at}>
          {formatDateTime(of.created_at)}
        </time>
      </p>
      {of.audit_log_reason && (
        <p>
          {t('admin.reason')}: <q dir="auto">{of.audit_log_reason}</q>
        </p>
      )}
      <Changes of={of} />
      <Traces of={of} />
    </div>
  </li>
);

/** Audit log entries, newest first. */
export const Entries = ({ of, label }: { readonly of: readonly Entry[]; readonly label: string }) => (
  <ul class="list" aria-label={label}>
    {of.map((entry) => (
      <Item key={entry.log_id} of={entry} />
    ))}
  </ul>
);
