import { useSignal } from '@preact/signals';
import type { ComponentChildren, ComponentType } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { useAction } from '../core/action.js';
import { signOut } from '../core/api.js';
import { brand } from '../core/brand.js';
import { t } from '../core/language.js';
import { replacePage } from '../core/redirects.js';
import { retryLoad } from '../core/retry-load.js';
import { SudoDialog } from '../core/sudo.js';
import { item, onLinkClick, path, type View } from '../core/views.js';
import { Mark } from './frame.js';
import { Icon } from './icon.js';
import { FailureNotice } from './notice.js';
import './shell.css';
import { Skeleton } from './shown.js';
import { Toasts } from './toast.js';
import { type MenuUser, UserMenu } from './user-menu.js';

const Links = ({ views }: { readonly views: readonly View[] }) => (
  <ul>
    {views.map((view) => (
      <li key={view.path}>
        <a
          href={view.path}
          aria-current={path.value === view.path ? 'page' : undefined}
          onClick={(event) => onLinkClick(event, view.path)}
        >
          <Icon name={view.icon} />
          {t(view.title)}
        </a>
      </li>
    ))}
  </ul>
);

interface NavigationProps {
  readonly id: string;
  readonly label: string;
  readonly views: readonly View[];
  /** Whether it is shown on a narrow screen. */
  readonly isOpen: boolean;
}

const Navigation = ({ id, label, views, isOpen }: NavigationProps) => (
  <nav id={id} aria-label={label} class={isOpen ? 'is-open' : undefined}>
    {[...new Set(views.map(({ group }) => group))].map((group) => (
      <section key={group ?? ''}>
        {group && <h2>{t(group)}</h2>}
        <Links views={views.filter((view) => view.group === group)} />
      </section>
    ))}
  </nav>
);

export interface ShellProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** Name of the section that the views belong to. */
  readonly part: string;
  /** Link target of the logo. */
  readonly home: string;
  /** Empty if there is no navigation. */
  readonly views: readonly View[];
  /** Content next to the user menu. */
  readonly aside?: ComponentChildren;
  /** The signed-in user. Null until loaded; if it is left out, the user menu loads it. */
  readonly user?: MenuUser | null;
}

/**
 * The frame of all views in a section. The heading of a new view gets the focus, so that screen readers announce it.
 */
export function Shell({ title, children, part, home, views, aside: beside, user }: ShellProps) {
  const listed = views.filter(({ isUnlisted }) => !isUnlisted);
  const heading = useRef<HTMLHeadingElement>(null);
  const former = useRef<string | null>(null);
  const leave = useAction(async () => {
    await signOut();
    replacePage('/login');
  });
  const navigation = useId();
  const isOpen = useSignal(false);
  const current = path.value;
  const shown = item.value?.name ?? title;
  useLayoutEffect(() => {
    isOpen.value = false;
  }, [isOpen, current]);
  useLayoutEffect(() => {
    document.title = `${shown} · ${brand.product}`;
    if (former.current !== null && former.current !== current) heading.current?.focus();
    former.current = current;
  }, [shown, current]);
  const menu = useRef<HTMLButtonElement>(null);
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (key !== 'Escape' || !isOpen.value) return;
    isOpen.value = false;
    menu.current?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes the navigation from any of its links
    <div class="shell" onKeyDown={onKeyDown}>
      <header>
        <a class="row" href={home}>
          <Mark />
          <span>{brand.product}</span>
        </a>
        <div class="row">
          {views.length > 0 && (
            <button
              type="button"
              class="button plain small shell-menu"
              ref={menu}
              aria-expanded={isOpen.value}
              aria-controls={navigation}
              onClick={() => {
                isOpen.value = !isOpen.value;
              }}
            >
              <Icon name={isOpen.value ? 'x' : 'menu'} />
              {t('common.menu')}
            </button>
          )}
          {beside}
          <UserMenu user={user} signOut={leave} />
        </div>
      </header>
      <div class="shell-body">
        {views.length > 0 && <Navigation id={navigation} label={part} views={listed} isOpen={isOpen.value} />}
        <main class="stack roomy">
          <div class="shell-heading">
            {item.value?.picture}
            <h1 ref={heading} tabIndex={-1}>
              <bdi>{shown}</bdi>
            </h1>
          </div>
          <FailureNotice of={leave} />
          {children}
        </main>
      </div>
      <SudoDialog />
      <Toasts />
    </div>
  );
}

/** Loads a view on demand. Shows a placeholder until then. */
export function CurrentView({ view }: { readonly view: View }) {
  const loaded = useSignal<{ readonly path: string; readonly Shown: ComponentType } | null>(null);
  useEffect(() => {
    // The user may have opened another view in the meantime.
    let isWanted = true;
    void retryLoad(view.load).then(({ default: Shown }) => {
      if (isWanted) loaded.value = { path: view.path, Shown };
    });
    return () => {
      isWanted = false;
    };
  }, [view, loaded]);
  const now = loaded.value;
  return now?.path === view.path ? <now.Shown /> : <Skeleton lines={5} />;
}
