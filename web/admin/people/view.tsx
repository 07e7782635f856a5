import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { api } from '../../core/api.js';
import { t } from '../../core/language.js';
import { useLostFocus } from '../../kit/lost-focus.js';
import { Notice } from '../../kit/notice.js';
import { InnerLink } from '../../kit/opened.js';
import { Table } from '../../kit/parts.js';
import { Badge, Portrait } from '../../kit/portrait.js';
import { Pages, usePaged } from '../parts/paged.js';
import { type AdminUser, can } from '../rights.js';
import { offeredActions } from './bulk-actions.js';
import { OutcomeNotice, useBulk } from './bulk-dialog.js';
import { ColumnsMenu, shownColumns } from './columns.js';
import { Export } from './export.js';
import { FilterBar } from './filter-bar.js';
import { filterInUrl, listQuery, pathOfPage } from './filters.js';
import './people.css';
import { SelectionBar, useCheckboxes, useSelection } from './selection.js';

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

/** The list of accounts, with filters and operations on the selected ones. */
export default function People() {
  const { answered, paged } = usePeople();
  const users = paged.items.value ?? [];
  const selection = useSelection(users);
  const checkboxes = useCheckboxes({ of: selection, shown: users });
  const bulk = useBulk(selection, paged.again.run);
  const heading = useRef<HTMLHeadingElement>(null);
  useLostFocus(heading);
  const { value: found } = answered;
  return (
    <div class="stack roomy">
      <FilterBar />
      <div class="stack" tabIndex={-1}>
        <div class="row between">
          <h2 ref={heading} tabIndex={-1}>
            {t('adminPeople.accounts')}
          </h2>
          <span class="small quiet" role="status">
            {paged.items.value && found && <Count of={found} />}
          </span>
        </div>
        <div class="row between people-tools">
          <Export />
          <ColumnsMenu />
        </div>
        <OutcomeNotice of={bulk.outcome} />
        <div class="people stack">
          {selection.users.length > 0 && <SelectionBar of={selection} ask={bulk.ask} />}
          <Pages of={paged} empty={t('adminPeople.none')}>
            {() => (
              <Table
                caption={t('adminPeople.accounts')}
                columns={{ [t('adminPeople.person')]: (user) => <Person user={user} />, ...shownColumns() }}
                rows={users}
                keyOf={({ id }) => id}
                {...(offeredActions().length > 0 ? { lead: checkboxes } : {})}
              />
            )}
          </Pages>
        </div>
        {bulk.dialog}
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
