import { useEffect } from 'preact/hooks';
import { t } from '../../core/language.js';
import { SudoDialog } from '../../core/sudo.js';
import { ConnectionButtons, offeredConnections } from '../../sign-in/connections.js';
import { loadService, service } from '../../sign-in/service.js';
import { SsoButton } from '../../sign-in/single-sign-on.js';
import { type Decider, hasOnlyProvider, withToken } from './person.js';
import type { Application } from './request.js';

interface FreshProofProps {
  readonly application: Application;
  readonly decider: Decider;
}

/** The identity providers that can authenticate a user again. */
function Providers() {
  useEffect(() => void loadService(), []);
  const again = { returnTo: location.pathname + location.search, isKept: false, asksAgain: true };
  const hasConnections = offeredConnections().length > 0;
  return (
    <>
      {(service.value?.sso.enabled || !hasConnections) && <SsoButton {...again} kind="main" />}
      <ConnectionButtons {...again} />
    </>
  );
}

/** Asks for a factor if the application wants the user to authenticate again (openid.md section 4). */
export function FreshProof({ application: { name }, decider: { token, person } }: FreshProofProps) {
  const why = t('consent.proof', { application: name });
  if (!hasOnlyProvider(person)) return <SudoDialog why={why} {...withToken(token)} />;
  return (
    <SudoDialog why={why}>
      <Providers />
    </SudoDialog>
  );
}
