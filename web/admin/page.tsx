import { signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { inOneLine } from '../core/action.js';
import { heard, tellOf } from '../core/heard.js';
import { alsoSay, t } from '../core/language.js';
import { later } from '../core/later.js';
import { leaveFor, signInFirst } from '../core/places.js';
import { departure, session, settled } from '../core/session.js';
import { leavingFor, path } from '../core/views.js';
import { Button } from '../kit/button.js';
import { Notice } from '../kit/notice.js';
import { Shell, ShownView } from '../kit/shell.js';
import { Skeleton } from '../kit/shown.js';
import './console.css';
import { failure, isStranger, load, me } from './rights.js';
import { Stranger } from './stranger.js';
import { VIEWS, viewsHere } from './views.js';

leavingFor(VIEWS);

const isListening = signal(false);

/** Listens for the end of the session and for permission changes. */
async function hear(): Promise<void> {
  if (isListening.value) return;
  isListening.value = true;
  const { listen } = await later(() => import('../core/live.js'));
  heard((name) => {
    if (name === 'USER_UPDATE') void load();
  });
  listen(tellOf);
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
  if (isStranger.value) return <Stranger />;
  if (!me.value) return <Skeleton lines={5} />;
  return view ? <ShownView view={view} /> : <Notice kind="warn">{t('admin.notForYou')}</Notice>;
}

/** The administration console. Views and buttons are shown to users with the required ACLs. */
export default function Console() {
  const isReady = useSignal(false);
  useEffect(() => {
    void Promise.all([settled(), alsoSay('admin')]).then(([held]) => {
      if (!held) {
        leaveFor(signInFirst());
        return;
      }
      isReady.value = true;
      void load().then(hear);
    });
  }, [isReady]);
  const isOver = isReady.value && session.value === null;
  useEffect(() => {
    if (isOver && departure.value === 'elsewhere') leaveFor(`${signInFirst()}&signed_out=elsewhere`);
  }, [isOver]);
  if (!isReady.value || isOver) return null;
  const views = isStranger.value ? [] : viewsHere();
  const view = views.find((one) => one.path === path.value);
  return (
    <div class="console">
      <Shell
        title={view ? t(view.title) : t('admin.title')}
        part={t('admin.title')}
        home={isStranger.value ? '/account' : '/admin'}
        views={views.filter(({ isUnlisted }) => !isUnlisted)}
        beside={<a href="/account">{t('admin.toAccount')}</a>}
      >
        <Body />
      </Shell>
    </div>
  );
}
