import { gatehouse, Refused, type SudoFactor, type SudoMethods } from 'gatehouse/client';
import { language } from './language.js';
import { begin, end, revoked, session } from './session.js';

type Ask = (methods: SudoMethods) => Promise<SudoFactor | null>;

/** Who asks for a factor when an operation wants one: the dialog, once a page with one is loaded. */
let ask: Ask = async () => null;
export const askForSudoWith = (dialog: Ask): void => {
  ask = dialog;
};

const LOGOUT = '/v1/auth/logout';

/** What is refused as unknown was the session's token when it was sent; meanwhile another one may have taken its place. */
async function heed(request: Request, response: Response): Promise<void> {
  const token = request.headers.get('authorization');
  if (response.status !== 401 || !token || request.url.endsWith(LOGOUT)) return;
  const told = await response
    .clone()
    .json()
    .catch(() => null);
  if (told?.code === 'UNAUTHORIZED') void revoked(token);
}

async function send(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const request = new Request(input, { ...init, cache: 'no-store' });
  request.headers.set('accept-language', language.value);
  const response = await fetch(request);
  await heed(request, response);
  return response;
}

// Patience is the page's: it counts down where the person sees it.
export const api = gatehouse({
  credential: () => session.value?.token,
  sudo: (methods) => ask(methods),
  patience: 0,
  fetch: send,
});

/**
 * Asks for a factor before an operation that does less without one. `null` when the user cancels, and nothing where there is
 * nothing to confirm with.
 */
export async function factorFirst(): Promise<Partial<SudoFactor> | null> {
  const [{ has_mfa, ...methods }, me] = await Promise.all([
    api.get('/v1/users/@me/sudo/mfa-methods'),
    api.get('/v1/users/@me'),
  ]);
  return has_mfa || me.password_last_changed_at ? ask({ has_mfa, methods }) : {};
}

/** Ends the session on the server, then here; what the server does not know any more is over as well. */
export async function signOut(): Promise<void> {
  const held = session.value;
  if (!held) return;
  try {
    await api.post(LOGOUT);
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 401) throw error;
  }
  api.forgetProof();
  end(held.token, true);
}

/** Signs somebody in here. Whoever was before is not any more, on the server neither. */
export async function enter(token: string, isKept: boolean): Promise<void> {
  if (session.value) await api.post(LOGOUT).catch(() => {});
  api.forgetProof();
  begin(token, isKept);
}
