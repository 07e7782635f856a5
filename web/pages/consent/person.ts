import { type Answer, type paths, Refused } from '@gatehouse-auth/client';
import { signal } from '@preact/signals';
import { api } from '../../core/api.js';
import { departure, end, session } from '../../core/session.js';

export type Person = Answer<paths, '/v1/users/@me', 'get'>;
type Authorization = Answer<paths, '/v1/oauth2/@me/authorizations', 'get'>[number];

/** Session storage key of a session for a single decision. Other tabs do not know it, and it ends with the decision. */
const KEY = 'gatehouse.consent';

interface Kept {
  readonly token: string;
  /** The request that the session belongs to. */
  readonly search: string;
}

const kept = (): Kept | null => JSON.parse(sessionStorage.getItem(KEY) ?? 'null');

const held = signal<string | null>(null);
/** True if the deciding session was ended elsewhere. */
const wasEnded = signal(false);

export const as = (token: string) => ({ headers: { authorization: token } });

/** The token for the decision: of the single-decision session, otherwise of the browser session. */
export const decider = (): string | null => held.value ?? session.value?.token ?? null;

export const isForThisAlone = (token: string): boolean => held.value === token;

export const wasSignedOut = (): boolean => decider() === null && (wasEnded.value || departure.value === 'elsewhere');

export function holdForThis(token: string): void {
  wasEnded.value = false;
  held.value = token;
  sessionStorage.setItem(KEY, JSON.stringify({ token, search: location.search } satisfies Kept));
}

function forget(): void {
  held.value = null;
  sessionStorage.removeItem(KEY);
}

const endOnServer = (token: string): Promise<unknown> => api.post('/v1/auth/logout', as(token)).catch(() => undefined);

/** Ends the single-decision session, if there is one. */
export async function release(): Promise<void> {
  const token = held.value;
  wasEnded.value = false;
  forget();
  if (token) await endOnServer(token);
}

/** Resumes the single-decision session after a reload. Ends it if it belongs to another request. */
export function resume(): void {
  const former = kept();
  if (former?.search === location.search) held.value = former.token;
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
}

/** @returns null if the session has ended */
export async function introduce(token: string, applicationId: string): Promise<Decider | null> {
  try {
    const [person, all] = await Promise.all([
      api.get('/v1/users/@me', as(token)),
      api.get('/v1/oauth2/@me/authorizations', as(token)),
    ]);
    return { token, person, former: all.find(({ application }) => application.id === applicationId) };
  } catch (error) {
    if (!isOver(error)) throw error;
    dismiss(token);
    return null;
  }
}

export const isOver = (error: unknown): boolean => error instanceof Refused && error.code === 'UNAUTHORIZED';

/** Called when the service no longer knows the session. */
export function dismiss(token: string): void {
  wasEnded.value = true;
  if (isForThisAlone(token)) forget();
  else end(token, false);
}
