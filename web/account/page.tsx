import { useEffect, useRef } from 'preact/hooks';
import { emitGatewayEvent } from '../core/gateway-events.js';
import { t } from '../core/language.js';
import { path, setFullPageViews, type View } from '../core/views.js';
import { CurrentView, Shell } from '../kit/shell.js';
import { Skeleton } from '../kit/shown.js';
import { LoadFailure, useSignedInPage } from '../kit/signed-in-page.js';
import { failure, load, requirements, setSettings, settings, setUser, type User, user } from './account.js';
import { AccountClosedPage, accountClosure } from './account-closed.js';
import { updatePasskeyNames } from './passkeys/adding.js';
import { PasskeyOffer } from './passkeys/offer.js';
import { OthersOffer } from './sessions/offer.js';
import { REQUIRED, VIEWS } from './views.js';

setFullPageViews(VIEWS);

const onGatewayEvent: Parameters<typeof useSignedInPage>[2] = (name, data) => {
  if (name === 'USER_UPDATE') setUser({ ...user.value, ...(data as User) });
  if (name === 'USER_SETTINGS_UPDATE' && settings.value) setSettings({ ...settings.value, ...(data as object) });
  emitGatewayEvent(name, data);
};

const viewOf = (current: string): View =>
  requirements.value.length > 0 ? REQUIRED : (VIEWS.find((view) => view.path === current) ?? (VIEWS[0] as View));

function Body({ view }: { readonly view: View }) {
  // Load the code of the view in parallel with the account data.
  useEffect(() => void view.load().catch(() => {}), [view]);
  if (failure.value) return <LoadFailure failure={failure.value} load={load} />;
  return user.value && settings.value ? <CurrentView view={view} /> : <Skeleton lines={5} />;
}

/** Updates the names on passkeys when the account is renamed. */
function usePasskeyNames(): void {
  const { id, username, global_name: displayName } = user.value ?? {};
  const former = useRef<string | null>(null);
  const names = JSON.stringify([id, username, displayName]);
  useEffect(() => {
    if (!user.value) return;
    if (former.current !== null && former.current !== names) void updatePasskeyNames(user.value);
    former.current = names;
  }, [names]);
}

/** The account pages. */
export default function Account() {
  const isShown = useSignedInPage('account', load, onGatewayEvent);
  usePasskeyNames();
  if (accountClosure.value) return <AccountClosedPage of={accountClosure.value} />;
  if (!isShown) return null;
  const view = viewOf(path.value);
  return (
    <Shell
      title={t(view.title)}
      part={t('account.title')}
      home="/account"
      views={view === REQUIRED ? [] : VIEWS}
      user={user.value}
    >
      {view !== REQUIRED && settings.value && <PasskeyOffer />}
      {view !== REQUIRED && <OthersOffer />}
      <Body view={view} />
    </Shell>
  );
}
