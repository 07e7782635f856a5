import type { SudoFactor, SudoMethods } from '@gatehouse-auth/client';
import { signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Button } from '../kit/button.js';
import { Dialog } from '../kit/dialog.js';
import { CodeField, PasswordField, UsernameForPassword } from '../kit/field.js';
import { FailureNotice, Notice } from '../kit/notice.js';
import { useAction } from './action.js';
import { api, setSudoPrompt } from './api.js';
import { t } from './language.js';
import { PasskeyCancelled, requestAssertion } from './passkeys.js';

interface Question {
  readonly methods: SudoMethods;
  readonly answer: (factor: SudoFactor | null) => void;
}

const question = signal<Question | null>(null);

/** Registers one dialog for all operations that require sudo mode. Canceling changes nothing. */
setSudoPrompt(
  (methods) =>
    new Promise((resolve) => {
      question.value = {
        methods,
        answer: (factor) => {
          question.value = null;
          resolve(factor);
        },
      };
    }),
);

interface SudoDialogProps {
  /** Why a factor is needed, if it is not a change to the account. */
  readonly why?: string;
  /** The credential of the operation, if it is not that of the browser. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Another way to prove the identity, for an account without factors. */
  readonly children?: ComponentChildren;
}

function Factors({ methods, answer: response, why, headers = {} }: Question & SudoDialogProps) {
  const code = useSignal('');
  const password = useSignal('');
  const email = useSignal<string | null>(null);
  const hasFailed = useSignal(false);
  const { totp, webauthn, backup_codes } = methods.methods;
  const passkey = useAction(async () => {
    hasFailed.value = false;
    const options = await api.post('/v1/users/@me/sudo/webauthn/authentication-options', { headers });
    try {
      response({
        mfa_method: 'webauthn',
        webauthn_challenge: options.challenge,
        webauthn_response: await requestAssertion(options),
      });
    } catch (error) {
      if (!(error instanceof PasskeyCancelled)) throw error;
      hasFailed.value = true;
    }
  });
  const submit = (event: Event) => {
    event.preventDefault();
    const typed = methods.password_required ? { password: password.value } : {};
    if (methods.has_mfa) response({ mfa_method: 'totp', mfa_code: code.value, ...typed });
    else response({ password: password.value });
  };
  const takesCode = totp || backup_codes;
  const takesPassword = !methods.has_mfa || methods.password_required;
  useEffect(() => {
    if (!takesPassword) return;
    const name = (me: { readonly email?: string | null }) => {
      email.value = me.email ?? null;
    };
    // Only for password managers, so that the dialog does not wait for it.
    api.get('/v1/users/@me', { headers }).then(name, () => {});
  }, []);
  return (
    <>
      <p>{why ?? t(methods.has_mfa ? 'sudo.whyFactor' : 'sudo.whyPassword')}</p>
      <FailureNotice of={passkey} />
      {hasFailed.value && <Notice kind="bad">{t('sudo.passkeyCancelled')}</Notice>}
      {methods.has_mfa && webauthn && (
        <Button action={passkey} kind={takesCode ? 'plain' : 'main'}>
          {t('sudo.passkey')}
        </Button>
      )}
      <form class="stack" onSubmit={submit}>
        {takesPassword && <UsernameForPassword value={email.value} />}
        {takesPassword && (
          <PasswordField
            name="password"
            autocomplete="current-password"
            label={t('sudo.password')}
            value={password.value}
            onValue={(value) => {
              password.value = value;
            }}
            required
            maxLength={256}
          />
        )}
        {methods.has_mfa && takesCode && (
          <CodeField
            name="mfa_code"
            label={t(totp ? 'sudo.code' : 'sudo.backupCode')}
            value={code.value}
            onValue={(value) => {
              code.value = value;
            }}
            required
            maxLength={32}
          />
        )}
        <div class="actions">
          <Button kind="plain" onClick={() => response(null)}>
            {t('common.cancel')}
          </Button>
          {(takesCode || !methods.has_mfa) && <Button submits>{t('common.confirm')}</Button>}
        </div>
      </form>
    </>
  );
}

/** Must be rendered once on every page with operations that may require sudo mode. */
export function SudoDialog({ children, ...props }: SudoDialogProps) {
  const open = question.value;
  return (
    <Dialog title={t('sudo.title')} isOpen={open !== null} onCancel={() => open?.answer(null)}>
      {open &&
        (children ? (
          <>
            <p>{props.why}</p>
            {children}
          </>
        ) : (
          <Factors {...open} {...props} />
        ))}
    </Dialog>
  );
}
