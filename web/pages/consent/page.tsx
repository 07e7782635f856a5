import { ApiError } from '@gatehouse-auth/client';
import { useSignal, useSignalEffect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type Action, useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { brand } from '../../core/brand.js';
import { rich, t } from '../../core/language.js';
import { retryLoad } from '../../core/retry-load.js';
import { resolveSession, session, signOutCause, startSession } from '../../core/session.js';
import { Button } from '../../kit/button.js';
import { Frame } from '../../kit/frame.js';
import { FailureNotice, Notice } from '../../kit/notice.js';
import { Spinner } from '../../kit/shown.js';
import { SignIn } from '../../sign-in/sign-in.js';
import { AccountChoice, OtherAccount } from './account-choice.js';
import { Decision, type Question } from './decision.js';
import { Fault, type FaultyView, faultyView } from './fault.js';
import {
  type Decider,
  decider,
  endSingleUseSession,
  fetchDecider,
  isSingleUse,
  releaseSingleUseSession,
  resumeSingleUseSession,
  storeSingleUseSession,
  wasSignedOut,
} from './person.js';
import {
  asksForAccount,
  asksForConsent,
  assertRedirectRegistered,
  FaultyRequest,
  hasNoPrompt,
  hintedAccount,
  hostOf,
  isOpenId,
  isSilent,
  redirectTo,
  requestOf,
  scopesOf,
} from './request.js';
import { wordsFor } from './scopes.js';
import { continueSilently, continueTrusted } from './silent.js';

type View =
  | { readonly kind: 'loading' }
  | FaultyView
  | {
      readonly kind: 'signIn';
      readonly question: Question;
      readonly wasOut: boolean;
      /** True if a signed-in user wants to use another account. */
      readonly isAnother: boolean;
    }
  | { readonly kind: 'silent'; readonly target: string }
  | {
      readonly kind: 'decision';
      readonly question: Question;
      readonly decider: Decider;
      /** True if the trust in the application replaces the full consent. */
      readonly isTrusted: boolean;
    }
  | { readonly kind: 'gone'; readonly target: string };

/** Errors of the request itself, which the user cannot fix. */
const FAULTS = new Set(['UNKNOWN_APPLICATION', 'INVALID_REQUEST', 'INVALID_SCOPE', 'NOT_A_BOT_APPLICATION']);

function faultOf(error: unknown): string | undefined {
  if (error instanceof FaultyRequest) return error.code;
  if (!(error instanceof ApiError)) return undefined;
  // A wrong password or code is an error of the user, not of the application.
  if (error.of('password') || error.of('mfa_code')) return undefined;
  if (error.code === 'INVALID_FORM_BODY') return error.of('id') ? 'UNKNOWN_APPLICATION' : 'INVALID_REQUEST';
  return FAULTS.has(error.code) ? error.code : undefined;
}

async function loadDecider(applicationId: string): Promise<Decider | null> {
  await resolveSession();
  const token = decider();
  return token === null ? null : fetchDecider(token, applicationId);
}

/** Continues within the access of a trusted application, or asks the user. */
async function decisionView(question: Question, who: Decider): Promise<View> {
  const { request } = question;
  const names = scopesOf(request.scope);
  const has = (scopes: readonly string[] = []) => names.every((name) => scopes.includes(name));
  if (has(who.trusted) && has(who.former?.scopes) && hasNoPrompt(request)) {
    const target = await continueTrusted(request, who.token);
    if (target !== undefined) {
      if (isOpenId(request)) releaseSingleUseSession();
      else await endSingleUseSession();
      return { kind: 'silent', target };
    }
  }
  return { kind: 'decision', question, decider: who, isTrusted: has(who.trusted) && !asksForConsent(request) };
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
    if (isSilent(request)) return { kind: 'silent', target: await continueSilently(request) };
    const question = { request, application, words };
    if (who) return await decisionView(question, who);
    return { kind: 'signIn', question, wasOut: wasSignedOut(), isAnother: false };
  } catch (error) {
    const code = faultOf(error);
    if (code === undefined) throw error;
    return faultyView(code);
  }
}

/** True if the displayed user is still the deciding one. Other tabs may change the session. */
function isCurrent(view: View): boolean {
  if (view.kind === 'decision') return view.decider.token === decider();
  return view.kind !== 'signIn' || view.isAnother || decider() === null;
}

