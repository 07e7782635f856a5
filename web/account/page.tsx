import { signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { inOneLine } from '../core/action.js';
import { emitGatewayEvent } from '../core/gateway-events.js';
import { loadTranslations, t } from '../core/language.js';
import { replacePage, signInPath } from '../core/redirects.js';
import { retryLoad } from '../core/retry-load.js';
import { resolveSession, session, signOutCause } from '../core/session.js';
import { path, setFullPageViews, type View } from '../core/views.js';
import { Button } from '../kit/button.js';
import { Notice } from '../kit/notice.js';
import { Shell, ShownView } from '../kit/shell.js';
import { Skeleton } from '../kit/shown.js';
import { failure, load, requirements, setSettings, settings, setUser, type User, user } from './account.js';
import { AccountClosedPage, accountClosure } from './account-closed.js';
import { updatePasskeyNames } from './passkeys/adding.js';
import { PasskeyOffer } from './passkeys/offer.js';
import { OthersOffer } from './sessions/offer.js';
import { REQUIRED, VIEWS } from './views.js';

setFullPageViews(VIEWS);

const isListening = signal(false);

/** Listens for gateway events. Loaded after the visible parts. */
async function listenToGateway(): Promise<void> {
  if (isListening.value) return;
  isListening.value = true;
  const { connectGateway: listen } = await retryLoad(() => import('../core/live.js'));
  listen((name, data) => {
    if (name === 'USER_UPDATE') setUser({ ...user.value, ...(data as User) });
    if (name === 'USER_SETTINGS_UPDATE' && settings.value) setSettings({ ...settings.value, ...(data as object) });
    emitGatewayEvent(name, data);
  });
}

const viewOf = (current: string): View =>
  requirements.value.length > 0 ? REQUIRED : (VIEWS.find((view) => view.path === current) ?? (VIEWS[0] as View));

function Body({ view }: { readonly view: View }) {
  // Load the code of the view in parallel with the account data.
  useEffect(() => void view.load().catch(() => {}), [view]);
  if (failure.value) {
    return (
      <Notice kind="bad">
        <p>{inOneLine(failure.value)}</p>
        <Button kind="plain" onClick={() => void load()}>
          {t('common.retry')}
        </Button>
      </Notice>
    );
  }
  return user.value && settings.value ? <ShownView view={view} /> : <Skeleton lines={5} />;
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

/**
 * The account pages. Redirects to sign-in without a session, and immediately after a sign-out in another tab or device.
 */
export default function Account() {
  const isReady = useSignal(false);
  useEffect(() => {
    void Promise.all([resolveSession(), loadTranslations('account')]).then(([held]) => {
      if (!held) {
        replacePage(signInPath());
        return;
      }
      isReady.value = true;
      void load().then(listenToGateway);
    });
  }, [isReady]);
  usePasskeyNames();
  const isOver = isReady.value && session.value === null;
  useEffect(() => {
    if (isOver && signOutCause.value === 'elsewhere') replacePage(`${signInPath()}&signed_out=elsewhere`);
  }, [isOver]);
  if (accountClosure.value) return <AccountClosedPage of={accountClosure.value} />;
  if (!isReady.value || isOver) return null;
  const view = viewOf(path.value);
  return (
    <Shell title={t(view.title)} part={t('account.title')} home="/account" views={view === REQUIRED ? [] : VIEWS}>
      {view !== REQUIRED && settings.value && <PasskeyOffer />}
      {view !== REQUIRED && <OthersOffer />}
      <Body view={view} />
    </Shell>
  );
}
