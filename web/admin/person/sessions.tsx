import type { paths, ResponseBody } from '@gatehouse-auth/client';
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { api } from '../../core/api.js';
import { formatDateTime, t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { Loading } from '../../kit/loaded.js';
import { Badge } from '../../kit/portrait.js';
import type { RecordedProps } from './account.js';
import { Address } from './address.js';
import { useFresh } from './fresh.js';
import { Read } from './read.js';

type Session = ResponseBody<paths, '/v1/admin/users/{user_id}/sessions', 'get'>['sessions'][number];

/** Number of sessions per step. */
const AT_ONCE = 20;

const time = (at: string | null): string => (at ? formatDateTime(at) : t('device.unknown'));

function deviceOf({ client_os: system, client_platform: platform }: Session): string {
  const kind = t(platform === 'mobile' || platform === 'tablet' ? 'device.mobile' : 'device.desktop');
  return [...(platform ? [kind] : []), ...(system ? [system] : [])].join(' · ') || t('device.unknown');
}

const Item = ({ session }: { readonly session: Session }) => (
  <li tabIndex={-1}>
    <div class="stack tight">
      <div class="row">
        <strong>
          <bdi>{deviceOf(session)}</bdi>
        </strong>
        {!session.deleted_at && <Badge kind="good">{t('adminPerson.live')}</Badge>}
      </div>
      <Address ip={session.client_ip} />
      <span class="small quiet">
        {t('adminPerson.sessionSince', { time: time(session.created_at) })} ·{' '}
        {t('adminPerson.sessionUsed', { time: time(session.approx_last_used_at) })}
        {session.deleted_at && ` · ${t('adminPerson.sessionEnded', { time: formatDateTime(session.deleted_at) })}`}
      </span>
      <code dir="ltr" class="small quiet">
        {session.session_id_hash}
      </code>
    </div>
  </li>
);

/** The first sessions, with a button for more. The focus moves to the first new session. */
function List({ sessions }: { readonly sessions: readonly Session[] }) {
  const count = useSignal(AT_ONCE);
  const list = useRef<HTMLUListElement>(null);
  if (sessions.length === 0) return <p class="quiet">{t('adminPerson.sessionsNone')}</p>;
  const more = () => {
    const shown = count.value;
    count.value += AT_ONCE;
    requestAnimationFrame(() => (list.current?.children[shown] as HTMLElement | undefined)?.focus());
  };
  return (
    <>
      <ul class="list" aria-labelledby="person-sessions" ref={list}>
        {sessions.slice(0, count.value).map((session) => (
          <Item key={session.session_id_hash} session={session} />
        ))}
      </ul>
      {sessions.length > count.value && (
        <div>
          <Button kind="plain" onClick={more}>
            {t('common.more')}
          </Button>
        </div>
      )}
    </>
  );
}

function Found({ user: { id }, turn, kept }: RecordedProps) {
  const found = useFresh(
    async () => {
      const { sessions } = await api.get('/v1/admin/users/{user_id}/sessions', { path: { user_id: id } });
      return sessions;
    },
    turn,
    kept.sessions,
  );
  return <Loading of={found}>{(sessions) => <List sessions={sessions} />}</Loading>;
}

/** Active sessions, and those that ended in the last 30 days. */
export const Sessions = (props: RecordedProps) => (
  <Read
    id="person-sessions"
    title={t('adminPerson.sessions')}
    what={t('adminPerson.sessionsWhat')}
    label={t('adminPerson.sessionsShow')}
    kept={props.kept.sessions}
  >
    <Found {...props} />
  </Read>
);
