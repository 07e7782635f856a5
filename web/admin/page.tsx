import { emitGatewayEvent } from '../core/gateway-events.js';
import { t } from '../core/language.js';
import { isPathOf, setFullPageViews } from '../core/views.js';
import { Notice } from '../kit/notice.js';
import { CurrentView, Shell } from '../kit/shell.js';
import { Skeleton } from '../kit/shown.js';
import { LoadFailure, useSignedInPage } from '../kit/signed-in-page.js';
import './console.css';
import { NotAdministrator } from './not-administrator.js';
import { failure, isNotAdministrator, load, me } from './rights.js';
import { SearchLink, useSearchShortcut } from './search/shortcut.js';
import { VIEWS, viewsHere } from './views.js';

setFullPageViews(VIEWS);

/** Permissions of the operator can change while the console is open. */
const onEvent: Parameters<typeof useSignedInPage>[2] = (name, data) => {
  if (name === 'USER_UPDATE') void load();
  emitGatewayEvent(name, data);
};

function Body() {
  const views = viewsHere();
  const view = views.find(isPathOf);
  if (failure.value) return <LoadFailure failure={failure.value} load={load} />;
  if (isNotAdministrator.value) return <NotAdministrator />;
  if (!me.value) return <Skeleton lines={5} />;
  return view ? <CurrentView view={view} /> : <Notice kind="warn">{t('admin.notForYou')}</Notice>;
}

/** The administration console. Views and buttons are shown to users with the required ACLs. */
export default function Console() {
  const isShown = useSignedInPage('admin', load, onEvent);
  const views = isShown && !isNotAdministrator.value ? viewsHere() : [];
  const canSearch = views.some(({ path }) => path === '/admin');
  useSearchShortcut(canSearch);
  if (!isShown) return null;
  const view = views.find(isPathOf);
  return (
    <div class="console">
      <Shell
        title={view ? t(view.title) : t('admin.title')}
        part={t('admin.title')}
        home={isNotAdministrator.value ? '/account' : '/admin'}
        views={views}
        aside={
          <>
            {canSearch && <SearchLink />}
            <a class="to-account" href="/account">
              {t('admin.toAccount')}
            </a>
          </>
        }
      >
        <Body />
      </Shell>
    </div>
  );
}
