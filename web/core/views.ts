import { computed, signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import type { Words } from './language.js';

/** One of the views of a part of the pages: the account, or the console. */
export interface View {
  readonly path: string;
  readonly title: Words;
  /** Under which heading of the navigation it stands; none for what stands before all. */
  readonly group?: Words;
  /** Loaded anew when it is gone to: what it may load of others stands in the headers of its own page. */
  readonly isLoadedAnew?: true;
  /** Reached by links alone: the navigation does not list it. */
  readonly isUnlisted?: true;
  readonly load: () => Promise<{ readonly default: ComponentType }>;
}

export const path = signal(location.pathname);
/** What the address says behind `?`. */
export const query = signal(location.search);

/** Which of the things that a view lists is open: its address says so. */
export const openId = computed(() => new URLSearchParams(query.value).get('id'));

function read(): void {
  path.value = location.pathname;
  query.value = location.search;
}
addEventListener('popstate', read);

/** Goes to another view, or to another state of one, without leaving the page. */
export function go(next: string, { isInstead = false } = {}): void {
  if (isInstead) history.replaceState(null, '', next);
  else if (next !== location.pathname + location.search) history.pushState(null, '', next);
  read();
}

let isAnother: (view: string) => boolean = () => false;
/** Which views are loaded anew by the browser instead of being shown in this page. */
export const leavingFor = (views: readonly View[]): void => {
  const left = new Set(views.filter((view) => view.isLoadedAnew).map((view) => view.path));
  isAnother = (view) => left.has(view) && view !== path.value;
};

/** A link that was chosen within a part; what the browser should open elsewhere is left to it. */
export function follow(event: MouseEvent, target: string): void {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  if (isAnother(target.split('?')[0] ?? '')) return;
  event.preventDefault();
  go(target);
}
