import { ApiError, NetworkError } from '@gatehouse-auth/client';
import { type ReadonlySignal, useComputed, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { CaptchaUnavailable } from './captcha.js';
import { t, wordsOfCode } from './language.js';
import { suspensionOf } from './suspension.js';

/** An error as text, with the messages of individual fields. */
export interface Failure {
  readonly message: string | null;
  readonly fields: Readonly<Record<string, string>>;
  readonly requestId?: string | undefined;
  readonly code: string;
}

/** An operation started by a button or form. It runs once at a time, and input is kept after an error. */
export interface Action {
  /** Starts it, unless it is running or rate limited. */
  readonly run: (event?: Event) => Promise<void>;
  readonly isBusy: ReadonlySignal<boolean>;
  readonly failure: ReadonlySignal<Failure | null>;
  /** Seconds until it can be retried. */
  readonly wait: ReadonlySignal<number>;
  /** The error message of a field. */
  readonly of: (field: string) => string | undefined;
  readonly clear: () => void;
}

export interface ActionOptions {
  /** Fields that show their own errors. Other errors appear above the form. */
  readonly fields?: readonly string[];
  /** Handles an error first. Returns true if no message is needed. */
  readonly onError?: (refused: ApiError) => boolean | Promise<boolean>;
}

/** Maximum time in seconds for automatic retries while the service is overloaded. */
const MAX_BUSY_SECONDS = 30;
const sleep = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

/** Converts an error to text. Includes the request ID if support needs it. Rethrows unexpected errors. */
export function toFailure(error: unknown, fields: readonly string[] = []): Failure {
  if (error instanceof NetworkError) {
    return { message: t(navigator.onLine ? 'common.unreachable' : 'common.offline'), fields: {}, code: '' };
  }
  if (error instanceof CaptchaUnavailable) return { message: t('signIn.captchaUnavailable'), fields: {}, code: '' };
  if (!(error instanceof ApiError)) throw error;
  const own = error.errors.filter(({ path }) => fields.includes(path));
  const others = error.errors.filter(({ path }) => !fields.includes(path));
  const said = [...new Set(others.map(({ code, message }) => wordsOfCode(code) ?? message))];
  const facts = error.code.startsWith('ACCOUNT_SUSPENDED_')
    ? suspensionOf(error.body?.banned_until, error.body?.reason)
    : [];
  const whole =
    error.errors.length > 0 ? said.join(' ') : [wordsOfCode(error.code) ?? error.message, ...facts].join(' ');
  const isKnown = wordsOfCode(error.errors[0]?.code ?? error.code) !== undefined;
  return {
    message: whole || null,
    fields: Object.fromEntries(own.map(({ path, code, message }) => [path, wordsOfCode(code) ?? message])),
    requestId: isKnown && error.status < 500 ? undefined : error.requestId,
    code: error.errors[0]?.code ?? error.code,
  };
}

/** An error and its request ID in one line, for places without a `FailureNotice`. */
export const failureText = ({ message, requestId }: Failure): string =>
  [message, requestId && `${t('common.requestId')} ${requestId}`].filter(Boolean).join(' ');

export function useAction(work: () => Promise<unknown>, { fields = [], onError }: ActionOptions = {}): Action {
  const isBusy = useSignal(false);
  // A function, so that the text follows language changes.
  const lastFailure = useSignal<(() => Failure) | null>(null);
  const failure = useComputed(() => lastFailure.value?.() ?? null);
  const wait = useSignal(0);
  const latest = useRef({ work, fields, caught: onError });
  latest.current = { work, fields, caught: onError };

  const counting = wait.value > 0;
  useEffect(() => {
    if (!counting) return undefined;
    const timer = setInterval(() => {
      wait.value--;
      if (wait.value <= 0) lastFailure.value = null;
    }, 1000);
    return () => clearInterval(timer);
  }, [counting, lastFailure, wait]);

  return useMemo(() => {
    async function patiently(): Promise<void> {
      for (let waited = 0; ; ) {
        try {
          await latest.current.work();
          return;
        } catch (error) {
          const seconds = error instanceof ApiError && error.status === 503 ? (error.retryAfter ?? 0) : 0;
          if (seconds === 0 || waited + seconds > MAX_BUSY_SECONDS) throw error;
          waited += seconds;
          lastFailure.value = () => ({ message: t('common.busy'), fields: {}, code: '' });
          await sleep(seconds);
        }
      }
    }
    async function run(event?: Event): Promise<void> {
      event?.preventDefault();
      if (isBusy.value || wait.value > 0) return;
      isBusy.value = true;
      lastFailure.value = null;
      try {
        await patiently();
        lastFailure.value = null;
      } catch (error) {
        lastFailure.value = null;
        if (error instanceof ApiError && (await latest.current.caught?.(error))) return;
        if (error instanceof ApiError && error.status === 429) wait.value = Math.max(1, error.retryAfter ?? 1);
        const { fields: own } = latest.current;
        const tell = () => toFailure(error, own);
        // Rethrows unexpected errors.
        tell();
        lastFailure.value = tell;
      } finally {
        isBusy.value = false;
      }
    }
    return {
      run,
      isBusy,
      failure,
      wait,
      of: (field) => failure.value?.fields[field],
      clear: () => {
        lastFailure.value = null;
      },
    };
  }, [isBusy, failure, lastFailure, wait]);
}
