import type { paths, ResponseBody } from '@gatehouse-auth/client';
import { useAction } from '../core/action.js';
import { api } from '../core/api.js';
import { t } from '../core/language.js';
import { Button } from '../kit/button.js';
import { FailureNotice } from '../kit/notice.js';
import { ProviderIcon } from './provider-icon.js';
import { visitProvider } from './provider-start.js';
import { service } from './service.js';

export type Connection = ResponseBody<paths, '/.well-known/service', 'get'>['connections'][number];

/** The ID of the connection for single sign-on, which has its own button. */
const SSO = 'sso';
/** More buttons than this are shown in two columns. */
const MAX_WIDE = 4;

/** The connections with a button, in the order of the administrator. */
export const offeredConnections = (): readonly Connection[] =>
  service.value?.connections.filter(({ id }) => id !== SSO) ?? [];

interface ConnectionButtonProps {
  readonly of: Connection;
  readonly returnTo: string;
  readonly isKept: boolean;
  /** True if the provider must authenticate the user again. */
  readonly asksAgain?: boolean;
  readonly kind?: 'main' | 'plain';
  /** True if only the name fits. */
  readonly isShort?: boolean;
}

/** A button that signs in with a connection. */
export function ConnectionButton({ of, returnTo, isKept, asksAgain, kind = 'plain', isShort }: ConnectionButtonProps) {
  const { id, icon, display_name: provider } = of;
  const start = useAction(() =>
    visitProvider(
      (nonceHash) => {
        const body = { redirect_to: returnTo, nonce_hash: nonceHash, ...(asksAgain && { prompt: 'login' as const }) };
        return api.post('/v1/auth/connections/{id}/start', { path: { id }, body });
      },
      { isKept, returnTo, connection: id },
    ),
  );
  const words = t('signIn.ssoWith', { provider });
  return (
    <>
      <FailureNotice of={start} />
      <Button action={start} kind={kind} size="wide" {...(isShort ? { label: words } : {})}>
        <ProviderIcon icon={icon} />
        <bdi>{isShort ? provider : words}</bdi>
      </Button>
    </>
  );
}

type ConnectionButtonsProps = Pick<ConnectionButtonProps, 'returnTo' | 'isKept' | 'asksAgain'>;

/** The buttons of all connections. */
export function ConnectionButtons(props: ConnectionButtonsProps) {
  const all = offeredConnections();
  if (all.length === 0) return null;
  const isShort = all.length > MAX_WIDE;
  return (
    <ul class={isShort ? 'providers short' : 'providers'} aria-label={t('signIn.providers')}>
      {all.map((one) => (
        <li key={one.id}>
          <ConnectionButton {...props} of={one} isShort={isShort} />
        </li>
      ))}
    </ul>
  );
}
