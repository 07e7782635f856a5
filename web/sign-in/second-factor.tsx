import type { ApiError } from '@gatehouse-auth/client';
import { useSignal } from '@preact/signals';
import { useAction } from '../core/action.js';
import { api } from '../core/api.js';
import { t } from '../core/language.js';
import { hasPasskeys, PasskeyCancelled, requestAssertion } from '../core/passkeys.js';
import { Button } from '../kit/button.js';
import { CodeField, fieldOf } from '../kit/field.js';
import { useStep } from '../kit/frame.js';
import { Notice } from '../kit/notice.js';
import { SignInFailure } from './failure.js';
import { detectSsoEnforced } from './service.js';
import type { Challenge, SignedIn } from './signed-in.js';

interface AccountLineProps {
  /** Null if an identity provider identified the user. */
  readonly email: string | null;
  readonly onOther: () => void;
}

/** Names the account of a step and leads back to the choice of an account. */
const AccountLine = ({ email, onOther }: AccountLineProps) => (
  <p class="account-line">
    {email !== null && (
      <>
        <bdi>{email}</bdi>
        <span aria-hidden="true"> · </span>
      </>
    )}
    <Button kind="bare" size="small" onClick={onOther}>
      {t('signIn.notYou')}
    </Button>
  </p>
);

export interface SecondFactorProps {
  readonly challenge: Challenge;
  /** The account that signs in, if the user can choose another one. */
  readonly account?: AccountLineProps;
  readonly onSignedIn: (answer: SignedIn) => void;
  /** Called when the challenge has expired or had too many wrong codes. */
  readonly onTimeout: () => void;
}

/** The second-factor step, within a `Frame`: a code of the authenticator app, a passkey, or a backup code. */
export function SecondFactor({ challenge, account, onSignedIn, onTimeout }: SecondFactorProps) {
  useStep('signIn.factorTitle');
  const { ticket, totp, webauthn, backup_codes: hasBackup } = challenge;
  const code = useSignal('');
  const isBackup = useSignal(!totp);
  const isCancelled = useSignal(false);
  const caught = (refused: ApiError): boolean => {
    if (refused.of('ticket') === 'SESSION_TIMEOUT') {
      onTimeout();
      return true;
    }
    return detectSsoEnforced(refused);
  };

  const enter = useAction(
    async () => {
      passkey.clear();
      isCancelled.value = false;
      const body = { ticket, code: code.value.replace(/\s/g, '') };
      onSignedIn(await api.post('/v1/auth/login/mfa/totp', { body }));
    },
    { fields: ['code'], onError: caught },
  );
  const passkey = useAction(
    async () => {
      enter.clear();
      isCancelled.value = false;
      try {
        const options = await api.post('/v1/auth/login/mfa/webauthn/authentication-options', { body: { ticket } });
        const response = (await requestAssertion(options)) as never;
        const body = { ticket, challenge: options.challenge, response };
        onSignedIn(await api.post('/v1/auth/login/mfa/webauthn', { body }));
      } catch (error) {
        if (!(error instanceof PasskeyCancelled)) throw error;
        isCancelled.value = true;
      }
    },
    { onError: caught },
  );

  const takesCode = totp || hasBackup;
  const backup = isBackup.value;
  return (
    <>
      {account && <AccountLine {...account} />}
      <p>{t(takesCode ? 'signIn.factorWhy' : 'signIn.factorWhyPasskey')}</p>
      <SignInFailure of={enter} />
      <SignInFailure of={passkey} />
      {isCancelled.value && <Notice kind="bad">{t('signIn.passkeyCancelled')}</Notice>}
      {takesCode && (
        <form class="stack" onSubmit={enter.run}>
          <CodeField
            key={String(backup)}
            {...fieldOf(code, enter, 'code')}
            isFirst
            {...(backup ? {} : { onSixDigits: enter.run })}
            label={t(backup ? 'signIn.backupCode' : 'signIn.code')}
            hint={t(backup ? 'signIn.backupCodeHint' : 'signIn.codeHint')}
            inputMode={backup ? 'text' : 'numeric'}
            autocomplete={backup ? 'off' : 'one-time-code'}
            required
            maxLength={32}
          />
          <Button submits action={enter} size="wide">
            {t('common.continue')}
          </Button>
        </form>
      )}
      {takesCode && webauthn && hasPasskeys() && <p class="or">{t('signIn.or')}</p>}
      {webauthn && hasPasskeys() && (
        <Button action={passkey} kind={takesCode ? 'plain' : 'main'} size="wide">
          {t('sudo.passkey')}
        </Button>
      )}
      {!takesCode && !hasPasskeys() && <Notice kind="warn">{t('signIn.noPasskeysHere')}</Notice>}
      {totp && hasBackup && (
        <Button
          kind="bare"
          onClick={() => {
            isBackup.value = !backup;
            code.value = '';
            enter.clear();
          }}
        >
          {t(backup ? 'signIn.useCode' : 'signIn.useBackupCode')}
        </Button>
      )}
    </>
  );
}
