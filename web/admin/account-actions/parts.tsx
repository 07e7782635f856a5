import type { ComponentChildren, ComponentType } from 'preact';
import type { ActionOptions } from '../../core/action.js';
import { rich, type TranslationKey, t } from '../../core/language.js';
import { ConfirmDialog } from '../../kit/confirm-button.js';
import { toast } from '../../kit/toast.js';
import { type AuditedAction, ReasonField, type ReasonHeaders, useAuditedAction } from '../parts/audited-action.js';
import type { AdminUser } from '../rights.js';
import { type AccountActionsProps, nameOf } from './account.js';

/** Operations by the prefix of their translations: button, question, effect and confirmation. */
export type AccountActionName =
  | 'ban'
  | 'unban'
  | 'endLockdown'
  | 'disable'
  | 'enable'
  | 'endSessions'
  | 'approve'
  | 'reject'
  | 'changeEmail'
  | 'verifyEmail'
  | 'bounce'
  | 'unbounce'
  | 'mailVerification'
  | 'mailReset'
  | 'verifyPhone'
  | 'forgetPhone'
  | 'disableMfa'
  | 'linkSso'
  | 'unlinkSso'
  | 'setAcls'
  | 'setFlags'
  | 'setTraits'
  | 'setDemands'
  | 'scheduleDeletion'
  | 'cancelDeletion';

export type Kind = 'plain' | 'main' | 'danger';

export interface ActionProps extends AccountActionsProps {
  readonly onClose: () => void;
}

/** An operation in the menu. */
export interface AccountAction {
  readonly name: AccountActionName;
  /** True if it applies to the account and the administrator may run it. */
  readonly isOffered: (user: AdminUser) => boolean;
  /** Replaces the default translation. */
  readonly label?: (user: AdminUser) => TranslationKey | undefined;
  /** Its dialog, which is shown as long as it is mounted. */
  readonly Form: ComponentType<ActionProps>;
}

/** The path and headers of a request for an account. */
export interface Sent extends ReasonHeaders {
  readonly path: { readonly user_id: string };
}

type Work = (sent: Sent) => Promise<unknown>;

const isChanged = (response: unknown): response is { readonly user: AdminUser } =>
  typeof response === 'object' && response !== null && 'user' in response;

/**
 * An operation on the account. Afterwards the page uses the account from the response, or reloads it if there is none.
 */
export function useAccountAction(
  { user, take, again }: AccountActionsProps,
  name: AccountActionName,
  work: Work,
  options?: ActionOptions,
) {
  return useAuditedAction(async (reasoned) => {
    const response = await work({ path: { user_id: user.id }, ...reasoned });
    toast(t(`adminActions.${name}Done`));
    if (isChanged(response)) take(response.user);
    else await again();
  }, options);
}

interface ActionDialogProps extends ActionProps {
  readonly name: AccountActionName;
  readonly auditedAction: AuditedAction;
  /** `plain`: the reason is optional. `danger`: the button is red. */
  readonly kind: Kind;
  /** Replaces the default translations. */
  readonly label?: TranslationKey;
  readonly what?: TranslationKey;
  readonly children?: ComponentChildren;
}

/** The dialog of an operation. It names the effect and the account. */
export const ActionDialog = ({
  user,
  onClose,
  name,
  auditedAction,
  kind,
  label,
  what,
  children,
}: ActionDialogProps) => (
  <ConfirmDialog
    isOpen
    label={t(label ?? `adminActions.${name}`)}
    title={t(`adminActions.${name}Title`)}
    action={auditedAction.action}
    isDanger={kind === 'danger'}
    onClose={onClose}
  >
    <p>{rich(what ?? `adminActions.${name}What`, { name: <bdi key="name">{nameOf(user)}</bdi> })}</p>
    {children}
    <ReasonField of={auditedAction} isRequired={kind !== 'plain'} />
  </ConfirmDialog>
);

/** An operation that needs only a reason. */
export function simpleDialog(name: AccountActionName, kind: Kind, work: Work): AccountAction['Form'] {
  return function SimpleDialog(props) {
    const auditedAction = useAccountAction(props, name, work);
    return <ActionDialog {...props} name={name} kind={kind} auditedAction={auditedAction} />;
  };
}
