import { useSignal } from '@preact/signals';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { CodeField, Field, fieldOf } from '../../kit/field.js';
import { FailureNotice } from '../../kit/notice.js';
import { load } from '../account.js';
import { useStepFocus } from './steps.js';

/** Verifies a phone number by text message. The service does not store the number, so it cannot be shown. */
export function PhoneCheck({ onVerified = () => {} }: { readonly onVerified?: () => void }) {
  const phone = useSignal('');
  const code = useSignal('');
  const isSent = useSignal(false);
  const place = useStepFocus<HTMLFormElement>(String(isSent.value));
  const send = useAction(
    async () => {
      await api.post('/v1/users/@me/phone/send-verification', { body: { phone: phone.value } });
      code.value = '';
      isSent.value = true;
    },
    { fields: ['phone'] },
  );
  const prove = useAction(
    async () => {
      await api.post('/v1/users/@me/phone/verify', { body: { phone: phone.value, code: code.value } });
      isSent.value = false;
      phone.value = '';
      onVerified();
      await load();
    },
    { fields: ['code'] },
  );
  return (
    <form class="stack" ref={place} onSubmit={isSent.value ? prove.run : send.run}>
      <FailureNotice of={isSent.value ? prove : send} />
      {isSent.value ? (
        <CodeField
          {...fieldOf(code, prove, 'code')}
          onSixDigits={prove.run}
          inputMode="numeric"
          label={t('required.textedCode', { phone: phone.value })}
          required
        />
      ) : (
        <Field
          {...fieldOf(phone, send, 'phone')}
          type="tel"
          autocomplete="tel"
          inputMode="tel"
          isVerbatim
          label={t('required.phone')}
          hint={t('required.phoneHint')}
          required
        />
      )}
      <div class="row">
        <Button submits action={isSent.value ? prove : send}>
          {t(isSent.value ? 'common.confirm' : 'required.sendCode')}
        </Button>
        {isSent.value && (
          <Button
            kind="bare"
            onClick={() => {
              isSent.value = false;
            }}
          >
            {t('required.otherPhone')}
          </Button>
        )}
      </div>
    </form>
  );
}
