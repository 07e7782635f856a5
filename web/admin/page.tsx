import { signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { inOneLine } from '../core/action.js';
import { emitGatewayEvent, onGatewayEvent } from '../core/gateway-events.js';
import { loadTranslations, t } from '../core/language.js';
import { replacePage, signInPath } from '../core/redirects.js';
import { retryLoad } from '../core/retry-load.js';
import { resolveSession, session, signOutCause } from '../core/session.js';
import { path, setFullPageViews } from '../core/views.js';
import { Button } from '../kit/button.js';
import { Notice } from '../kit/notice.js';
import { Shell, ShownView } from '../kit/shell.js';
import { Skeleton } from '../kit/shown.js';
import './console.css';
import { NotAdministrator } from './not-administrator.js';
import { failure, isNotAdministrator, load, me } from './rights.js';
import { VIEWS, viewsHere } from './views.js';

setFullPageViews(VIEWS);

const isListening = signal(false);

/** Listens for the end of the session and for permission changes. */
async function listenToGateway(): Promise<void> {
  if (isListening.value) return;
  isListening.value = true;
  const { connectGateway: listen } = await retryLoad(() => import('../core/live.js'));
  onGatewayEvent((name) => {
    if (name === 'USER_UPDATE') void load();
  });
  listen(emitGatewayEvent);
}

const Failed = ({ message }: { readonly message: string }) => (
  <Notice kind="bad">
    <p>{message}</p>
    <Button kind="plain" onClick={() => void load()}>
      {t('common.retry')}
    </Button>
  </Notice>
);

function Body() {
  const views = viewsHere();
  const view = views.find((one) => one.path === path.value);
  if (failure.value) return <Failed message={inOneLine(failure.value)} />;
  if (isNotAdministrator.value) return <NotAdministrator />;
  if (!me.value) return <Skeleton lines={5} />;
  return view ? <ShownView view={view} /> : <Notice kind="warn">{t('admin.notForYou')}</Notice>;
}

/** The administration console. Views and buttons are shown to users with the required ACLs. */
export default function Console() {
  const isReady = useSignal(false);
  useEffect(() => {
    void Promise.all([resolveSession(), loadTranslations('admin')]).then(([held]) => {
      if (!held) {
        replacePage(signInPath());
        return;
      }
      isReady.value = true;
      void load().then(listenToGateway);
    });
  }, [isReady]);
  const isOver = isReady.value && session.value === null;
  useEffect(() => {
    if (isOver && signOutCause.value === 'elsewhere') replacePage(`${signInPath()}&signed_out=elsewhere`);
  }, [isOver]);
  if (!isReady.value || isOver) return null;
  const views = isNotAdministrator.value ? [] : viewsHere();
  const view = views.find((one) => one.path === path.value);
  return (
    <div class="console">
      <Shell
        title={view ? t(view.title) : t('admin.title')}
        part={t('admin.title')}
        home={isNotAdministrator.value ? '/account' : '/admin'}
        views={views.filter(({ isUnlisted }) => !isUnlisted)}
        beside={<a href="/account">{t('admin.toAccount')}</a>}
      >
        <Body />
      </Shell>
    </div>
  );
}
