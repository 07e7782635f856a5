import { api } from '../../core/api.js';
import { formatDateTime, type TranslationKey, t } from '../../core/language.js';
import { BAN_ACTION } from '../account-actions/access.js';
import { aclsBeyondOwn, isSelf } from '../account-actions/account.js';
import type { BanDraft } from '../account-actions/ban-fields.js';
import { MAIL_VERIFICATION_ACTION } from '../account-actions/contact.js';
import type { AccountAction, Sent } from '../account-actions/parts.js';
import { END_SESSIONS_ACTION } from '../account-actions/security.js';
import { isErased } from '../parts/flags.js';
import { type AdminUser, can, type Operation } from '../rights.js';

type Ban = ReturnType<BanDraft['body']>;

/** An operation on many accounts, which is one request for each account. */
export interface BulkAction {
  readonly name: 'ban' | 'endSessions' | 'mailVerification';
  readonly operation: Operation;
  /** The operation on one account. */
  readonly single: AccountAction;
  /** It needs a reason, and its button is red. */
  readonly isHarmful: boolean;
  readonly send: (sent: Sent, ban: Ban) => Promise<unknown>;
  /** What happens to an account. */
  readonly effect: (user: AdminUser, ban: Ban) => string;
}

const HOUR_MS = 3_600_000;

function banEffect({ banned }: AdminUser, { duration_hours: hours }: Ban): string {
  const words =
    hours > 0
      ? t('adminPerson.bannedUntil', { time: formatDateTime(Date.now() + hours * HOUR_MS) })
      : t('adminPerson.bannedForever');
  return banned ? `${words} (${t('adminPeople.replacesBan')})` : words;
}

const ACTIONS: readonly BulkAction[] = [
  {
    name: 'ban',
    operation: ['put', '/v1/admin/users/{user_id}/ban'],
    single: BAN_ACTION,
    isHarmful: true,
    send: (sent, body) => api.put('/v1/admin/users/{user_id}/ban', { ...sent, body }),
    effect: banEffect,
  },
  {
    name: 'endSessions',
    operation: ['delete', '/v1/admin/users/{user_id}/sessions'],
    single: END_SESSIONS_ACTION,
    isHarmful: true,
    send: (sent) => api.delete('/v1/admin/users/{user_id}/sessions', sent),
    effect: () => t('adminActions.endSessionsDone'),
  },
  {
    name: 'mailVerification',
    operation: ['post', '/v1/admin/users/{user_id}/verification-email'],
    single: MAIL_VERIFICATION_ACTION,
    isHarmful: false,
    send: (sent) => api.post('/v1/admin/users/{user_id}/verification-email', sent),
    effect: ({ email }) => (email === null ? t('adminPeople.getsEmail') : t('adminPeople.emailTo', { email })),
  },
];

/** The operations that the administrator may run. */
export const offeredActions = (): readonly BulkAction[] => ACTIONS.filter(({ operation }) => can(...operation));

/** Why an account is left out. Undefined if the operation applies to it. */
export function whyLeftOut({ single }: BulkAction, user: AdminUser): TranslationKey | undefined {
  // Also keeps administrators from ending their own session during the operation.
  if (isSelf(user)) return 'adminPeople.own';
  if (isErased(user)) return 'adminPeople.erased';
  if (aclsBeyondOwn(user).length > 0) return 'adminPeople.beyond';
  if (single.isOffered(user)) return undefined;
  return user.bot ? 'adminPerson.bot' : 'adminPeople.notNeeded';
}
