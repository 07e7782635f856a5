/** The query parameters from the identity provider. */
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

/** Reads the parameters once and removes them from the address bar. The history entry stores them for a reload. */
export function readCallback(): Callback {
  const found = read();
  const of = (name: string) => found.get(name) || undefined;
  return { code: of('code'), state: of('state'), iss: of('iss'), error: of('error') };
}

export const forgetCallback = (): void => history.replaceState(null, '', location.pathname);
