import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { api } from '../../core/api.js';
import { t } from '../../core/language.js';
import { Loading, useLoaded } from '../../kit/loaded.js';
import { useLostFocus } from '../../kit/lost-focus.js';
import { user } from '../account.js';
import { offerToEndOthers } from '../sessions/offer.js';
import { Authenticator } from './authenticator.js';
import { BackupCodes } from './backup-codes.js';
import { type Codes, CodesDialog } from './codes.js';

export default function Factors() {
  const methods = useLoaded(
    () => api.get('/v1/users/@me/sudo/mfa-methods'),
    ['USER_UPDATE', 'WEBAUTHN_CREDENTIALS_UPDATE'],
  );
  const codes = useSignal<Codes | null>(null);
  const start = useRef<HTMLParagraphElement>(null);
  useLostFocus(start);
  const show = (made: Codes) => {
    codes.value = made;
  };
  const changed = () => methods.again.run();
  return (
    <>
      <p ref={start} tabIndex={-1}>
        {t(user.value?.mfa_enabled ? 'factors.isOn' : 'factors.isOff')}{' '}
        <a href="/account/passkeys">{t('factors.toPasskeys')}</a>
      </p>
      <Loading of={methods}>
        {({ totp, has_mfa: hasFactor, backup_codes: hasUnused }) => (
          <>
            <Authenticator isOn={totp} onChanged={changed} onCodes={show} />
            {hasFactor && <BackupCodes hasUnused={hasUnused} onCodes={show} />}
          </>
        )}
      </Loading>
      <CodesDialog
        codes={codes.value}
        onKept={() => {
          codes.value = null;
          void changed();
          offerToEndOthers();
        }}
      />
    </>
  );
}
