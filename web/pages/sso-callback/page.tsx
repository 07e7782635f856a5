import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { type Failure, useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { t } from '../../core/language.js';
import { safePath } from '../../core/redirects.js';
import { Button, LinkButton } from '../../kit/button.js';
import { Frame } from '../../kit/frame.js';
import { FailureNotice, Notice } from '../../kit/notice.js';
import { Spinner } from '../../kit/shown.js';
import { loadService, service } from '../../sign-in/service.js';
import { completeSignIn } from '../../sign-in/signed-in.js';
import { clearSsoStart, readSsoStart, SsoButton, type SsoStart } from '../../sign-in/single-sign-on.js';
import { forgetCallback, readCallback } from './callback.js';

const callback = readCallback();
const start = readSsoStart();
/** Errors after which the same request can be retried. */
const RETRYABLE_CODES: ReadonlySet<string> = new Set(['', 'RATE_LIMITED', 'SERVICE_UNAVAILABLE']);
/** Errors of the identity provider with their own messages. */
const ERROR_WORDS: Readonly<Record<string, 'sso.cancelled' | 'sso.providerBusy'>> = {
  access_denied: 'sso.cancelled',
  server_error: 'sso.providerBusy',
  temporarily_unavailable: 'sso.providerBusy',
};
/** Error codes with a specific message on this page. */
const CODE_WORDS: Readonly<Record<string, 'sso.noAccount' | 'sso.denied'>> = {
  SSO_REQUIRED: 'sso.noAccount',
  ACCESS_DENIED: 'sso.denied',
};

function Explained({ children }: { readonly children: ComponentChildren }) {
  useEffect(() => void loadService(), []);
  return (
    <>
      {children}
      {service.value?.sso.enabled && (
        <SsoButton kind="main" returnTo={start?.returnTo ?? '/account'} isKept={start?.isKept ?? false} />
      )}
      <LinkButton kind="plain" size="wide" href="/login">
        {t('sso.toSignIn')}
      </LinkButton>
    </>
  );
}

function ProviderRefused({ error }: { readonly error: string }) {
  // Only show provider errors for sign-ins started in this tab, because anyone can link to this page.
  const isOurs = start !== null && start.state === callback.state;
  useEffect(() => {
    if (isOurs) clearSsoStart();
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

interface CompletionProps {
  readonly code: string;
  readonly begun: SsoStart;
  readonly onFailed: () => void;
}

function Completion({ code, begun, onFailed }: CompletionProps) {
  const isOver = useSignal(false);
  const complete = useAction(
    async () => {
      const { iss } = callback;
      const body = { code, state: begun.state, nonce: begun.nonce, ...(iss === undefined ? {} : { iss }) };
      const answer = await api.post('/v1/auth/sso/complete', { body });
      clearSsoStart();
      forgetCallback();
      await completeSignIn(answer, begun.isKept, safePath(answer.redirect_to || begun.returnTo));
    },
    {
      onError: ({ code: refused }) => {
        isOver.value = !RETRYABLE_CODES.has(refused);
        if (isOver.value) {
          clearSsoStart();
          forgetCallback();
          onFailed();
        }
        return false;
      },
    },
  );
  useEffect(() => void complete.run(), [complete]);
  const failure = complete.failure.value;
  if (!failure) return <Spinner label={t('sso.completing')} />;
  const notice = <FailureNotice of={{ failure: { value: wordsFor(failure) } }} />;
  if (isOver.value) return <Explained>{notice}</Explained>;
  return (
    <>
      {notice}
      <Button action={complete} size="wide">
        {t('common.retry')}
      </Button>
    </>
  );
}

/**
 * The redirect target of the identity provider. Completes a sign-in that was started in this tab, otherwise explains
 * the problem.
 */
export default function SsoCallback() {
  const hasFailed = useSignal(false);
  const { code, state, error } = callback;
  const isOurs = code !== undefined && start !== null && start.state === state;
  const isExplained = hasFailed.value || error !== undefined || !isOurs;
  return (
    <Frame title={t(isExplained ? 'sso.failedTitle' : 'sso.title')}>
      {error !== undefined ? (
        <ProviderRefused error={error} />
      ) : isOurs ? (
        <Completion
          code={code}
          begun={start}
          onFailed={() => {
            hasFailed.value = true;
          }}
        />
      ) : (
        <Explained>
          <Notice kind="warn">{t(code ? 'sso.notStartedHere' : 'sso.nothing')}</Notice>
        </Explained>
      )}
    </Frame>
  );
}
