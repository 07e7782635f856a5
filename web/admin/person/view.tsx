import { useComputed, useSignal } from '@preact/signals';
import { api } from '../../core/api.js';
import { t } from '../../core/language.js';
import { openId } from '../../core/views.js';
import { Loading } from '../../kit/loaded.js';
import { Notice } from '../../kit/notice.js';
import { InnerLink } from '../../kit/opened.js';
import { AccountActions, type AccountActionsProps } from '../account-actions/account-actions.js';
import { can } from '../rights.js';
import type { AboutProps } from './account.js';
import { ApplicationOfBot, Applications } from './applications.js';
import { useFresh } from './fresh.js';
import { Log } from './log.js';
import { Marks, Reach } from './marks.js';
import { Networks } from './networks.js';
import './person.css';
import { Sessions } from './sessions.js';
import { Who } from './who.js';

function OfApplications({ user, turn }: AboutProps) {
  if (user.bot) return can('get', '/v1/admin/applications/{application_id}') ? <ApplicationOfBot id={user.id} /> : null;
  return can('get', '/v1/admin/users/{user_id}/applications') ? <Applications user={user} turn={turn} /> : null;
}

/** All sections of the account that the user may see. */
function Account({ user, turn, take, again }: AboutProps & AccountActionsProps) {
  // Loading sessions or networks adds audit entries, so only the log is reloaded.
  const readings = useSignal(0);
  const logTurn = useComputed(() => turn.value + readings.value);
  const onRead = () => {
    readings.value++;
  };
  return (
    <>
      <Who user={user} onLook={again} />
      <div class="person-pair">
        <Reach user={user} />
        <Marks user={user} />
      </div>
      <AccountActions user={user} take={take} again={again} />
      {can('get', '/v1/admin/users/{user_id}/sessions') && <Sessions user={user} turn={turn} onRead={onRead} />}
      {can('get', '/v1/admin/users/{user_id}/networks') && <Networks user={user} turn={turn} onRead={onRead} />}
      <OfApplications user={user} turn={turn} />
      {can('get', '/v1/admin/audit-logs') && <Log user={user} turn={logTurn} />}
    </>
  );
}

const UnknownAccount = ({ id }: { readonly id: string | null }) => (
  <>
    <Notice kind="warn">
      <p>{id ? t('adminPerson.unknown', { id }) : t('adminPerson.noId')}</p>
    </Notice>
    <p>
      <InnerLink href="/admin">{t('adminSearch.title')}</InnerLink>
    </p>
  </>
);

/** Errors for invalid IDs. */
const INVALID_ID_CODES = ['INVALID_SNOWFLAKE_FORMAT', 'SNOWFLAKE_OUT_OF_RANGE'];

function Person({ id }: { readonly id: string }) {
  const turn = useSignal(0);
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
        user ? <Account user={user} turn={turn} take={take} again={again} /> : <UnknownAccount id={id} />
      }
    </Loading>
  );
}

export default function View() {
  const id = openId.value;
  // Only numeric paths are account IDs.
  return id && /^\d+$/.test(id) ? <Person key={id} id={id} /> : <UnknownAccount id={id} />;
}