type DecisionView = Extract<View, { kind: 'decision' }>;

/** True if the application expects another account. */
function isOther({ question, decider: { person } }: DecisionView): boolean {
  const expected = hintedAccount(question.request);
  return expected !== undefined && expected !== person.id;
}

/** Isolates the text direction of a name within a sentence. */
const isolated = (name: string): string => `\u2068${name}\u2069`;

function titleOf(view: View): string {
  if (view.kind === 'fault') return t('consent.faultTitle');
  if (view.kind === 'signIn') return t('consent.signInTitle');
  if (view.kind === 'gone') return t('consent.goneTitle');
  if (view.kind === 'decision' && isOther(view)) return t('consent.otherTitle');
  if (view.kind === 'loading' || view.kind === 'silent') return t('consent.title');
  if (view.kind === 'decision' && view.isTrusted) return t('consent.signInTitle');
  return t('consent.asks', { application: isolated(view.question.application.name) });
}

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
  readonly onEntered: (password?: string) => void;
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
        email={isAnother ? undefined : question.request.login_hint}
        intro={
          <>
            {wasOut && <Notice kind="warn">{t('common.signedOutElsewhere')}</Notice>}
            <p>{why}</p>
          </>
        }
        onSignedIn={({ token }, isKept, password) => {
          // An application that signs the user in depends on the session, so it does not end with the decision.
          if (isKept || (isOpenId(question.request) && !isAnother)) startSession(token, isKept);
          else storeSingleUseSession(token);
          onEntered(password);
        }}
      />
      {isAnother && (
        <Button kind="bare" onClick={() => onEntered()}>
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
  /** The user has just signed in on this page, or has confirmed the account. */
  const isChosen = useSignal(false);
  const password = useSignal<string | undefined>(undefined);
  const load = useAction(async () => {
    view.value = { kind: 'loading' };
    let next = await loadView();
    while (!isCurrent(next)) next = await loadView();
    if (next.kind === 'silent') redirectTo(next.target);
    view.value = next;
  });
  const enter = () => void load.run();
  const signedIn = (typed?: string) => {
    isChosen.value = true;
    password.value = typed;
    enter();
  };
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
    if (code !== undefined)
      void faultyView(code).then((fault) => {
        view.value = fault;
      });
    return code !== undefined;
  };
  const leave = async (target: string, keepsSession = false) => {
    if (keepsSession) releaseSingleUseSession();
    else await endSingleUseSession();
    redirectTo(target);
    view.value = { kind: 'gone', target };
  };
  const changePerson = async ({ question }: Extract<View, { kind: 'decision' }>) => {
    await endSingleUseSession();
    view.value = { kind: 'signIn', question, wasOut: false, isAnother: session.value !== null };
  };
  const isChoosing =
    now.kind === 'decision' && !isOther(now) && !isChosen.value && asksForAccount(now.question.request);
  return (
    <Frame title={isChoosing ? t('consent.chooseTitle') : titleOf(now)}>
      {(now.kind === 'loading' || now.kind === 'silent') &&
        (load.failure.value ? <Retry action={load} /> : <Spinner label={t('common.loading')} />)}
      {now.kind === 'fault' && <Fault view={now} onReturn={leave} />}
      {now.kind === 'signIn' && <Enter view={now} onEntered={signedIn} />}
      {now.kind === 'gone' && <Gone target={now.target} />}
      {now.kind === 'decision' && isOther(now) && (
        <OtherAccount
          question={now.question}
          person={now.decider.person}
          onSwitch={() => changePerson(now)}
          onReturn={leave}
        />
      )}
      {now.kind === 'decision' && isChoosing && (
        <AccountChoice
          question={now.question}
          person={now.decider.person}
          onSwitch={() => changePerson(now)}
          onChosen={() => {
            isChosen.value = true;
          }}
        />
      )}
      {now.kind === 'decision' && !isOther(now) && !isChoosing && (
        <Decision
          key={now.decider.token}
          {...now.question}
          decider={now.decider}
          isTrusted={now.isTrusted}
          password={password.value}
          onDecided={(target, decision) => leave(target, decision === 'approve' && isOpenId(now.question.request))}
          onSignedOut={enter}
          onFault={fail}
          onSwitch={() => changePerson(now)}
        />
      )}
    </Frame>
  );
}
