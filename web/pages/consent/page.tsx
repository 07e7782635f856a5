import { ApiError } from '@gatehouse-auth/client';
import { useSignal, useSignalEffect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type Action, useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { brand } from '../../core/brand.js';
import { rich, t, wordsOfCode } from '../../core/language.js';
import { retryLoad } from '../../core/retry-load.js';
import { resolveSession, session, signOutCause, startSession } from '../../core/session.js';
import { Button } from '../../kit/button.js';
import { Frame } from '../../kit/frame.js';
import { FailureNotice, Notice } from '../../kit/notice.js';
import { Spinner } from '../../kit/shown.js';
import { SignIn } from '../../sign-in/sign-in.js';
import { Decision, type Question } from './decision.js';
import {
  type Decider,
  decider,
  endSingleUseSession,
  fetchDecider,
  isSingleUse,
  resumeSingleUseSession,
  storeSingleUseSession,
  wasSignedOut,
} from './person.js';
import { assertRedirectRegistered, FaultyRequest, hostOf, redirectTo, requestOf } from './request.js';
import { wordsFor } from './scopes.js';

type View =
  | { readonly kind: 'loading' }
  | { readonly kind: 'fault'; readonly code: string }
  | {
      readonly kind: 'signIn';
      readonly question: Question;
      readonly wasOut: boolean;
      /** True if a signed-in user wants to use another account. */
      readonly isAnother: boolean;
    }
  | { readonly kind: 'decision'; readonly question: Question; readonly decider: Decider }
  | { readonly kind: 'gone'; readonly target: string };

/** Errors of the request itself, which the user cannot fix. */
const FAULTS = new Set(['UNKNOWN_APPLICATION', 'INVALID_REQUEST', 'INVALID_SCOPE', 'NOT_A_BOT_APPLICATION']);

function faultOf(error: unknown): string | undefined {
  if (error instanceof FaultyRequest) return error.code;
  if (!(error instanceof ApiError)) return undefined;
  if (error.code === 'INVALID_FORM_BODY') return error.of('id') ? 'UNKNOWN_APPLICATION' : 'INVALID_REQUEST';
  return FAULTS.has(error.code) ? error.code : undefined;
}

async function loadDecider(applicationId: string): Promise<Decider | null> {
  await resolveSession();
  const token = decider();
  return token === null ? null : fetchDecider(token, applicationId);
}

async function loadView(): Promise<View> {
  try {
    const request = requestOf(location.search);
    const [application, words, who] = await Promise.all([
      api.get('/v1/oauth2/applications/{id}/public', { path: { id: request.client_id } }),
      wordsFor(request),
      loadDecider(request.client_id),
    ]);
    assertRedirectRegistered(request, application);
    const question = { request, application, words };
    if (who) return { kind: 'decision', question, decider: who };
    return { kind: 'signIn', question, wasOut: wasSignedOut(), isAnother: false };
  } catch (error) {
    const code = faultOf(error);
    if (code === undefined) throw error;
    return { kind: 'fault', code };
  }
}

/** True if the displayed user is still the deciding one. Other tabs may change the session. */
function isCurrent(view: View): boolean {
  if (view.kind === 'decision') return view.decider.token === decider();
  return view.kind !== 'signIn' || view.isAnother || decider() === null;
}

/** Isolates the text direction of a name within a sentence. */
const isolated = (name: string): string => `\u2068${name}\u2069`;

function titleOf(view: View): string {
  if (view.kind === 'fault') return t('consent.faultTitle');
  if (view.kind === 'signIn') return t('consent.signInTitle');
  if (view.kind === 'gone') return t('consent.goneTitle');
  if (view.kind === 'loading') return t('consent.title');
  return t('consent.asks', { application: isolated(view.question.application.name) });
}

const Fault = ({ code }: { readonly code: string }) => (
  <>
    <Notice kind="bad">{wordsOfCode(code)}</Notice>
    <p>{t('consent.faultNothing')}</p>
  </>
);

const Gone = ({ target }: { readonly target: string }) => (
  <>
    <Spinner label={t('common.loading')} />
    <p class="small quiet">
      {rich('consent.goneWhy', {
        link: (
          <a href={target}>
            <bdi>{hostOf(target)}</bdi>
          </a>
        ),
      })}
    </p>
  </>
);

const Retry = ({ action }: { readonly action: Action }) => (
  <>
    <FailureNotice of={action} />
    <Button action={action}>{t('common.retry')}</Button>
  </>
);

interface EnterProps {
  readonly view: Extract<View, { kind: 'signIn' }>;
  readonly onEntered: () => void;
}

function Enter({ view: { question, wasOut, isAnother }, onEntered }: EnterProps) {
  const why = rich('consent.signInWhy', {
    product: <bdi>{brand.product}</bdi>,
    application: (
      <strong>
        <bdi>{question.application.name}</bdi>
      </strong>
    ),
  });
  return (
    <>
      <SignIn
        allowsKeep={!isAnother}
        intro={
          <>
            {wasOut && <Notice kind="warn">{t('common.signedOutElsewhere')}</Notice>}
            <p>{why}</p>
          </>
        }
        onSignedIn={({ token }, isKept) => {
          if (isKept) startSession(token, true);
          else storeSingleUseSession(token);
          onEntered();
        }}
      />
      {isAnother && (
        <Button kind="bare" onClick={onEntered}>
          {t('common.back')}
        </Button>
      )}
    </>
  );
}

/** Listens for the end of the browser session while it is used for the decision. */
function useSessionEndListener(isHeard: boolean): void {
  useEffect(() => {
    if (!isHeard) return undefined;
    let stop: (() => void) | null = () => {};
    void retryLoad(() => import('../../core/live.js')).then(({ connectGateway: listen }) => {
      if (stop) stop = listen(() => {});
    });
    return () => {
      stop?.();
      stop = null;
    };
  }, [isHeard]);
}

/** The consent page (oauth.md 5.2). It has no privileges of its own; it uses the session of the user. */
export default function Consent() {
  const view = useSignal<View>({ kind: 'loading' });
  const load = useAction(async () => {
    view.value = { kind: 'loading' };
    let next = await loadView();
    while (!isCurrent(next)) next = await loadView();
    view.value = next;
  });
  const enter = () => void load.run();
  useEffect(() => {
    resumeSingleUseSession();
    enter();
  }, []);
  useSignalEffect(() => {
    if (session.value?.token !== undefined || signOutCause.value !== null) {
      if (!isCurrent(view.peek())) enter();
    }
  });

  const now = view.value;
  useSessionEndListener(now.kind === 'decision' && !isSingleUse(now.decider.token));
  const fail = (error: unknown): boolean => {
    const code = faultOf(error);
    if (code !== undefined) view.value = { kind: 'fault', code };
    return code !== undefined;
  };
  const leave = async (target: string) => {
    await endSingleUseSession();
    redirectTo(target);
    view.value = { kind: 'gone', target };
  };
  const changePerson = async ({ question }: Extract<View, { kind: 'decision' }>) => {
    await endSingleUseSession();
    view.value = { kind: 'signIn', question, wasOut: false, isAnother: session.value !== null };
  };
  return (
    <Frame title={titleOf(now)}>
      {now.kind === 'loading' &&
        (load.failure.value ? <Retry action={load} /> : <Spinner label={t('common.loading')} />)}
      {now.kind === 'fault' && <Fault code={now.code} />}
      {now.kind === 'signIn' && <Enter view={now} onEntered={enter} />}
      {now.kind === 'gone' && <Gone target={now.target} />}
      {now.kind === 'decision' && (
        <Decision
          key={now.decider.token}
          {...now.question}
          decider={now.decider}
          onDecided={leave}
          onSignedOut={enter}
          onFault={fail}
          onSwitch={() => changePerson(now)}
        />
      )}
    </Frame>
  );
}
