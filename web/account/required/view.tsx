import { useSignal } from '@preact/signals';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { type TranslationKey, t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { FailureNotice, Notice } from '../../kit/notice.js';
import { load, requirements, user } from '../account.js';
import { AddressChange, isBounced } from '../contact/address.js';
import { PhoneCheck } from '../contact/phone.js';

const EMAIL = /EMAIL/;
const PHONE = /PHONE/;

/** The translation key of a requirement (account.md section 7). */
const wordsOf = (name: string): TranslationKey => `required.${name}` as TranslationKey;

function ByEmail() {
  const isSent = useSignal(false);
  const send = useAction(async () => {
    await api.post('/v1/auth/verify/resend');
    isSent.value = true;
  });
  const email = user.value?.email ?? '';
  return (
    <section class="section" aria-labelledby="by-email">
      <h2 id="by-email">{t('required.byEmail')}</h2>
      <p>{t('required.byEmailHint', { email })}</p>
      <FailureNotice of={send} />
      {isSent.value && <Notice kind="good">{t('required.mailSent')}</Notice>}
      <div>
        <Button action={send}>{t(isSent.value ? 'account.sendAgain' : 'required.sendMail')}</Button>
      </div>
    </section>
  );
}

function ByNewAddress() {
  return (
    <section class="section" aria-labelledby="by-address">
      <h2 id="by-address">{t('required.newAddress')}</h2>
      <p>{t(isBounced(user.value) ? 'required.newAddressHint' : 'required.addressHint')}</p>
      <AddressChange />
    </section>
  );
}

const ByPhone = () => (
  <section class="section" aria-labelledby="by-phone">
    <h2 id="by-phone">{t('required.byPhone')}</h2>
    <p>{t('required.byPhoneHint')}</p>
    <PhoneCheck />
  </section>
);

/** Lists the open requirements with forms to complete them. Disappears when all are completed. */
export default function Required() {
  const names = requirements.value;
  const again = useAction(load);
  return (
    <>
      <Notice kind="warn" isAnnounced={false}>
        <p>{t('required.why')}</p>
        <ul>
          {names.map((name) => (
            <li key={name}>{t(wordsOf(name))}</li>
          ))}
        </ul>
      </Notice>
      {names.some((name) => EMAIL.test(name)) &&
        (isBounced(user.value) || !user.value?.email ? <ByNewAddress /> : <ByEmail />)}
      {names.some((name) => PHONE.test(name)) && <ByPhone />}
      <div>
        <Button kind="plain" action={again}>
          {t('required.lookAgain')}
        </Button>
      </div>
    </>
  );
}
