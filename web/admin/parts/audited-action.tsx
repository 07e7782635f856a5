import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { type Action, type ActionOptions, useAction } from '../../core/action.js';
import { t } from '../../core/language.js';
import { ConfirmButton } from '../../kit/confirm-button.js';
import { TextArea } from '../../kit/field.js';

/** Headers that every audited operation sends. */
export interface ReasonHeaders {
  readonly headers: Readonly<Record<string, string>>;
}

/** An operation on others, with a reason for the audit log. */
export interface AuditedAction {
  readonly action: Action;
  readonly reason: Signal<string>;
}

/** Header values are bytes. The service decodes them as UTF-8. */
const toByteString = (text: string): string => String.fromCharCode(...new TextEncoder().encode(text));

/** The header for a reason; none if it is empty. */
export function toReasonHeaders(reason: string): ReasonHeaders {
  const said = reason.replace(/\s+/g, ' ').trim();
  return { headers: said ? { 'x-audit-log-reason': toByteString(said) } : {} };
}

/** @param work receives the headers to send */
export function useAuditedAction(
  work: (sent: ReasonHeaders) => Promise<unknown>,
  options?: ActionOptions,
): AuditedAction {
  const reason = useSignal('');
  const action = useAction(async () => {
    await work(toReasonHeaders(reason.value));
    reason.value = '';
  }, options);
  return { action, reason };
}

/** Maximum length of a reason (admin.md section 5.3). */
const REASON_LENGTH = 512;

export const ReasonField = ({
  of: { reason },
  isRequired,
}: {
  readonly of: AuditedAction;
  readonly isRequired?: boolean;
}) => (
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

export interface AuditedActionButtonProps {
  /** Label of the button that opens the dialog and of the one that confirms. */
  readonly label: string;
  readonly title: string;
  /** One sentence with the effect and the target, and the required fields. */
  readonly children: ComponentChildren;
  readonly of: AuditedAction;
  /** `danger`: harmful operations, which require a reason. */
  readonly kind?: 'plain' | 'danger';
}

/** A button with a dialog that names the effect and asks for a reason. */
export const AuditedActionButton = ({ label, title, children, of, kind = 'danger' }: AuditedActionButtonProps) => (
  <ConfirmButton label={label} title={title} action={of.action} kind={kind} size="small">
    {children}
    <ReasonField of={of} isRequired={kind === 'danger'} />
  </ConfirmButton>
);
