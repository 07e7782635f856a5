import { type ReadonlySignal, useComputed, useSignal } from '@preact/signals';
import { Refused, Unreachable } from 'gatehouse/client';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { CaptchaUnavailable } from './captcha.js';
import { t, wordsOfCode } from './language.js';
import { suspensionOf } from './suspension.js';

/** What went wrong, in words, with what belongs to which field. */
export interface Failure {
  readonly message: string | null;
  readonly fields: Readonly<Record<string, string>>;
  readonly requestId?: string | undefined;
  readonly code: string;
}

/** Something that a person starts by a button or a form: once at a time, and nothing that was typed is lost by a refusal. */
export interface Action {
  /** Starts it, unless it runs already or has to wait. */
  readonly run: (event?: Event) => Promise<void>;
  readonly isBusy: ReadonlySignal<boolean>;
  readonly failure: ReadonlySignal<Failure | null>;
  /** Seconds until it may be tried again. */
  readonly wait: ReadonlySignal<number>;
  /** Words for a field, if it was refused. */
  readonly of: (field: string) => string | undefined;
  readonly clear: () => void;
}

export interface ActionOptions {
  /** Fields that show their own refusals; all others are said above the form. */
  readonly fields?: readonly string[];
  /** Looks at a refusal first; true when there is nothing left to say. */
  readonly caught?: (refused: Refused) => boolean | Promise<boolean>;
}

/** A busy service is asked again by itself for as long as this, in seconds. */
const LONGEST_BUSY = 30;
const sleep = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

/** A person who reads what is wrong needs words, and whoever helps them the number of the request. */
export function failureOf(error: unknown, fields: readonly string[] = []): Failure {
  if (error instanceof Unreachable) {
    return { message: t(navigator.onLine ? 'common.unreachable' : 'common.offline'), fields: {}, code: '' };
  }
  if (error instanceof CaptchaUnavailable) return { message: t('signIn.captchaUnavailable'), fields: {}, code: '' };
  if (!(error instanceof Refused)) throw error;
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

/** A failure with its request ID in one line, where no `FailureNotice` shows it. */
export const inOneLine = ({ message, requestId }: Failure): string =>
  [message, requestId && `${t('common.requestId')} ${requestId}`].filter(Boolean).join(' ');

export function useAction(work: () => Promise<unknown>, { fields = [], caught }: ActionOptions = {}): Action {
  const isBusy = useSignal(false);
  // Said anew when the language changes.
  const told = useSignal<(() => Failure) | null>(null);
  const failure = useComputed(() => told.value?.() ?? null);
  const wait = useSignal(0);
  const latest = useRef({ work, fields, caught });
  latest.current = { work, fields, caught };

  const counting = wait.value > 0;
  useEffect(() => {
    if (!counting) return undefined;
    const timer = setInterval(() => {
      wait.value--;
      if (wait.value <= 0) told.value = null;
    }, 1000);
    return () => clearInterval(timer);
  }, [counting, told, wait]);

  return useMemo(() => {
    async function patiently(): Promise<void> {
      for (let waited = 0; ; ) {
        try {
          await latest.current.work();
          return;
        } catch (error) {
          const seconds = error instanceof Refused && error.status === 503 ? (error.retryAfter ?? 0) : 0;
          if (seconds === 0 || waited + seconds > LONGEST_BUSY) throw error;
          waited += seconds;
          told.value = () => ({ message: t('common.busy'), fields: {}, code: '' });
          await sleep(seconds);
        }
      }
    }
    async function run(event?: Event): Promise<void> {
      event?.preventDefault();
      if (isBusy.value || wait.value > 0) return;
      isBusy.value = true;
      told.value = null;
      try {
        await patiently();
        told.value = null;
      } catch (error) {
        told.value = null;
        if (error instanceof Refused && (await latest.current.caught?.(error))) return;
        if (error instanceof Refused && error.status === 429) wait.value = Math.max(1, error.retryAfter ?? 1);
        const { fields: own } = latest.current;
        const tell = () => failureOf(error, own);
        // What is no refusal is nobody's to read: it is thrown here.
        tell();
        told.value = tell;
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
        told.value = null;
      },
    };
  }, [isBusy, failure, told, wait]);
}
