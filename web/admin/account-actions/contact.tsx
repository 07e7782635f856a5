import { useSignal } from '@preact/signals';
import { api } from '../../core/api.js';
import { t } from '../../core/language.js';
import { Field, fieldOf } from '../../kit/field.js';
import { hasFlag } from '../parts/flags.js';
import { type AdminUser, hasAcl } from '../rights.js';
import { isOffered } from './account.js';
import {
  type AccountAction,
  ActionDialog,
  type ActionProps,
  type Sent,
  simpleDialog,
  useAccountAction,
} from './parts.js';
import { hasRequirement } from './requirements.js';

const EMAIL = '/v1/admin/users/{user_id}/email';
const VERIFICATION = '/v1/admin/users/{user_id}/email-verification';
const BOUNCE = '/v1/admin/users/{user_id}/email-bounce';
const MAIL = '/v1/admin/users/{user_id}/verification-email';
const PHONE = '/v1/admin/users/{user_id}/phone-verification';

/**
 * Requirements that a verified email address fulfills, and those that need a new verification (account.md section 7).
 */
const MET_BY_VERIFIED_EMAIL = 0b1111_0011;
const MET_BY_REVERIFIED_EMAIL = 0b1010_0010;

/** The state of the email address. Without `user:view:email` it is unknown, so every operation is offered. */
function addressOf(user: AdminUser) {
  const isSeen = hasAcl('user:view:email');
  const isSound = isSeen && user.email_verified && !user.email_bounced;
  return {
    isSeen,
    isThere: !isSeen || user.email !== null,
    canBeVerified: !isSound || hasRequirement(user, MET_BY_VERIFIED_EMAIL),
    wantsMail: !isSound || hasRequirement(user, MET_BY_REVERIFIED_EMAIL),
    mayBounce: !isSeen || !user.email_bounced,
    mayArriveAgain: !isSeen || user.email_bounced,
  };
}

function ChangeEmail(props: ActionProps) {
  const email = useSignal('');
  const auditedAction = useAccountAction(
    props,
    'changeEmail',
    (sent) => api.patch(EMAIL, { ...sent, body: { email: email.value.trim() } }),
    { fields: ['email'] },
  );
  const isTaken = auditedAction.action.failure.value?.code === 'EMAIL_ALREADY_IN_USE';
  const field = fieldOf(email, auditedAction.action, 'email');
  return (
    <ActionDialog {...props} name="changeEmail" kind="main" auditedAction={auditedAction}>
      <Field
        {...field}
        wrong={isTaken ? t('adminActions.emailTaken') : field.wrong}
        label={t('adminActions.newEmail')}
        type="email"
        autocomplete="off"
        isVerbatim
        required
        maxLength={254}
      />
    </ActionDialog>
  );
}

const setBounce = (bounced: boolean) => (sent: Sent) => api.put(BOUNCE, { ...sent, body: { bounced } });
const setPhone = (isVerified: boolean) => (sent: Sent) =>
  api.put(PHONE, { ...sent, body: { has_verified_phone: isVerified } });
const mayPhone = (user: AdminUser): boolean => !user.bot && isOffered(user, 'any', 'put', PHONE);

/** Accounts scheduled for deletion get no emails, because the links would restore them. */
export const canGetMail = (user: AdminUser): boolean => addressOf(user).isThere && !hasFlag(user, 'DELETED');

export const MAIL_VERIFICATION_ACTION: AccountAction = {
  name: 'mailVerification',
  isOffered: (user) => canGetMail(user) && addressOf(user).wantsMail && isOffered(user, 'people', 'post', MAIL),
  Form: simpleDialog('mailVerification', 'plain', (sent) => api.post(MAIL, sent)),
};

/** Email address, emails and phone number. */
export const CONTACT: readonly AccountAction[] = [
  { name: 'changeEmail', isOffered: (user) => isOffered(user, 'people', 'patch', EMAIL), Form: ChangeEmail },
  MAIL_VERIFICATION_ACTION,
  {
    name: 'verifyEmail',
    isOffered: (user) =>
      addressOf(user).isThere && addressOf(user).canBeVerified && isOffered(user, 'people', 'put', VERIFICATION),
    Form: simpleDialog('verifyEmail', 'plain', (sent) => api.put(VERIFICATION, sent)),
  },
  {
    name: 'bounce',
    isOffered: (user) =>
      addressOf(user).isThere && addressOf(user).mayBounce && isOffered(user, 'people', 'put', BOUNCE),
    Form: simpleDialog('bounce', 'main', setBounce(true)),
  },
  {
    name: 'unbounce',
    isOffered: (user) =>
      addressOf(user).isThere && addressOf(user).mayArriveAgain && isOffered(user, 'people', 'put', BOUNCE),
    Form: simpleDialog('unbounce', 'plain', setBounce(false)),
  },
  {
    name: 'verifyPhone',
    isOffered: (user) => mayPhone(user) && !user.has_verified_phone,
    Form: simpleDialog('verifyPhone', 'plain', setPhone(true)),
  },
  {
    name: 'forgetPhone',
    isOffered: (user) => mayPhone(user) && user.has_verified_phone,
    Form: simpleDialog('forgetPhone', 'danger', setPhone(false)),
  },
];
