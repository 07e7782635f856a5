import { ApiError, gatehouse, type SudoFactor, type SudoMethods } from '@gatehouse-auth/client';
import { language } from './language.js';
import { endSession, onTokenRevoked, session, startSession } from './session.js';

type SudoPrompt = (methods: SudoMethods) => Promise<SudoFactor | null>;

/** Asks for a sudo factor. The dialog replaces it when a page with one is loaded. */
let promptForSudo: SudoPrompt = async () => null;
export const setSudoPrompt = (dialog: SudoPrompt): void => {
  promptForSudo = dialog;
};

const LOGOUT = '/v1/auth/logout';

/** After a 401 response, reports the token of the request as revoked. The session may have a newer token by now. */
async function reportRevokedToken(request: Request, response: Response): Promise<void> {
  const token = request.headers.get('authorization');
  if (response.status !== 401 || !token || request.url.endsWith(LOGOUT)) return;
  const problem = await response
    .clone()
    .json()
    .catch(() => null);
  if (problem?.code === 'UNAUTHORIZED') void onTokenRevoked(token);
}

async function send(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const request = new Request(input, { ...init, cache: 'no-store' });
  request.headers.set('accept-language', language.value);
  const response = await fetch(request);
  await reportRevokedToken(request, response);
  return response;
}

// No automatic waiting in the client, because the page shows a countdown.
export const api = gatehouse({
  credential: () => session.value?.token,
  sudo: (methods) => promptForSudo(methods),
  maxRetryAfterSeconds: 0,
  fetch: send,
});

/**
 * Asks for a sudo factor before an operation that has a smaller effect without one.
 * Returns `null` if the user cancels, and an empty object if the account has no factor.
 */
export async function requestSudoFactor(): Promise<Partial<SudoFactor> | null> {
  const [{ has_mfa, ...methods }, me] = await Promise.all([
    api.get('/v1/users/@me/sudo/mfa-methods'),
    api.get('/v1/users/@me'),
  ]);
  return has_mfa || me.password_last_changed_at ? promptForSudo({ has_mfa, methods }) : {};
}

/** Ends the session on the server and then here. A session that the server no longer knows counts as ended. */
export async function signOut(): Promise<void> {
  const held = session.value;
  if (!held) return;
  try {
    await api.post(LOGOUT);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
  }
  api.forgetSudoProof();
  endSession(held.token, true);
}

/** Signs a user in here. Ends a previous session, also on the server. */
export async function replaceSession(token: string, isKept: boolean): Promise<void> {
  if (session.value) await api.post(LOGOUT).catch(() => {});
  api.forgetSudoProof();
  startSession(token, isKept);
}
