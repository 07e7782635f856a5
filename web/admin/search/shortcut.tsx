import { signal, useSignalEffect } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';
import { t } from '../../core/language.js';
import { navigate, path } from '../../core/views.js';
import { Icon } from '../../kit/icon.js';

const SEARCH = '/admin';
const KEY = 'gatehouse.slash';

/** False if the user turned off the shortcut of one character, which can get in the way of speech input (WCAG 2.1.4). */
export const isSlashOn = signal(localStorage.getItem(KEY) !== 'off');

export function setSlash(isOn: boolean): void {
  isSlashOn.value = isOn;
  if (isOn) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, 'off');
}

const isFocusWanted = signal(false);

function openSearch(): void {
  isFocusWanted.value = true;
  if (path.value !== SEARCH) navigate(SEARCH);
}

/** Focuses the search field when the user asks for it, also after the view is loaded. */
export function useSearchFocus(field: RefObject<HTMLInputElement | null>): void {
  useSignalEffect(() => {
    if (!isFocusWanted.value) return;
    isFocusWanted.value = false;
    field.current?.select();
    field.current?.focus();
  });
}

/** Places where a key has its own meaning. */
const BUSY =
  'input:not([type=checkbox], [type=radio], [type=range], [type=color], [type=file]), textarea, select, [role=menu], dialog';

const isShortcut = ({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean =>
  ctrlKey || metaKey ? key.toLowerCase() === 'k' && !altKey && !shiftKey : key === '/' && !altKey && isSlashOn.value;

/** Opens the search with `/`, Ctrl+K or Cmd+K, except while the user types or a dialog is open. */
export function useSearchShortcut(isAvailable: boolean): void {
  useEffect(() => {
    if (!isAvailable) return undefined;
    const onKeyDown = (event: KeyboardEvent) => {
      const isBusy = event.target instanceof Element && event.target.closest(BUSY);
      if (event.defaultPrevented || isBusy || !isShortcut(event) || document.querySelector('dialog[open]')) return;
      event.preventDefault();
      openSearch();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [isAvailable]);
}

const isMac = /mac/i.test(navigator.userAgent);

/** A link to the search that names its shortcut. */
export const SearchLink = () => (
  <a
    class="button plain small search-link"
    href={SEARCH}
    aria-keyshortcuts={isSlashOn.value ? '/ Control+K Meta+K' : 'Control+K Meta+K'}
    onClick={(event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      openSearch();
    }}
  >
    <Icon name="search" size={16} />
    <span class="label">{t('adminSearch.submit')}</span>
    <span aria-hidden="true">
      <kbd>{isSlashOn.value ? '/' : isMac ? '⌘K' : 'Ctrl K'}</kbd>
    </span>
  </a>
);
