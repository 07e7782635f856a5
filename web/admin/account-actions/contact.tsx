import { useSignal } from '@preact/signals';
import { api } from '../../core/api.js';
import { t } from '../../core/language.js';
import { Field, fieldOf } from '../../kit/field.js';
import { hasFlag } from '../parts/flags.js';
import { type AdminUser, hasAcl } from '../rights.js';
import { type AccountActionsProps, isOffered } from './account.js';
import { AccountActionButton, ActionRow, Group, type Sent, SimpleAction, useAccountAction } from './parts.js';
import { hasRequirement } from './requirements.js';

const EMAIL = '/v1/admin/users/{user_id}/email';
const VERIFICATION = '/v1/admin/users/{user_id}/email-verification';
const BOUNCE = '/v1/admin/users/{user_id}/email-bounce';
const MAIL = '/v1/admin/users/{user_id}/verification-email';
const RESET = '/v1/admin/users/{user_id}/password-reset';
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

function EmailState({ user }: { readonly user: AdminUser }) {
  if (!hasAcl('user:view:email')) return <>{t('adminActions.emailUnseen')}</>;
  if (user.email === null) return <>{t('adminActions.emailNone')}</>;
  return (
    <>
      <bdi>{user.email}</bdi> · {t(user.email_verified ? 'adminActions.emailVerified' : 'adminActions.emailUnverified')}
      {user.email_bounced && ` · ${t('adminActions.emailBounced')}`}
    </>
  );
}

function ChangeEmail(props: AccountActionsProps) {
  const email = useSignal('');
  const auditedAction = useAccountAction(
    props,
    'changeEmail',
    async (sent) => {
      const answer = await api.patch(EMAIL, { ...sent, body: { email: email.value.trim() } });
      email.value = '';
      return answer;
    },
    { fields: ['email'] },
  );
  const isTaken = auditedAction.action.failure.value?.code === 'EMAIL_ALREADY_IN_USE';
  const field = fieldOf(email, auditedAction.action, 'email');
  return (
    <AccountActionButton user={props.user} name="changeEmail" auditedAction={auditedAction}>
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
    </AccountActionButton>
  );
}

function EmailMatter(props: AccountActionsProps) {
  const { user } = props;
  const { isThere, canBeVerified, mayBounce, mayArriveAgain } = addressOf(user);
  const setBounce = (bounced: boolean) => (sent: Sent) => api.put(BOUNCE, { ...sent, body: { bounced } });
  return (
    <ActionRow title="adminActions.email" state={<EmailState user={user} />}>
      {isOffered(user, 'people', 'patch', EMAIL) && <ChangeEmail {...props} />}
      {isThere && canBeVerified && isOffered(user, 'people', 'put', VERIFICATION) && (
        <SimpleAction {...props} name="verifyEmail" kind="plain" work={(sent) => api.put(VERIFICATION, sent)} />
      )}
      {isThere && isOffered(user, 'people', 'put', BOUNCE) && (
        <>
          {mayBounce && <SimpleAction {...props} name="bounce" work={setBounce(true)} />}
          {mayArriveAgain && <SimpleAction {...props} name="unbounce" kind="plain" work={setBounce(false)} />}
        </>
      )}
    </ActionRow>
  );
}

/** Emails to the user. Accounts scheduled for deletion get none, because the links would restore them. */
function MailsMatter(props: AccountActionsProps) {
  const { user } = props;
  const { wantsMail } = addressOf(user);
  const isLeaving = hasFlag(user, 'DELETED');
  return (
    <ActionRow title="adminActions.mails" state={t(isLeaving ? 'adminActions.noMails' : 'adminActions.mailsHint')}>
      {!isLeaving && wantsMail && isOffered(user, 'people', 'post', MAIL) && (
        <SimpleAction {...props} name="mailVerification" kind="plain" work={(sent) => api.post(MAIL, sent)} />
      )}
      {!isLeaving && isOffered(user, 'people', 'post', RESET) && (
        <SimpleAction {...props} name="mailReset" kind="plain" work={(sent) => api.post(RESET, sent)} />
      )}
    </ActionRow>
  );
}

function PhoneMatter(props: AccountActionsProps) {
  const isVerified = props.user.has_verified_phone;
  return (
    <ActionRow
      title="adminActions.phone"
      state={t(isVerified ? 'adminActions.phoneVerified' : 'adminActions.phoneNone')}
    >
      <SimpleAction
        key={String(isVerified)}
        {...props}
        name={isVerified ? 'forgetPhone' : 'verifyPhone'}
        kind={isVerified ? 'danger' : 'plain'}
        work={(sent) => api.put(PHONE, { ...sent, body: { has_verified_phone: !isVerified } })}
      />
    </ActionRow>
  );
}

/** Email address, emails and phone number. */
export function Contact(props: AccountActionsProps) {
  const { user } = props;
  const mayMail = isOffered(user, 'people', 'patch', EMAIL);
  const mayPhone = !user.bot && isOffered(user, 'any', 'put', PHONE);
  if (!(mayMail || mayPhone)) return null;
  return (
    <Group title="adminActions.contact">
      {mayMail && <EmailMatter {...props} />}
      {mayMail && addressOf(user).isThere && <MailsMatter {...props} />}
      {mayPhone && <PhoneMatter {...props} />}
    </Group>
  );
}
