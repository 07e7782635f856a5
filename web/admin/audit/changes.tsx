import { formatDateTime, t } from '../../core/language.js';
import { PersonLink } from '../parts/person-link.js';
import { can } from '../rights.js';
import { type Change, differenceOf } from './difference.js';
import type { Entry } from './entry.js';
import { fieldText, valueText } from './fields.js';

const PERSON = /(?:^|_)(?:owner|user)_id$/;
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

interface ValueProps {
  readonly name: string;
  readonly value: string;
  /** The operation, because members of several operations have the same name. */
  readonly action: string;
}

/** Formats a metadata value by its type. */
function Value({ name, value, action }: ValueProps) {
  if (value === '') return <span class="quiet">{t('adminAudit.nothing')}</span>;
  if (TIME.test(value) && !Number.isNaN(Date.parse(value)))
    return <time dateTime={value}>{formatDateTime(value)}</time>;
  if (PERSON.test(name) && /^\d+$/.test(value) && can('get', '/v1/admin/users/{user_id}')) {
    return <PersonLink id={value} />;
  }
  return <bdi>{valueText(name, value, action)}</bdi>;
}

const SIGNS = { gone: '−', come: '+' } as const;
const SIDE_LABELS = {
  replaced: { gone: 'adminAudit.before', come: 'adminAudit.after' },
  listed: { gone: 'adminAudit.removed', come: 'adminAudit.added' },
} as const;

/** The name of a metadata member. */
const Name = ({ children: name }: { readonly children: string }) => (
  <>{fieldText(name) ?? <code dir="ltr">{name}</code>}</>
);

interface ChangeProps {
  readonly of: Change;
  readonly action: string;
}

function Side({ of, side, action }: ChangeProps & { readonly side: 'gone' | 'come' }) {
  const Mark = side === 'gone' ? 'del' : 'ins';
  return of[side].map((value) => (
    <li key={value}>
      <Mark>
        <span aria-hidden="true">{SIGNS[side]} </span>
        {t(SIDE_LABELS[of.kind][side])}: <Value name={of.name ?? ''} value={value} action={action} />
      </Mark>
    </li>
  ));
}

const Changed = ({ of, action }: ChangeProps) => (
  <div class="stack tight">
    {of.name && (
      <span class="small">
        <Name>{of.name}</Name>
      </span>
    )}
    {of.gone.length + of.come.length === 0 ? (
      <span class="small quiet">{t('adminAudit.unchanged')}</span>
    ) : (
      <ul class="difference small">
        <Side of={of} side="gone" action={action} />
        <Side of={of} side="come" action={action} />
      </ul>
    )}
  </div>
);

/** The metadata of an entry, shown as a difference if it is one. */
export function Changes({ of: { metadata, action } }: { readonly of: Pick<Entry, 'metadata' | 'action'> }) {
  const { changes, facts } = differenceOf(metadata);
  return (
    <>
      {changes.map((change) => (
        <Changed key={change.name} of={change} action={action} />
      ))}
      {facts.length > 0 && (
        <ul class="metadata small">
          {facts.map(({ name, value }) => (
            <li key={name}>
              <Name>{name}</Name>: <Value name={name} value={value} action={action} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
