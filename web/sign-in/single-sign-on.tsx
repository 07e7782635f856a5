import { useAction } from '../core/action.js';
import { api } from '../core/api.js';
import { t } from '../core/language.js';
import { Button } from '../kit/button.js';
import { FailureNotice } from '../kit/notice.js';
import { service } from './service.js';

/** State of a started sign-in, stored in this tab for the callback. */
export interface SsoStart {
  readonly state: string;
  readonly nonce: string;
  readonly isKept: boolean;
  readonly returnTo: string;
}

const KEY = 'gatehouse.sso';
const NONCE_BYTES = 32;

const hex = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** The last sign-in started in this tab, if it is not completed. */
export const readSsoStart = (): SsoStart | null => JSON.parse(sessionStorage.getItem(KEY) ?? 'null');

export const clearSsoStart = (): void => sessionStorage.removeItem(KEY);

/** Redirects to the identity provider. Only the callback in this tab can complete the sign-in. */
export async function startSso(returnTo: string, isKept: boolean, asksAgain = false): Promise<void> {
  const nonce = hex(crypto.getRandomValues(new Uint8Array(NONCE_BYTES)));
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(nonce));
  const nonceHash = hex(new Uint8Array(digest));
  const body = { redirect_to: returnTo, nonce_hash: nonceHash, ...(asksAgain && { prompt: 'login' as const }) };
  const { authorization_url: url, state } = await api.post('/v1/auth/sso/start', { body });
  sessionStorage.setItem(KEY, JSON.stringify({ state, nonce, isKept, returnTo } satisfies SsoStart));
  location.assign(url);
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
