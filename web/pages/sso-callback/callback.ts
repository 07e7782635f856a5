/** What the provider sent the browser back with. */
export interface Callback {
  readonly code?: string | undefined;
  readonly state?: string | undefined;
  readonly iss?: string | undefined;
  readonly error?: string | undefined;
}

const KEY = 'callback';

function read(): URLSearchParams {
  const kept = (history.state as Record<string, unknown> | null)?.[KEY];
  const { search } = location;
  if (search.length > 1) {
    history.replaceState({ [KEY]: search }, '', location.pathname);
    return new URLSearchParams(search);
  }
  return new URLSearchParams(typeof kept === 'string' ? kept : '');
}

/** Reads it once, out of the address bar; the entry of the history keeps it, so that a reload still finds it. */
export function readCallback(): Callback {
  const found = read();
  const of = (name: string) => found.get(name) || undefined;
  return { code: of('code'), state: of('state'), iss: of('iss'), error: of('error') };
}

export const forgetCallback = (): void => history.replaceState(null, '', location.pathname);
