import type { paths, ResponseBody } from '@gatehouse-auth/client';
import { api } from '../../core/api.js';

export type Application = ResponseBody<paths, '/v1/oauth2/applications/{id}/public', 'get'>;

const BOUNDS = {
  client_id: 19,
  scope: 256,
  response_type: 16,
  redirect_uri: 256,
  state: 1024,
  code_challenge: 43,
  code_challenge_method: 4,
  nonce: 255,
  prompt: 256,
  max_age: 8,
  acr_values: 256,
  login_hint: 254,
  id_token_hint: 4096,
} as const;
type Name = keyof typeof BOUNDS;

/** The authorization request in the URL (oauth.md 5.3, openid.md section 4). */
export type AuthorizationRequest = { readonly client_id: string; readonly scope: string } & Partial<
  Readonly<Record<Exclude<Name, 'response_type' | 'max_age'>, string>>
> & { readonly response_type?: 'code'; readonly max_age?: number };

type FaultCode = 'UNKNOWN_APPLICATION' | 'INVALID_REQUEST' | 'INVALID_SCOPE' | 'REQUEST_NOT_SUPPORTED';

/** An invalid request that no user can approve. The user is not redirected. */
export class FaultyRequest extends Error {
  constructor(readonly code: FaultCode) {
    super(code);
  }
}

/** Errors that the service found in the request, by their standard names (OpenID Connect Core 3.1.2.6). */
const REPORTED: Readonly<Record<string, FaultCode>> = {
  invalid_request: 'INVALID_REQUEST',
  request_not_supported: 'REQUEST_NOT_SUPPORTED',
  request_uri_not_supported: 'REQUEST_NOT_SUPPORTED',
  registration_not_supported: 'REQUEST_NOT_SUPPORTED',
};

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
  const reported = REPORTED[query.get('error') ?? ''];
  // A malformed ID counts as an unknown application.
  if (!/^\d{1,19}$/.test(query.get('client_id') ?? '')) throw new FaultyRequest('UNKNOWN_APPLICATION');
  if (reported) throw new FaultyRequest(reported);
  const { client_id = '', scope = '', response_type = 'code', max_age, ...rest } = parametersOf(query);
  const { code_challenge: challenge, code_challenge_method: method } = rest;
  const isProvable = challenge === undefined ? !method : /^[\w-]{43}$/.test(challenge) && method === 'S256';
  const isAge = max_age === undefined || /^\d+$/.test(max_age);
  if (response_type !== 'code' || !isProvable || !isAge) throw new FaultyRequest('INVALID_REQUEST');
  if (scopesOf(scope).length === 0) throw new FaultyRequest('INVALID_SCOPE');
  return { client_id, scope, response_type, ...rest, ...(max_age !== undefined && { max_age: Number(max_age) }) };
}

/** The name of the parameter that the service found invalid. Other text from the URL is not shown. */
export function faultyParameter(search: string): string | undefined {
  const name = new URLSearchParams(search).get('error_parameter') ?? '';
  return name in BOUNDS || EXTRA_PARAMETERS.has(name) ? name : undefined;
}

const EXTRA_PARAMETERS = new Set(['ui_locales', 'display', 'response_mode', 'request', 'request_uri', 'registration']);

const promptsOf = ({ prompt = '' }: AuthorizationRequest): string[] => prompt.split(' ');

/** True if the application signs the user in. It depends on the session of the user. */
export const isOpenId = ({ scope }: AuthorizationRequest): boolean => scopesOf(scope).includes('openid');

export const isSilent = (request: AuthorizationRequest): boolean => promptsOf(request).includes('none');

/** True if no prompt requires the page to show something. */
export const hasNoPrompt = (request: AuthorizationRequest): boolean => promptsOf(request).every((prompt) => !prompt);

/** True if the application wants the full consent of the user. */
export const asksForConsent = (request: AuthorizationRequest): boolean => promptsOf(request).includes('consent');

export const asksForAccount = (request: AuthorizationRequest): boolean => promptsOf(request).includes('select_account');

/** The account that `id_token_hint` names. The service verifies the hint when the user decides. */
export function hintedAccount({ id_token_hint: hint = '' }: AuthorizationRequest): string | undefined {
  try {
    const [, payload = ''] = hint.split('.');
    const { sub } = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')));
    return typeof sub === 'string' ? sub : undefined;
  } catch {
    return undefined;
  }
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

/** Returns the URL that reports an error to the application, or `undefined` if the request names no registered URL. */
export async function errorTarget(search: string, error: string): Promise<string | undefined> {
  const query = new URLSearchParams(search);
  const [id = '', uri = '', state] = ['client_id', 'redirect_uri', 'state'].map((name) => query.get(name) || undefined);
  const isSingle = ['client_id', 'redirect_uri', 'state'].every((name) => query.getAll(name).length < 2);
  if (!isSingle || !/^\d{1,19}$/.test(id) || uri === '') return undefined;
  const [{ redirect_uris: registered }, { issuer: iss }] = await Promise.all([
    api.get('/v1/oauth2/applications/{id}/public', { path: { id } }),
    api.get('/.well-known/oauth-authorization-server'),
  ]);
  if (!isRegistered(uri, registered)) return undefined;
  const response = new URLSearchParams({ error, ...(state !== undefined && { state }), iss });
  const joint = !uri.includes('?') ? '?' : /[?&]$/.test(uri) ? '' : '&';
  return `${uri}${joint}${response}`;
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
