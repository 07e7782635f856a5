import { formatDateTime, t } from '../../core/language.js';
import { PersonLink } from '../parts/person-link.js';
import { can } from '../rights.js';
import { type Change, differenceOf } from './difference.js';

const PERSON = /(?:^|_)(?:owner|user)_id$/;
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** Formats a metadata value by its type. */
function Value({ name, value }: { readonly name: string; readonly value: string }) {
  if (value === '') return <span class="quiet">{t('adminAudit.nothing')}</span>;
  if (TIME.test(value) && !Number.isNaN(Date.parse(value)))
    return <time dateTime={value}>{formatDateTime(value)}</time>;
  if (PERSON.test(name) && /^\d+$/.test(value) && can('get', '/v1/admin/users/{user_id}')) {
    return <PersonLink id={value} />;
  }
  return <bdi>{value}</bdi>;
}

const SIGNS = { gone: '−', come: '+' } as const;
const SIDE_LABELS = {
  replaced: { gone: 'adminAudit.before', come: 'adminAudit.after' },
  listed: { gone: 'adminAudit.removed', come: 'adminAudit.added' },
} as const;

function Side({ of, side }: { readonly of: Change; readonly side: 'gone' | 'come' }) {
  const Mark = side === 'gone' ? 'del' : 'ins';
  return of[side].map((value) => (
    <li key={value}>
      <Mark>
        <span aria-hidden="true">{SIGNS[side]} </span>
        {t(SIDE_LABELS[of.kind][side])}: <Value name={of.name ?? ''} value={value} />
      </Mark>
    </li>
  ));
}

const Changed = ({ of }: { readonly of: Change }) => (
  <div class="stack tight">
    {of.name && (
      <span class="small">
        <code dir="ltr">{of.name}</code>
      </span>
    )}
    {of.gone.length + of.come.length === 0 ? (
      <span class="small quiet">{t('adminAudit.unchanged')}</span>
    ) : (
      <ul class="difference small">
        <Side of={of} side="gone" />
        <Side of={of} side="come" />
      </ul>
    )}
  </div>
);

/** The metadata of an entry, shown as a difference if it is one. */
export function Changes({ metadata }: { readonly metadata: Readonly<Record<string, string>> }) {
  const { changes, facts } = differenceOf(metadata);
  return (
    <>
      {changes.map((change) => (
        <Changed key={change.name} of={change} />
      ))}
      {facts.length > 0 && (
        <ul class="metadata small">
          {facts.map(({ name, value }) => (
            <li key={name}>
              <code dir="ltr">{name}</code> <Value name={name} value={value} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
