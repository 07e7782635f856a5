/**
 * What a link carried behind `#`: read before anything else, and out of the address bar. It is kept in the entry of the
 * history, so that a reload still finds it; nothing else ever sees it.
 */
const KEY = 'fragment';

function read(): URLSearchParams {
  const kept = (history.state as Record<string, unknown> | null)?.[KEY];
  if (location.hash.length > 1) {
    const text = location.hash.slice(1);
    history.replaceState({ [KEY]: text }, '', location.pathname + location.search);
    return new URLSearchParams(text);
  }
  return new URLSearchParams(typeof kept === 'string' ? kept : '');
}

const fragment = read();
// Another link to the same page, opened where that is shown already: the browser alone would load nothing.
addEventListener('hashchange', () => location.reload());

/** A value of the link that opened this page. */
export const carried = (name: string): string | undefined => fragment.get(name) || undefined;

/** Forgets what the link carried, once it has been used up. */
export function forgetCarried(): void {
  history.replaceState(null, '', location.pathname + location.search);
}
