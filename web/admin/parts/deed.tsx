import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { type Action, type ActionOptions, useAction } from '../../core/action.js';
import { t } from '../../core/language.js';
import { AskingButton } from '../../kit/asking.js';
import { TextArea } from '../../kit/field.js';

/** Headers that every audited operation sends. */
export interface Reasoned {
  readonly headers: Readonly<Record<string, string>>;
}

/** An operation on others, with a reason for the audit log. */
export interface Deed {
  readonly action: Action;
  readonly reason: Signal<string>;
}

/** Header values are bytes. The service decodes them as UTF-8. */
const bytesOf = (text: string): string => String.fromCharCode(...new TextEncoder().encode(text));

/** The header for a reason; none if it is empty. */
export function reasoned(reason: string): Reasoned {
  const said = reason.replace(/\s+/g, ' ').trim();
  return { headers: said ? { 'x-audit-log-reason': bytesOf(said) } : {} };
}

/** @param work receives the headers to send */
export function useDeed(work: (sent: Reasoned) => Promise<unknown>, options?: ActionOptions): Deed {
  const reason = useSignal('');
  const action = useAction(async () => {
    await work(reasoned(reason.value));
    reason.value = '';
  }, options);
  return { action, reason };
}

/** Maximum length of a reason (admin.md section 5.3). */
const REASON_LENGTH = 512;

export const ReasonField = ({ of: { reason }, isRequired }: { readonly of: Deed; readonly isRequired?: boolean }) => (
  <TextArea
    name="reason"
    label={t('admin.reason')}
    hint={t('admin.reasonHint')}
    value={reason.value}
    onValue={(value) => {
      // Whitespace alone is not a reason.
      reason.value = value.trimStart();
    }}
    maxLength={REASON_LENGTH}
    {...(isRequired ? { required: true } : {})}
  />
);

export interface DeedButtonProps {
  /** Label of the button that opens the dialog and of the one that confirms. */
  readonly label: string;
  readonly title: string;
  /** One sentence with the effect and the target, and the required fields. */
  readonly children: ComponentChildren;
  readonly of: Deed;
  /** `danger`: harmful operations, which require a reason. */
  readonly kind?: 'plain' | 'danger';
}

/** A button with a dialog that names the effect and asks for a reason. */
export const DeedButton = ({ label, title, children, of, kind = 'danger' }: DeedButtonProps) => (
  <AskingButton label={label} title={title} action={of.action} kind={kind} size="small">
    {children}
    <ReasonField of={of} isRequired={kind === 'danger'} />
  </AskingButton>
);
