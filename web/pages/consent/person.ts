import { ApiError, type paths, type ResponseBody } from '@gatehouse-auth/client';
import { signal } from '@preact/signals';
import { api } from '../../core/api.js';
import { addReleasedSession } from '../../core/released-sessions.js';
import { endSession, session, signOutCause } from '../../core/session.js';

export type Person = ResponseBody<paths, '/v1/users/@me', 'get'>;

const tagOf = ({ username, discriminator }: Person): string => `${username}#${discriminator}`;

export const nameOf = (person: Person): string =>
  person.global_name ? `${person.global_name} (${tagOf(person)})` : tagOf(person);

/** True if the user can prove their presence only at the identity provider. */
export const hasOnlyProvider = ({
  password_last_changed_at: changed,
  authenticator_types: types = [],
}: Person): boolean => changed === null && types.length === 0;

type Authorization = ResponseBody<paths, '/v1/oauth2/@me/authorizations', 'get'>[number];

/** Session storage key of a session for a single decision. Other tabs do not know it, and it ends with the decision. */
const KEY = 'gatehouse.consent';

interface Kept {
  readonly token: string;
  /** The request that the session belongs to. */
  readonly search: string;
}

const readStored = (): Kept | null => JSON.parse(sessionStorage.getItem(KEY) ?? 'null');

const singleUseToken = signal<string | null>(null);
/** True if the deciding session was ended elsewhere. */
const wasEnded = signal(false);

export const withToken = (token: string) => ({ headers: { authorization: token } });

/** The token for the decision: of the single-decision session, otherwise of the browser session. */
export const decider = (): string | null => singleUseToken.value ?? session.value?.token ?? null;

export const isSingleUse = (token: string): boolean => singleUseToken.value === token;

export const wasSignedOut = (): boolean => decider() === null && (wasEnded.value || signOutCause.value === 'elsewhere');

export function storeSingleUseSession(token: string): void {
  wasEnded.value = false;
  singleUseToken.value = token;
  sessionStorage.setItem(KEY, JSON.stringify({ token, search: location.search } satisfies Kept));
}

function forget(): void {
  singleUseToken.value = null;
  sessionStorage.removeItem(KEY);
}

const endOnServer = (token: string): Promise<unknown> =>
  api.post('/v1/auth/logout', withToken(token)).catch(() => undefined);

/** Ends the single-decision session, if there is one. */
export async function endSingleUseSession(): Promise<void> {
  const token = singleUseToken.value;
  wasEnded.value = false;
  forget();
  if (token) await endOnServer(token);
}

/** Releases the session without ending it, because the application depends on it (openid.md section 3). */
export function releaseSingleUseSession(): void {
  wasEnded.value = false;
  if (singleUseToken.value) addReleasedSession(singleUseToken.value);
  forget();
}

/** Resumes the single-decision session after a reload. Ends it if it belongs to another request. */
export function resumeSingleUseSession(): void {
  const former = readStored();
  if (former?.search === location.search) singleUseToken.value = former.token;
  else if (former) {
    forget();
    void endOnServer(former.token);
  }
}

/** The deciding user and their data. */
export interface Decider {
  readonly token: string;
  readonly person: Person;
  /** The existing authorization of the application. */
  readonly former: Authorization | undefined;
  /** Scopes that need no full consent of the user. */
  readonly trusted: readonly string[];
}

/** @returns null if the session has ended */
export async function fetchDecider(token: string, id: string): Promise<Decider | null> {
  try {
    const [person, all, { trusted_scopes: trusted }] = await Promise.all([
      api.get('/v1/users/@me', withToken(token)),
      api.get('/v1/oauth2/@me/authorizations', withToken(token)),
      api.get('/v1/oauth2/applications/{id}/public', { path: { id }, ...withToken(token) }),
    ]);
    return { token, person, trusted, former: all.find(({ application }) => application.id === id) };
  } catch (error) {
    if (!isUnauthorized(error)) throw error;
    onSessionEnded(token);
    return null;
  }
}

export const isUnauthorized = (error: unknown): boolean => error instanceof ApiError && error.code === 'UNAUTHORIZED';

/** Called when the service no longer knows the session. */
export function onSessionEnded(token: string): void {
  wasEnded.value = true;
  if (isSingleUse(token)) forget();
  else endSession(token, false);
}
