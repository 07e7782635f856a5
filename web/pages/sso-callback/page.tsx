import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { type Failure, useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { rich, type TranslationKey, t } from '../../core/language.js';
import { replacePage, safePath } from '../../core/redirects.js';
import { Button, LinkButton } from '../../kit/button.js';
import { Frame } from '../../kit/frame.js';
import { FailureNotice, Notice } from '../../kit/notice.js';
import { Spinner, Success } from '../../kit/shown.js';
import { ConnectionButton, offeredConnections } from '../../sign-in/connections.js';
import { clearProviderStart, type ProviderStart, readProviderStart } from '../../sign-in/provider-start.js';
import { loadService, service } from '../../sign-in/service.js';
import { completeSignIn } from '../../sign-in/signed-in.js';
import { SsoButton } from '../../sign-in/single-sign-on.js';
import { storeStep } from '../../sign-in/steps.js';
import { forgetCallback, readCallback } from './callback.js';

const callback = readCallback();
const start = readProviderStart();
/** The connection in the path. Undefined: single sign-on. */
const connection = /^\/auth\/connections\/([^/]+)\/callback$/.exec(location.pathname)?.[1];
/** True if this tab started a visit to this provider with this state. */
const isOurs = start !== null && start.state === callback.state && start.connection === connection;
const isLink = isOurs && start.isLink === true;
const METHODS = '/account/sign-in-methods';
/** Errors after which the same request can be retried. */
const RETRYABLE_CODES: ReadonlySet<string> = new Set(['', 'RATE_LIMITED', 'SERVICE_UNAVAILABLE']);
/** Errors of the identity provider with their own messages. */
const ERROR_WORDS: Readonly<Record<string, 'sso.cancelled' | 'sso.providerBusy'>> = {
  access_denied: 'sso.cancelled',
  server_error: 'sso.providerBusy',
  temporarily_unavailable: 'sso.providerBusy',
};
/** Error codes with a specific message on this page. */
const CODE_WORDS: Readonly<Record<string, TranslationKey>> = {
  ACCESS_DENIED: 'sso.denied',
  ...(connection === undefined
    ? { SSO_REQUIRED: 'sso.noAccount' }
    : { SSO_PROVIDER_DID_NOT_RETURN_EMAIL: 'sso.emailUnverified' }),
  ...(isLink && { SSO_IDENTITY_MISMATCH: 'sso.linkMismatch' }),
};

/** The button that starts over. A link starts over in the account, because it needs sudo mode. */
function AgainButton() {
  const again = { returnTo: start?.returnTo ?? '/account', isKept: start?.isKept ?? false };
  if (connection === undefined) return service.value?.sso.enabled ? <SsoButton kind="main" {...again} /> : null;
  const offered = offeredConnections().find(({ id }) => id === connection);
  return offered ? <ConnectionButton kind="main" of={offered} {...again} /> : null;
}

interface ExplainedProps {
  readonly children: ComponentChildren;
  /** True if an account with this email address exists, which can link the identity. */
  readonly hasAccount?: boolean;
}

function Explained({ children, hasAccount = false }: ExplainedProps) {
  useEffect(() => void loadService(), []);
  if (isLink) {
    return (
      <>
        {children}
        <LinkButton size="wide" href={METHODS}>
          {t('sso.toMethods')}
        </LinkButton>
      </>
    );
  }
  if (hasAccount) {
    return (
      <>
        {children}
        <LinkButton size="wide" href={`/login?${new URLSearchParams({ return_to: METHODS })}`}>
          {t('sso.otherWay')}
        </LinkButton>
      </>
    );
  }
  return (
    <>
      {children}
      <AgainButton />
      <LinkButton kind="plain" size="wide" href="/login">
        {t('sso.toSignIn')}
      </LinkButton>
    </>
  );
}

function ProviderRefused({ error }: { readonly error: string }) {
  // Only show provider errors for visits started in this tab, because anyone can link to this page.
  useEffect(() => {
    if (isOurs) clearProviderStart();
  }, []);
  const known = ERROR_WORDS[error];
  return (
    <Explained>
      <Notice kind="bad">
        <p>{t(known ?? 'sso.providerRefused')}</p>
        {!known && isOurs && /^[\w.-]{1,64}$/.test(error) && (
          <p class="small quiet">
            {t('sso.providerCode')} <code>{error}</code>
          </p>
        )}
      </Notice>
    </Explained>
  );
}

const wordsFor = (failure: Failure): Failure => {
  const own = CODE_WORDS[failure.code];
  return own ? { ...failure, message: t(own) } : failure;
};

/** Ends the visit, so that a reload does not send the code again. */
function endVisit(): void {
  clearProviderStart();
  forgetCallback();
}

const inputOf = (code: string, { state, nonce }: ProviderStart) => {
  const { iss } = callback;
  return { code, state, nonce, ...(iss === undefined ? {} : { iss }) };
};

/** Completes a sign-in. The page for signing in asks for a required second factor. */
async function signIn(code: string, begun: ProviderStart): Promise<void> {
  const body = inputOf(code, begun);
  const response = await (connection === undefined
    ? api.post('/v1/auth/sso/complete', { body })
    : api.post('/v1/auth/connections/{id}/complete', { path: { id: connection }, body }));
  endVisit();
  const next = safePath(response.redirect_to || begun.returnTo);
  if (!('mfa' in response)) return completeSignIn(response, begun.isKept, next);
  storeStep({ kind: 'factor', challenge: response, email: null }, begun.isKept);
  return replacePage(`/login?${new URLSearchParams({ return_to: next })}`);
}

/** Links the identity to the account of the session. Returns the name of the connection. */
async function link(code: string, begun: ProviderStart): Promise<string> {
  const { display_name: name } = await api.post('/v1/users/@me/identities/complete', { body: inputOf(code, begun) });
  endVisit();
  return name;
}

interface CompletionProps {
  readonly code: string;
  readonly begun: ProviderStart;
  readonly hasFailed: Signal<boolean>;
  readonly linked: Signal<string | null>;
}

function Completion({ code, begun, hasFailed, linked }: CompletionProps) {
  const complete = useAction(
    async () => {
      if (isLink) linked.value = await link(code, begun);
      else await signIn(code, begun);
    },
    {
      onError: ({ code: refused }) => {
        if (!RETRYABLE_CODES.has(refused)) {
          endVisit();
          hasFailed.value = true;
        }
        return false;
      },
    },
  );
  useEffect(() => void complete.run(), [complete]);
  const failure = complete.failure.value;
  if (linked.value !== null) {
    return (
      <>
        <Success>{rich('sso.linked', { provider: <bdi>{linked.value}</bdi> })}</Success>
        <LinkButton size="wide" href={METHODS}>
          {t('common.continue')}
        </LinkButton>
      </>
    );
  }
  if (!failure) return <Spinner label={t(isLink ? 'sso.linking' : 'sso.completing')} />;
  const notice = <FailureNotice of={{ failure: { value: wordsFor(failure) } }} />;
  if (hasFailed.value) return <Explained hasAccount={failure.code === 'CONNECTION_ACCOUNT_EXISTS'}>{notice}</Explained>;
  return (
    <>
      {notice}
      <Button action={complete} size="wide">
        {t('common.retry')}
      </Button>
    </>
  );
}

function titleOf(isExplained: boolean, isLinked: boolean): TranslationKey {
  if (isLink) return isLinked ? 'sso.linkedTitle' : isExplained ? 'sso.linkFailedTitle' : 'sso.linkTitle';
  if (isExplained) return 'sso.failedTitle';
  return connection === undefined ? 'sso.title' : 'common.signIn';
}

/**
 * The redirect target of identity providers. Completes a sign-in or a link that was started in this tab, otherwise
 * explains the problem.
 */
export default function ProviderCallback() {
  const hasFailed = useSignal(false);
  const linked = useSignal<string | null>(null);
  const { code, error } = callback;
  const isStarted = code !== undefined && isOurs;
  const isExplained = hasFailed.value || error !== undefined || !isStarted;
  return (
    <Frame title={t(titleOf(isExplained, linked.value !== null))}>
      {error !== undefined ? (
        <ProviderRefused error={error} />
      ) : isStarted ? (
        <Completion code={code} begun={start} hasFailed={hasFailed} linked={linked} />
      ) : (
        <Explained>
          <Notice kind="warn">{t(code ? 'sso.notStartedHere' : 'sso.nothing')}</Notice>
        </Explained>
      )}
    </Frame>
  );
}
