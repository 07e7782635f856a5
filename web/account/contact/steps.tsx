import { type Signal, useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { type Action, useAction } from '../../core/action.js';
import { readHistoryState, writeHistoryState } from '../../core/history-state.js';
import { t } from '../../core/language.js';
import { CodeField, fieldOf } from '../../kit/field.js';
import { FailureNotice } from '../../kit/notice.js';
import { ResendButton } from '../resend.js';

/**
 * The current step of a flow. It survives a page reload, because browsers may reload the page after the user reads the
 * code.
 */
export function useStoredStep<S extends { readonly at: string }>(
  name: string,
  first: S,
): { readonly step: Signal<S>; readonly go: (next: S) => void } {
  const step = useSignal<S>(readHistoryState<S>(name) ?? first);
  return {
    step,
    go: (next) => {
      step.value = writeHistoryState(name, next);
    },
  };
}

/** Moves the keyboard focus to the first field or button of the next step. */
export function useStepFocus<E extends HTMLElement>(at: string) {
  const place = useRef<E>(null);
  const former = useRef(at);
  useLayoutEffect(() => {
    if (former.current !== at) place.current?.querySelector<HTMLElement>('input:not([hidden]), button')?.focus();
    former.current = at;
  }, [at]);
  return place;
}

/**
 * Counts completions of a flow and focuses an element after each one. Use `times` as the key of the flow to reset it
 * without moving the focus.
 */
export function useCompletions<E extends HTMLElement>() {
  const done = useSignal(0);
  const place = useRef<E>(null);
  const times = done.value;
  useLayoutEffect(() => {
    if (times > 0) place.current?.focus();
  }, [times]);
  const note = () => {
    done.value++;
  };
  return { times, place, note };
}

export interface ResendProps {
  /** When the button is enabled again. */
  readonly from: number;
  readonly send: () => Promise<unknown>;
  readonly onSent: () => void;
}

function Resend({ from, send, onSent }: ResendProps) {
  const action = useAction(async () => {
    await send();
    onSent();
  });
  return (
    <>
      <FailureNotice of={action} />
      <div>
        <ResendButton from={from} action={action} />
      </div>
    </>
  );
}

export interface CodeStepProps {
  readonly email: string;
  readonly code: Signal<string>;
  readonly action: Action;
  readonly resend: ResendProps;
}

/** An input for an emailed code, with a button to send it again. */
export const CodeStep = ({ email, code, action, resend }: CodeStepProps) => (
  <>
    <FailureNotice of={action} />
    <CodeField
      {...fieldOf(code, action, 'code')}
      label={t('required.mailedCode', { email })}
      required
      maxLength={256}
    />
    <Resend {...resend} />
  </>
);
