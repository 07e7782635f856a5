import type { paths, ResponseBody } from '@gatehouse-auth/client';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type Action, useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { rich, setLanguage, t } from '../../core/language.js';
import { replacePage } from '../../core/redirects.js';
import { releasedSessions, removeReleasedSession } from '../../core/released-sessions.js';
import { endSession, resolveSession } from '../../core/session.js';
import { Button, LinkButton } from '../../kit/button.js';
import { Frame } from '../../kit/frame.js';
import { FailureNotice } from '../../kit/notice.js';
import { Spinner, Success } from '../../kit/shown.js';
import { type LogoutRequest, request } from './request.js';

type Outcome = ResponseBody<paths, '/v1/oauth2/logout', 'post'>;

type Body = LogoutRequest & { readonly confirm?: boolean };

async function endOwn(body: Body): Promise<Outcome> {
  const token = (await resolveSession())?.token;
  const outcome = await api.post('/v1/oauth2/logout', { body });
  if (outcome.ended && token !== undefined) endSession(token, true);
  return outcome;
}

async function endReleased(body: Body, token: string): Promise<Outcome> {
  const outcome = await api.post('/v1/oauth2/logout', { body, headers: { authorization: token } });
  if (!outcome.confirm) removeReleasedSession(token);
  return outcome;
}

/**
 * Ends the session that the ID token names: the one of the browser, or one that the tab released. After a confirmation,
 * ends all of them.
 */
async function endSessions(body: Body): Promise<Outcome> {
  const own = await endOwn(body);
  if (body.confirm) {
    for (const token of releasedSessions()) await endReleased(body, token);
  } else if (body.id_token_hint && !own.ended) {
    for (const token of releasedSessions()) {
      const outcome = await endReleased(body, token);
      if (outcome.ended) return outcome;
    }
  }
  return own;
}

/** Sends the request of the application. Returns the outcome, unless it leads to another page. */
async function logOut(body: Body): Promise<Outcome> {
  const outcome = await endSessions(body);
  return outcome.redirect_to === undefined ? outcome : replacePage(outcome.redirect_to);
}

function Question({ of: { application }, action }: { readonly of: Outcome; readonly action: Action }) {
  return (
    <Frame title={t('logout.title')}>
      <p>
        {application ? rich('logout.askedBy', { application: <bdi>{application.name}</bdi> }) : t('logout.question')}
      </p>
      <FailureNotice of={action} />
      <Button action={action}>{t('logout.submit')}</Button>
      <LinkButton kind="plain" href="/account">
        {t('logout.stay')}
      </LinkButton>
    </Frame>
  );
}

/** Signs the user out at the request of an application, immediately if its ID token names this session. */
export default function Logout() {
  const outcome = useSignal<Outcome | null>(null);
  const begin = useAction(async () => {
    outcome.value = await logOut(request);
  });
  const confirm = useAction(async () => {
    outcome.value = await logOut({ ...request, confirm: true });
  });
  useEffect(() => {
    if (request.ui_locales) void setLanguage(request.ui_locales.split(' ')[0] ?? '');
    void begin.run();
  }, []);
  if (outcome.value?.confirm) return <Question of={outcome.value} action={confirm} />;
  if (outcome.value) {
    return (
      <Frame title={t('logout.doneTitle')}>
        <Success>{t('logout.done')}</Success>
        <LinkButton href="/login">{t('common.signIn')}</LinkButton>
      </Frame>
    );
  }
  return (
    <Frame title={t('logout.title')}>
      <FailureNotice of={begin} />
      {begin.isBusy.value ? (
        <Spinner label={t('common.loading')} />
      ) : (
        <Button action={begin}>{t('logout.retry')}</Button>
      )}
    </Frame>
  );
}
