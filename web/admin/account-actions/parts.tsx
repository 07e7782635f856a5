import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import type { ActionOptions } from '../../core/action.js';
import { rich, type TranslationKey, t } from '../../core/language.js';
import { toast } from '../../kit/toast.js';
import {
  type AuditedAction,
  AuditedActionButton,
  type ReasonHeaders,
  useAuditedAction,
} from '../parts/audited-action.js';
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
  | 'removePasskey'
  | 'linkSso'
  | 'unlinkSso'
  | 'setAcls'
  | 'setFlags'
  | 'setTraits'
  | 'setDemands'
  | 'scheduleDeletion'
  | 'cancelDeletion';

/** The path and headers of a request for an account. */
export interface Sent extends ReasonHeaders {
  readonly path: { readonly user_id: string };
}

type Work = (sent: Sent) => Promise<unknown>;

const isChanged = (answer: unknown): answer is { readonly user: AdminUser } =>
  typeof answer === 'object' && answer !== null && 'user' in answer;

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
    const answer = await work({ path: { user_id: user.id }, ...reasoned });
    toast(t(`adminActions.${name}Done`));
    if (isChanged(answer)) take(answer.user);
    else await again();
  }, options);
}

interface AccountActionButtonProps {
  readonly user: AdminUser;
  readonly name: AccountActionName;
  readonly auditedAction: AuditedAction;
  readonly kind?: 'plain' | 'danger';
  /** Replaces the default translations. */
  readonly label?: TranslationKey;
  readonly what?: TranslationKey;
  /** Additional values of the sentence. */
  readonly values?: Readonly<Record<string, ComponentChildren>>;
  readonly children?: ComponentChildren;
}

/** The button of an operation. Its dialog names the effect and the account. */
export const AccountActionButton = ({
  user,
  name,
  auditedAction,
  kind = 'danger',
  label,
  what,
  values,
  children,
}: AccountActionButtonProps) => (
  <AuditedActionButton
    label={t(label ?? `adminActions.${name}`)}
    title={t(`adminActions.${name}Title`)}
    of={auditedAction}
    kind={kind}
  >
    <p>{rich(what ?? `adminActions.${name}What`, { name: <bdi key="name">{nameOf(user)}</bdi>, ...values })}</p>
    {children}
  </AuditedActionButton>
);

interface SimpleActionProps extends AccountActionsProps {
  readonly name: AccountActionName;
  readonly kind?: 'plain' | 'danger';
  readonly work: Work;
}

/** An operation that needs only a reason. */
export function SimpleAction({ name, kind, work, ...props }: SimpleActionProps) {
  const auditedAction = useAccountAction(props, name, work);
  return (
    <AccountActionButton user={props.user} name={name} auditedAction={auditedAction} {...(kind ? { kind } : {})} />
  );
}

interface GroupProps {
  readonly title: TranslationKey;
  readonly children: ComponentChildren;
}

/** A group of operations. It takes the focus when a button disappears. */
export function Group({ title, children }: GroupProps) {
  const id = useId();
  return (
    <section class="section" tabIndex={-1} aria-labelledby={id}>
      <h3 id={id}>{t(title)}</h3>
      {children}
    </section>
  );
}

interface ActionRowProps {
  readonly title: TranslationKey;
  /** The current state. */
  readonly state: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** The state of something, with operations to change it. */
export const ActionRow = ({ title, state, children }: ActionRowProps) => (
  <div class="matter">
    <div>
      <h4>{t(title)}</h4>
      <div class="small quiet">{state}</div>
    </div>
    <div class="row">{children}</div>
  </div>
);
