import { useSignal } from '@preact/signals';
import { api } from '../../core/api.js';
import { t } from '../../core/language.js';
import { Field, fieldOf } from '../../kit/field.js';
import { hasFlag } from '../parts/flags.js';
import { type AdminUser, holds } from '../rights.js';
import { type DeedsProps, offers } from './account.js';
import { isDemanded } from './demands.js';
import { Doing, Group, Matter, Plainly, type Sent, useAccountDeed } from './parts.js';

const EMAIL = '/v1/admin/users/{user_id}/email';
const VERIFICATION = '/v1/admin/users/{user_id}/email-verification';
const BOUNCE = '/v1/admin/users/{user_id}/email-bounce';
const MAIL = '/v1/admin/users/{user_id}/verification-email';
const RESET = '/v1/admin/users/{user_id}/password-reset';
const PHONE = '/v1/admin/users/{user_id}/phone-verification';

/**
 * Requirements that a verified email address fulfills, and those that need a new verification (account.md section 7).
 */
const MET_BY_EMAIL = 0b1111_0011;
const MET_ANEW = 0b1010_0010;

/** The state of the email address. Without `user:view:email` it is unknown, so every operation is offered. */
function addressOf(user: AdminUser) {
  const isSeen = holds('user:view:email');
  const isSound = isSeen && user.email_verified && !user.email_bounced;
  return {
    isSeen,
    isThere: !isSeen || user.email !== null,
    canBeVerified: !isSound || isDemanded(user, MET_BY_EMAIL),
    wantsMail: !isSound || isDemanded(user, MET_ANEW),
    mayBounce: !isSeen || !user.email_bounced,
    mayArriveAgain: !isSeen || user.email_bounced,
  };
}

function Standing({ user }: { readonly user: AdminUser }) {
  if (!holds('user:view:email')) return <>{t('adminDeeds.emailUnseen')}</>;
  if (user.email === null) return <>{t('adminDeeds.emailNone')}</>;
  return (
    <>
      <bdi>{user.email}</bdi> · {t(user.email_verified ? 'adminDeeds.emailVerified' : 'adminDeeds.emailUnverified')}
      {user.email_bounced && ` · ${t('adminDeeds.emailBounced')}`}
    </>
  );
}

function ChangeEmail(props: DeedsProps) {
  const email = useSignal('');
  const deed = useAccountDeed(
    props,
    'changeEmail',
    async (sent) => {
      const answer = await api.patch(EMAIL, { ...sent, body: { email: email.value.trim() } });
      email.value = '';
      return answer;
    },
    { fields: ['email'] },
  );
  const isTaken = deed.action.failure.value?.code === 'EMAIL_ALREADY_IN_USE';
  const field = fieldOf(email, deed.action, 'email');
  return (
    <Doing user={props.user} name="changeEmail" deed={deed}>
      <Field
        {...field}
        wrong={isTaken ? t('adminDeeds.emailTaken') : field.wrong}
        label={t('adminDeeds.newEmail')}
        type="email"
        autocomplete="off"
        isVerbatim
        required
        maxLength={254}
      />
    </Doing>
  );
}

function EmailMatter(props: DeedsProps) {
  const { user } = props;
  const { isThere, canBeVerified, mayBounce, mayArriveAgain } = addressOf(user);
  const setBounce = (bounced: boolean) => (sent: Sent) => api.put(BOUNCE, { ...sent, body: { bounced } });
  return (
    <Matter title="adminDeeds.email" state={<Standing user={user} />}>
      {offers(user, 'people', 'patch', EMAIL) && <ChangeEmail {...props} />}
      {isThere && canBeVerified && offers(user, 'people', 'put', VERIFICATION) && (
        <Plainly {...props} name="verifyEmail" kind="plain" work={(sent) => api.put(VERIFICATION, sent)} />
      )}
      {isThere && offers(user, 'people', 'put', BOUNCE) && (
        <>
          {mayBounce && <Plainly {...props} name="bounce" work={setBounce(true)} />}
          {mayArriveAgain && <Plainly {...props} name="unbounce" kind="plain" work={setBounce(false)} />}
        </>
      )}
    </Matter>
  );
}

/** Emails to the user. Accounts scheduled for deletion get none, because the links would restore them. */
function MailsMatter(props: DeedsProps) {
  const { user } = props;
  const { wantsMail } = addressOf(user);
  const isLeaving = hasFlag(user, 'DELETED');
  return (
    <Matter title="adminDeeds.mails" state={t(isLeaving ? 'adminDeeds.noMails' : 'adminDeeds.mailsHint')}>
      {!isLeaving && wantsMail && offers(user, 'people', 'post', MAIL) && (
        <Plainly {...props} name="mailVerification" kind="plain" work={(sent) => api.post(MAIL, sent)} />
      )}
      {!isLeaving && offers(user, 'people', 'post', RESET) && (
        <Plainly {...props} name="mailReset" kind="plain" work={(sent) => api.post(RESET, sent)} />
      )}
    </Matter>
  );
}

function PhoneMatter(props: DeedsProps) {
  const isVerified = props.user.has_verified_phone;
  return (
    <Matter title="adminDeeds.phone" state={t(isVerified ? 'adminDeeds.phoneVerified' : 'adminDeeds.phoneNone')}>
      <Plainly
        key={String(isVerified)}
        {...props}
        name={isVerified ? 'forgetPhone' : 'verifyPhone'}
        kind={isVerified ? 'danger' : 'plain'}
        work={(sent) => api.put(PHONE, { ...sent, body: { has_verified_phone: !isVerified } })}
      />
    </Matter>
  );
}

/** Email address, emails and phone number. */
export function Contact(props: DeedsProps) {
  const { user } = props;
  const mayMail = offers(user, 'people', 'patch', EMAIL);
  const mayPhone = !user.bot && offers(user, 'any', 'put', PHONE);
  if (!(mayMail || mayPhone)) return null;
  return (
    <Group title="adminDeeds.contact">
      {mayMail && <EmailMatter {...props} />}
      {mayMail && addressOf(user).isThere && <MailsMatter {...props} />}
      {mayPhone && <PhoneMatter {...props} />}
    </Group>
  );
}
