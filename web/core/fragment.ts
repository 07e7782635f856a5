/**
 * Values in the fragment of the link that opened the page. They are removed from the address bar before anything else
 * runs. The history entry stores them, so that a reload still finds them. No other page can read them.
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
// For a link to the page that is already open, the browser only changes the fragment, so reload.
addEventListener('hashchange', () => location.reload());

/** Returns a value from the fragment of the link. */
export const linkParameter = (name: string): string | undefined => fragment.get(name) || undefined;

/** Deletes the values of the link after use. */
export function clearLinkParameters(): void {
  history.replaceState(null, '', location.pathname + location.search);
}
