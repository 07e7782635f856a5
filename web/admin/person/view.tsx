import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { api } from '../../core/api.js';
import { t } from '../../core/language.js';
import { openId, path } from '../../core/views.js';
import { Loading } from '../../kit/loaded.js';
import { Notice } from '../../kit/notice.js';
import { InnerLink } from '../../kit/opened.js';
import { Tabs } from '../../kit/parts.js';
import { AccountActions, type AccountActionsProps, Bounds } from '../account-actions/account-actions.js';
import { queryParameter, setQueryParameters } from '../parts/address.js';
import { ACCOUNT_PATH } from '../parts/person-link.js';
import { type AdminUser, can } from '../rights.js';
import type { RecordedProps } from './account.js';
import { ApplicationOfBot, Applications } from './applications.js';
import { Data } from './data.js';
import { keepReads, useFresh } from './fresh.js';
import { Head } from './head.js';
import { Log } from './log.js';
import { Networks } from './networks.js';
import { Overview } from './overview.js';
import type { PasskeysProps } from './passkeys.js';
import './person.css';
import { Security } from './security.js';
import { Sessions } from './sessions.js';

const SESSIONS = '/v1/admin/users/{user_id}/sessions';
const NETWORKS = '/v1/admin/users/{user_id}/networks';
const APPLICATIONS = '/v1/admin/users/{user_id}/applications';
const APPLICATION = '/v1/admin/applications/{application_id}';

/** The tabs of the account with something to show. */
const tabsOf = ({ bot }: AdminUser) => ({
  overview: t('adminPerson.overview'),
  security: t('admin.security'),
  ...((can('get', SESSIONS) || can('get', NETWORKS)) && !bot && { devices: t('adminPerson.devices') }),
  ...(can('get', bot ? APPLICATION : APPLICATIONS) && { applications: t('adminPerson.applications') }),
  ...(can('get', '/v1/admin/audit-logs') && { activity: t('adminPerson.activity') }),
  data: t('adminPerson.data'),
});

type Tab = 'overview' | 'security' | 'devices' | 'applications' | 'activity' | 'data';

function Panel({ of: tab, ...props }: RecordedProps & PasskeysProps & { readonly of: Tab }) {
  const { user } = props;
  switch (tab) {
    case 'security':
      return <Security {...props} />;
    case 'devices':
      return (
        <>
          {can('get', SESSIONS) && <Sessions {...props} />}
          {can('get', NETWORKS) && <Networks {...props} />}
        </>
      );
    case 'applications':
      return user.bot ? <ApplicationOfBot id={user.id} /> : <Applications {...props} />;
    case 'activity':
      return <Log {...props} />;
    case 'data':
      return <Data user={user} />;
    default:
      return <Overview user={user} />;
  }
}

/** Everything about the account that the user may see. The URL contains the current tab. */
function Account(props: RecordedProps & AccountActionsProps) {
  const tabs: Partial<Record<Tab, string>> = tabsOf(props.user);
  const requested = queryParameter('tab') as Tab;
  const current = Object.hasOwn(tabs, requested) ? requested : 'overview';
  return (
    <>
      <Head user={props.user} onLook={props.again}>
        <AccountActions user={props.user} take={props.take} again={props.again} />
      </Head>
      <Bounds user={props.user} />
      <Tabs
        label={t('adminPerson.tabs')}
        tabs={tabs as Record<Tab, string>}
        current={current}
        onChange={(tab) => setQueryParameters({ tab: tab === 'overview' ? null : tab })}
      >
        <div key={current} class="stack roomy">
          <Panel of={current} {...props} />
        </div>
      </Tabs>
    </>
  );
}

const UnknownAccount = ({ id }: { readonly id: string | null }) => (
  <>
    <Notice kind="warn">
      <p>{id ? t('adminPerson.unknown', { id }) : t('adminPerson.noId')}</p>
    </Notice>
    <p>
      <InnerLink href="/admin/people">{t('adminPeople.title')}</InnerLink>
    </p>
  </>
);

/** Errors for invalid IDs. */
const INVALID_ID_CODES = ['INVALID_SNOWFLAKE_FORMAT', 'SNOWFLAKE_OUT_OF_RANGE'];

function Person({ id }: { readonly id: string }) {
  const turn = useSignal(0);
  const kept = useMemo(keepReads, []);
  const person = useFresh(() => api.get('/v1/admin/users/{user_id}', { path: { user_id: id } }), turn);
  const take: AccountActionsProps['take'] = (user) => {
    person.take({ users: [user] });
    turn.value++;
  };
  const again = async () => {
    const asking = person.again.run();
    turn.value++;
    await asking;
  };
  if (INVALID_ID_CODES.includes(person.again.failure.value?.code ?? '')) return <UnknownAccount id={id} />;
  return (
    <Loading of={person}>
      {({ users: [user] }) =>
        user ? <Account user={user} turn={turn} kept={kept} take={take} again={again} /> : <UnknownAccount id={id} />
      }
    </Loading>
  );
}

export default function View() {
  const id = ACCOUNT_PATH.exec(path.value)?.[1] ?? openId.value;
  // Only numeric paths are account IDs.
  return id && /^\d+$/.test(id) ? <Person key={id} id={id} /> : <UnknownAccount id={id} />;
}
