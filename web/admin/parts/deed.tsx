import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { type Action, type ActionOptions, useAction } from '../../core/action.js';
import { t } from '../../core/language.js';
import { AskingButton } from '../../kit/asking.js';
import { TextArea } from '../../kit/field.js';

/** What goes out with a deed beside its body. */
export interface Reasoned {
  readonly headers: Readonly<Record<string, string>>;
}

/** Something that an administrator does to others, with a reason for the audit log. */
export interface Deed {
  readonly action: Action;
  readonly reason: Signal<string>;
}

/** Headers hold bytes: the service reads them as UTF-8. */
const bytesOf = (text: string): string => String.fromCharCode(...new TextEncoder().encode(text));

/** What the reason is sent as; without one there is no header. */
export function reasoned(reason: string): Reasoned {
  const said = reason.replace(/\s+/g, ' ').trim();
  return { headers: said ? { 'x-audit-log-reason': bytesOf(said) } : {} };
}

/** @param work gets what goes out with the request beside its body */
export function useDeed(work: (sent: Reasoned) => Promise<unknown>, options?: ActionOptions): Deed {
  const reason = useSignal('');
  const action = useAction(async () => {
    await work(reasoned(reason.value));
    reason.value = '';
  }, options);
  return { action, reason };
}

/** As many characters as a reason may have (admin.md section 5.3). */
const REASON_LENGTH = 512;

export const ReasonField = ({ of: { reason }, isRequired }: { readonly of: Deed; readonly isRequired?: boolean }) => (
  <TextArea
    name="reason"
    label={t('admin.reason')}
    hint={t('admin.reasonHint')}
    value={reason.value}
    onValue={(value) => {
      // Blanks alone are none.
      reason.value = value.trimStart();
    }}
    maxLength={REASON_LENGTH}
    {...(isRequired ? { required: true } : {})}
  />
);

export interface DeedButtonProps {
  /** On the button that opens the question, and on the one that does it. */
  readonly label: string;
  readonly title: string;
  /** What will happen, to whom, in one sentence; and the fields that it needs. */
  readonly children: ComponentChildren;
  readonly of: Deed;
  /** What harms somebody is dangerous, and wants a reason. */
  readonly kind?: 'plain' | 'danger';
}

/** A button that asks first: it says what will happen, and asks why. */
export const DeedButton = ({ label, title, children, of, kind = 'danger' }: DeedButtonProps) => (
  <AskingButton label={label} title={title} action={of.action} kind={kind} size="small">
    {children}
    <ReasonField of={of} isRequired={kind === 'danger'} />
  </AskingButton>
);
