import { linkParameter } from '../../core/fragment.js';

const BOUNDS = {
  ...{ id_token_hint: 4096, client_id: 19, logout_hint: 256, post_logout_redirect_uri: 256, state: 1024 },
  ui_locales: 256,
} as const;
type Name = keyof typeof BOUNDS;

export type LogoutRequest = Partial<Readonly<Record<Name, string>>>;

const KEY = 'logout';

/** The query contains an ID token, so it moves from the address bar to the history entry, which survives a reload. */
function readQuery(): URLSearchParams {
  const state = history.state as Record<string, unknown> | null;
  const kept = location.search || state?.[KEY];
  const text = typeof kept === 'string' ? kept : '';
  history.replaceState({ ...state, [KEY]: text }, '', location.pathname);
  return new URLSearchParams(text);
}

function read(): LogoutRequest {
  const query = readQuery();
  const given = (Object.keys(BOUNDS) as Name[]).flatMap((name) => {
    const value = linkParameter(name) ?? query.get(name) ?? '';
    const isFit = [...value].length <= BOUNDS[name] && (name !== 'client_id' || /^\d+$/.test(value));
    return value && isFit ? [[name, value]] : [];
  });
  return Object.fromEntries(given);
}

/** The parameters in the query, or those of a form in the fragment. Invalid ones count as absent. */
export const request = read();
