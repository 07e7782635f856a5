import type { Answer, paths } from '@gatehouse-auth/client';

export type Application = Answer<paths, '/v1/oauth2/applications/{id}/public', 'get'>;

const BOUNDS = {
  client_id: 19,
  scope: 256,
  response_type: 16,
  redirect_uri: 256,
  state: 1024,
  code_challenge: 43,
  code_challenge_method: 4,
  nonce: 255,
} as const;
type Name = keyof typeof BOUNDS;

/** The authorization request in the URL (oauth.md 5.3). */
export type AuthorizationRequest = { readonly client_id: string; readonly scope: string } & Partial<
  Readonly<Record<Exclude<Name, 'response_type'>, string>>
> & { readonly response_type?: 'code' };

/** An invalid request that no user can approve. The user is not redirected. */
export class FaultyRequest extends Error {
  constructor(readonly code: 'UNKNOWN_APPLICATION' | 'INVALID_REQUEST' | 'INVALID_SCOPE') {
    super(code);
  }
}

/** Parameters without a value count as missing; repeated ones are invalid (oauth.md 1.3). */
function parametersOf(query: URLSearchParams): Partial<Record<Name, string>> {
  const given = Object.entries(BOUNDS).flatMap(([name, bound]) => {
    const values = query.getAll(name);
    if (values.length > 1 || [...(values[0] ?? '')].length > bound) throw new FaultyRequest('INVALID_REQUEST');
    return values[0] ? [[name, values[0]]] : [];
  });
  return Object.fromEntries(given);
}

/** Parses the request in a URL. @throws FaultyRequest */
export function requestOf(search: string): AuthorizationRequest {
  const query = new URLSearchParams(search);
  // A malformed ID counts as an unknown application.
  if (!/^\d{1,19}$/.test(query.get('client_id') ?? '')) throw new FaultyRequest('UNKNOWN_APPLICATION');
  const { client_id = '', scope = '', response_type = 'code', ...rest } = parametersOf(query);
  const { code_challenge: challenge, code_challenge_method: method } = rest;
  const isProvable = challenge === undefined ? !method : /^[\w-]{43}$/.test(challenge) && method === 'S256';
  if (response_type !== 'code' || !isProvable) throw new FaultyRequest('INVALID_REQUEST');
  if (scopesOf(scope).length === 0) throw new FaultyRequest('INVALID_SCOPE');
  return { client_id, scope, response_type, ...rest };
}

export const scopesOf = (scope: string): string[] => [...new Set(scope.split(/[ +]+/).filter(Boolean))];

/** Compares redirect URIs like the service: exactly, except for the port of loopback addresses (oauth.md 3.2). */
function isRegistered(uri: string, registered: readonly string[]): boolean {
  if (registered.includes(uri)) return true;
  const form = /^http:\/\/(127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?(?=[/?]|$)/;
  const match = form.exec(uri);
  return registered.some((known) => {
    const other = form.exec(known);
    return match && other?.[1] === match[1] && known.slice(other?.[0].length) === uri.slice(match[0].length);
  });
}

/** @throws FaultyRequest if the redirect URI is not registered */
export function assertRedirectRegistered(
  { redirect_uri: uri, scope }: AuthorizationRequest,
  { redirect_uris }: Application,
): void {
  const scopes = scopesOf(scope);
  const isNeeded = scopes.length !== 1 || scopes[0] !== 'bot';
  if (uri === undefined ? isNeeded : !isRegistered(uri, redirect_uris)) throw new FaultyRequest('INVALID_REQUEST');
}

/** The host of a redirect URI in Punycode, which prevents lookalike names. */
export const hostOf = (uri: string): string => {
  const { host, protocol } = new URL(uri);
  return host || protocol;
};

const SCRIPT_PROTOCOLS = new Set(['javascript:', 'data:', 'blob:', 'vbscript:', 'file:', 'about:', 'filesystem:']);

/** Redirects to the application. URLs that would run code in this page are rejected. */
export function redirectTo(target: string): void {
  if (!URL.canParse(target) || SCRIPT_PROTOCOLS.has(new URL(target).protocol))
    throw new FaultyRequest('INVALID_REQUEST');
  location.replace(target);
}
