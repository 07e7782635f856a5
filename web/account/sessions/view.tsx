import { useRef } from 'preact/hooks';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { rich, t } from '../../core/language.js';
import { Ago } from '../../kit/ago.js';
import { ConfirmButton } from '../../kit/confirm-button.js';
import { Icon } from '../../kit/icon.js';
import { Loading, useLoaded, useReloadWhenVisible } from '../../kit/loaded.js';
import { useLostFocus } from '../../kit/lost-focus.js';
import { Badge } from '../../kit/portrait.js';
import { toast } from '../../kit/toast.js';
import { deviceOf, EndButton, type OfSessions } from './device.js';
import { endSessions, othersOf, type Session } from './session.js';

function EndOthersButton({ others, onEnded }: OfSessions & { readonly others: readonly Session[] }) {
  const action = useAction(async () => {
    await endSessions(others);
    toast(t('sessions.othersEnded'));
    await onEnded();
  });
  return (
    <ConfirmButton
      label={t('sessions.endOthers')}
      title={t('sessions.endOthersTitle')}
      action={action}
      kind="plain"
      size="small"
    >
      <p>{t('sessions.endOthersWhat', { count: others.length })}</p>
    </ConfirmButton>
  );
}

const Item = ({ session, onEnded }: OfSessions & { readonly session: Session }) => (
  <li class="with-icon">
    <Icon name={session.client_info.device === 'mobile' ? 'smartphone' : 'monitor'} size={24} />
    <div class="stack tight">
      <div class="row">
        <strong>
          <bdi>{deviceOf(session)}</bdi>
        </strong>
        {session.current && <Badge kind="good">{t('sessions.thisOne')}</Badge>}
      </div>
      <span class="small quiet">
        <bdi>{session.masked_ip ?? t('device.unknown')}</bdi> ·{' '}
        {session.current
          ? t('sessions.inUse')
          : rich('sessions.lastUsed', { time: <Ago time={session.approx_last_used_at} /> })}
      </span>
      <span class="small quiet">{rich('sessions.since', { time: <Ago time={session.created_at} /> })}</span>
    </div>
    {!session.current && <EndButton session={session} onEnded={onEnded} />}
  </li>
);

function Networks() {
  const forget = useAction(async () => {
    await api.delete('/v1/users/@me/authorized-ips');
    toast(t('sessions.networksForgotten'));
  });
  return (
    <section class="section" aria-labelledby="networks">
      <h2 id="networks">{t('sessions.networks')}</h2>
      <p class="quiet">{t('sessions.networksWhat')}</p>
      <div>
        <ConfirmButton label={t('sessions.forget')} title={t('sessions.forgetTitle')} action={forget} kind="plain">
          <p>{t('sessions.forgetWhat')}</p>
        </ConfirmButton>
      </div>
    </section>
  );
}

export default function Sessions() {
  const sessions = useLoaded(() => api.get('/v1/auth/sessions'), ['SESSIONS_REPLACE']);
  const heading = useRef<HTMLHeadingElement>(null);
  const { run } = sessions.again;
  const others = othersOf(sessions.value.value ?? []);
  // Sessions without a gateway connection send no events.
  useReloadWhenVisible(run);
  useLostFocus(heading);
  return (
    <>
      <section class="section" aria-labelledby="sessions">
        <div class="row between">
          <h2 id="sessions" ref={heading} tabIndex={-1}>
            {t('sessions.devices')}
          </h2>
          {others.length > 0 && <EndOthersButton others={others} onEnded={run} />}
        </div>
        <p class="quiet">{t('sessions.devicesWhat')}</p>
        <Loading of={sessions}>
          {(list) => (
            <ul class="list" aria-labelledby="sessions">
              {list.map((session) => (
                <Item key={session.id_hash} session={session} onEnded={run} />
              ))}
            </ul>
          )}
        </Loading>
      </section>
      <Networks />
    </>
  );
}
