import { useAction } from '../core/action.js';
import { api } from '../core/api.js';
import { t } from '../core/language.js';
import { Button } from '../kit/button.js';
import { FailureNotice } from '../kit/notice.js';
import { visitProvider } from './provider-start.js';
import { service } from './service.js';

/** Redirects to the identity provider. Only the callback in this tab can complete the sign-in. */
export async function startSso(returnTo: string, isKept: boolean, asksAgain = false): Promise<void> {
  await visitProvider(
    (nonceHash) => {
      const body = { redirect_to: returnTo, nonce_hash: nonceHash, ...(asksAgain && { prompt: 'login' as const }) };
      return api.post('/v1/auth/sso/start', { body });
    },
    { isKept, returnTo },
  );
}

export interface SsoButtonProps {
  readonly returnTo: string;
  readonly isKept: boolean;
  readonly kind?: 'main' | 'plain';
  /** True if the provider must authenticate the user again. */
  readonly asksAgain?: boolean;
}

export function SsoButton({ returnTo, isKept, kind = 'plain', asksAgain = false }: SsoButtonProps) {
  const start = useAction(() => startSso(returnTo, isKept, asksAgain));
  const provider = service.value?.sso.display_name;
  return (
    <>
      <FailureNotice of={start} />
      <Button action={start} kind={kind} size="wide">
        {provider ? t('signIn.ssoWith', { provider }) : t('signIn.sso')}
      </Button>
    </>
  );
}
