import { signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { inOneLine } from '../core/action.js';
import { tellOf } from '../core/heard.js';
import { alsoSay, t } from '../core/language.js';
import { later } from '../core/later.js';
import { leaveFor, signInFirst } from '../core/places.js';
import { departure, session, settled } from '../core/session.js';
import { leavingFor, path, type View } from '../core/views.js';
import { Button } from '../kit/button.js';
import { Notice } from '../kit/notice.js';
import { Shell, ShownView } from '../kit/shell.js';
import { Skeleton } from '../kit/shown.js';
import { failure, load, requirements, settings, take, takeSettings, type User, user } from './account.js';
import { FarewellPage, farewell } from './farewell.js';
import { nameOnPasskeys } from './passkeys/adding.js';
import { PasskeyOffer } from './passkeys/offer.js';
import { OthersOffer } from './sessions/offer.js';
import { REQUIRED, VIEWS } from './views.js';

leavingFor(VIEWS);

const isListening = signal(false);

/** Listens for gateway events. Loaded after the visible parts. */
async function hear(): Promise<void> {
  if (isListening.value) return;
  isListening.value = true;
  const { listen } = await later(() => import('../core/live.js'));
  listen((name, data) => {
    if (name === 'USER_UPDATE') take({ ...user.value, ...(data as User) });
    if (name === 'USER_SETTINGS_UPDATE' && settings.value) takeSettings({ ...settings.value, ...(data as object) });
    tellOf(name, data);
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
function useNamesOnPasskeys(): void {
  const { id, username, global_name: displayName } = user.value ?? {};
  const former = useRef<string | null>(null);
  const names = JSON.stringify([id, username, displayName]);
  useEffect(() => {
    if (!user.value) return;
    if (former.current !== null && former.current !== names) void nameOnPasskeys(user.value);
    former.current = names;
  }, [names]);
}

/**
 * The account pages. Redirects to sign-in without a session, and immediately after a sign-out in another tab or device.
 */
export default function Account() {
  const isReady = useSignal(false);
  useEffect(() => {
    void Promise.all([settled(), alsoSay('account')]).then(([held]) => {
      if (!held) {
        leaveFor(signInFirst());
        return;
      }
      isReady.value = true;
      void load().then(hear);
    });
  }, [isReady]);
  useNamesOnPasskeys();
  const isOver = isReady.value && session.value === null;
  useEffect(() => {
    if (isOver && departure.value === 'elsewhere') leaveFor(`${signInFirst()}&signed_out=elsewhere`);
  }, [isOver]);
  if (farewell.value) return <FarewellPage of={farewell.value} />;
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
