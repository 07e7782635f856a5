import { computed, signal } from '@preact/signals';
import type { ComponentChildren, ComponentType } from 'preact';
import type { IconName } from '../kit/icon.js';
import type { TranslationKey } from './language.js';

/** A view of the account pages or of the console. */
export interface View {
  readonly path: string;
  /** Other paths of the view, with the ID of an item as the first group. */
  readonly itemPath?: RegExp;
  readonly title: TranslationKey;
  /** Shown in the navigation. */
  readonly icon: IconName;
  /** The navigation heading; undefined for views above all headings. */
  readonly group?: TranslationKey;
  /** Opened with a full page load, because its response headers allow other third-party content. */
  readonly isFullPageLoad?: true;
  /** Hidden in the navigation; reachable only by links. */
  readonly isUnlisted?: true;
  readonly load: () => Promise<{ readonly default: ComponentType }>;
}

export const path = signal(location.pathname);
/** The query string of the URL. */
export const query = signal(location.search);

export const isPathOf = ({ path: own, itemPath }: View): boolean => own === path.value || !!itemPath?.test(path.value);

/** ID of the list item that is open, from the URL. */
export const openId = computed(() => new URLSearchParams(query.value).get('id'));

/** The item that the view shows. Its name is the heading instead of the title of the view. */
export const item = signal<{ readonly name: string; readonly picture: ComponentChildren } | null>(null);

function read(): void {
  path.value = location.pathname;
  query.value = location.search;
}
addEventListener('popstate', read);

/** Navigates to another view or state without a page load. */
export function navigate(next: string, { isInstead = false } = {}): void {
  if (isInstead) history.replaceState(null, '', next);
  else if (next !== location.pathname + location.search) history.pushState(null, '', next);
  read();
}

let requiresFullPageLoad: (view: string) => boolean = () => false;
/** Registers the views that are opened with a full page load. */
export const setFullPageViews = (views: readonly View[]): void => {
  const left = new Set(views.filter((view) => view.isFullPageLoad).map((view) => view.path));
  requiresFullPageLoad = (view) => left.has(view) && view !== path.value;
};

/** Handles a click on an internal link. Clicks that open a new tab or window are left to the browser. */
export function onLinkClick(event: MouseEvent, target: string): void {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  if (requiresFullPageLoad(target.split('?')[0] ?? '')) return;
  event.preventDefault();
  navigate(target);
}
