import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { formatDate, type TranslationKey, t } from '../../core/language.js';
import { Ago } from '../../kit/ago.js';
import { Icon } from '../../kit/icon.js';
import { Menu } from '../../kit/menu.js';
import { Badge } from '../../kit/portrait.js';
import { type AdminUser, hasAcl } from '../rights.js';
import { STATE_WORDS, type State, statesOf } from './states.js';

interface UserProps {
  readonly user: AdminUser;
}

const KINDS: Readonly<Record<State, 'good' | 'warn' | 'bad'>> = {
  active: 'good',
  suspended: 'bad',
  disabled: 'warn',
  pending_approval: 'warn',
  deletion_scheduled: 'bad',
  locked: 'warn',
};

function States({ user }: UserProps) {
  const states = statesOf(user);
  if (states.length === 0) return <Badge>{t('adminPeople.erased')}</Badge>;
  return (
    <div class="row">
      {states.map((state) => (
        <Badge key={state} kind={KINDS[state]}>
          {t(STATE_WORDS[state])}
        </Badge>
      ))}
    </div>
  );
}

const YesOrNo = ({ is }: { readonly is: boolean }) =>
  is ? (
    <span class="row">
      <Icon name="check" size={16} />
      {t('adminPerson.yes')}
    </span>
  ) : (
    <span class="quiet">{t('adminPerson.no')}</span>
  );

const Permissions = ({ user: { acls } }: UserProps) =>
  acls.length === 0 ? (
    <span class="quiet">{t('adminPerson.none')}</span>
  ) : (
    <div class="row people-acls">
      {acls.map((acl) => (
        <code key={acl} dir="ltr">
          {acl}
        </code>
      ))}
    </div>
  );

interface Column {
  readonly label: TranslationKey;
  readonly cell: (user: AdminUser) => ComponentChildren;
  /** Hidden until the user shows it. */
  readonly isExtra?: boolean;
}

/** The columns after the name of the account. */
const COLUMNS = {
  state: { label: 'adminPeople.state', cell: (user) => <States user={user} /> },
  second_factor: {
    label: 'adminPeople.secondFactor',
    cell: ({ authenticator_types: types }) => <YesOrNo is={types.length > 0} />,
  },
  created: {
    label: 'adminPerson.created',
    cell: ({ created_at: at }) => <time dateTime={at}>{formatDate(at)}</time>,
  },
  last_seen: {
    label: 'adminPeople.lastSeen',
    cell: ({ last_active_at: at }) =>
      at === null ? <span class="quiet">{t('adminPerson.never')}</span> : <Ago time={at} />,
  },
  email_verified: {
    label: 'adminPeople.emailVerified',
    cell: ({ email, email_verified: is }) => <YesOrNo is={email !== null && is} />,
    isExtra: true,
  },
  sso: { label: 'adminPerson.sso', cell: ({ sso_linked: is }) => <YesOrNo is={is} />, isExtra: true },
  acls: { label: 'adminPerson.acls', cell: (user) => <Permissions user={user} />, isExtra: true },
  id: { label: 'adminPeople.id', cell: ({ id }) => <code dir="ltr">{id}</code>, isExtra: true },
} as const satisfies Record<string, Column>;

type ColumnName = keyof typeof COLUMNS;

const columnOf = (name: ColumnName): Column => COLUMNS[name];

const STORE = 'gatehouse.people.columns';
const NAMES = Object.keys(COLUMNS) as ColumnName[];

/** The shown columns that this browser stores. */
function storedColumns(): readonly ColumnName[] {
  const stored = localStorage.getItem(STORE)?.split(',');
  return NAMES.filter((name) => stored?.includes(name) ?? !columnOf(name).isExtra);
}

const shown = signal(storedColumns());

function toggle(name: ColumnName): void {
  shown.value = NAMES.filter((one) => shown.value.includes(one) !== (one === name));
  localStorage.setItem(STORE, shown.value.join());
}

/** The columns that the user may see. */
const offered = (): readonly ColumnName[] =>
  NAMES.filter((name) => name !== 'email_verified' || hasAcl('user:view:email'));

/** The shown columns by their labels. */
export const shownColumns = (): Readonly<Record<string, Column['cell']>> =>
  Object.fromEntries(
    offered()
      .filter((name) => shown.value.includes(name))
      .map((name) => [t(columnOf(name).label), columnOf(name).cell]),
  );

/** Shows and hides columns. */
export const ColumnsMenu = () => (
  <Menu
    label={t('adminPeople.columns')}
    groups={[
      {
        items: offered().map((name) => ({
          label: t(columnOf(name).label),
          isChecked: shown.value.includes(name),
          isToggle: true,
          onChoose: () => toggle(name),
        })),
      },
    ]}
  />
);
