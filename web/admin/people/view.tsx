import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { api } from '../../core/api.js';
import { formatDate, t } from '../../core/language.js';
import { Ago } from '../../kit/ago.js';
import { Icon } from '../../kit/icon.js';
import { useLostFocus } from '../../kit/lost-focus.js';
import { Notice } from '../../kit/notice.js';
import { InnerLink } from '../../kit/opened.js';
import { Table } from '../../kit/parts.js';
import { Badge, Portrait } from '../../kit/portrait.js';
import { Pages, usePaged } from '../parts/paged.js';
import { type AdminUser, can } from '../rights.js';
import { Export } from './export.js';
import { FilterBar } from './filter-bar.js';
import { filterInUrl, listQuery, pathOfPage } from './filters.js';
import './people.css';
import { STATE_WORDS, type State, statesOf } from './states.js';

interface UserProps {
  readonly user: AdminUser;
}

function Person({ user: { id, username, discriminator, global_name: name, avatar, bot, email } }: UserProps) {
  const shown = <bdi>{name ?? `${username}#${discriminator}`}</bdi>;
  return (
    <div class="row people-person">
      <Portrait id={id} name={name ?? username} picture={avatar} />
      <div>
        {can('get', '/v1/admin/users/{user_id}') ? <InnerLink href={`/admin/people/${id}`}>{shown}</InnerLink> : shown}{' '}
        {bot && <Badge>{t('adminPerson.bot')}</Badge>}
        <div class="small quiet">
          <bdi>{email ?? (name === null ? id : `${username}#${discriminator}`)}</bdi>
        </div>
      </div>
    </div>
  );
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

const SecondFactor = ({ user: { authenticator_types: types } }: UserProps) =>
  types.length > 0 ? (
    <span class="row">
      <Icon name="check" size={16} />
      {t('adminPerson.yes')}
    </span>
  ) : (
    <span class="quiet">{t('adminPerson.no')}</span>
  );

const columns = (): Readonly<Record<string, (user: AdminUser) => ComponentChildren>> => ({
  [t('adminPeople.person')]: (user) => <Person user={user} />,
  [t('adminPeople.state')]: (user) => <States user={user} />,
  [t('adminPeople.secondFactor')]: (user) => <SecondFactor user={user} />,
  [t('adminPerson.created')]: ({ created_at: at }) => <time dateTime={at}>{formatDate(at)}</time>,
  [t('adminPeople.lastSeen')]: ({ last_active_at: at }) =>
    at === null ? <span class="quiet">{t('adminPerson.never')}</span> : <Ago time={at} />,
});

interface Answered {
  readonly total: number;
  readonly next: string | null;
  readonly isTruncated: boolean;
}

/** The accounts of one page. The filters and the cursor are in the URL. */
function usePeople() {
  const answered = useSignal<Answered | null>(null);
  const paged = usePaged<AdminUser>(
    async () => {
      const found = await api.get('/v1/admin/users', { query: listQuery() });
      answered.value = { total: found.total, next: found.next_cursor, isTruncated: found.truncated };
      return { items: found.users, hasMore: false };
    },
    pathOfPage(filterInUrl('cursor') || null),
  );
  return { answered, paged };
}

const Count = ({ of: { total, isTruncated } }: { readonly of: Answered }) => (
  <>{t(isTruncated ? 'adminPeople.atLeast' : 'adminPeople.found', { count: total })}</>
);

/** The list of accounts, with filters. */
export default function People() {
  const { answered, paged } = usePeople();
  const heading = useRef<HTMLHeadingElement>(null);
  useLostFocus(heading);
  const { value: found } = answered;
  return (
    <div class="stack roomy">
      <FilterBar />
      <div class="stack">
        <div class="row between">
          <h2 ref={heading} tabIndex={-1}>
            {t('adminPeople.accounts')}
          </h2>
          <span class="small quiet" role="status">
            {paged.items.value && found && <Count of={found} />}
          </span>
        </div>
        <Export />
        <Pages of={paged} empty={t('adminPeople.none')}>
          {(users) => (
            <div class="people">
              <Table caption={t('adminPeople.accounts')} columns={columns()} rows={users} keyOf={({ id }) => id} />
            </div>
          )}
        </Pages>
        {paged.items.value && found?.isTruncated && found.next && (
          <Notice isAnnounced={false}>{t('adminPeople.partly')}</Notice>
        )}
        {paged.items.value && (
          <div class="row">
            {filterInUrl('cursor') && <InnerLink href={pathOfPage(null)}>{t('adminPeople.first')}</InnerLink>}
            {found?.next && <InnerLink href={pathOfPage(found.next)}>{t('adminPeople.next')}</InnerLink>}
          </div>
        )}
      </div>
    </div>
  );
}
