import { signal } from '@preact/signals';
import { type Answer, type paths, Refused } from 'gatehouse/client';
import { api } from '../../core/api.js';
import { departure, end, session } from '../../core/session.js';

export type Person = Answer<paths, '/v1/users/@me', 'get'>;
type Authorization = Answer<paths, '/v1/oauth2/@me/authorizations', 'get'>[number];

/** A session that was begun for one decision: no other tab knows of it, and it ends with the decision. */
const KEY = 'gatehouse.consent';

interface Kept {
  readonly token: string;
  /** The request that it was begun for. */
  readonly search: string;
}

const kept = (): Kept | null => JSON.parse(sessionStorage.getItem(KEY) ?? 'null');

const held = signal<string | null>(null);
/** Whether whoever decided was signed out by somebody else. */
const wasEnded = signal(false);

export const as = (token: string) => ({ headers: { authorization: token } });

/** Whoever decides: by a session for this alone, or by that of the browser. */
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

/** Ends the session for this alone, if there is one. */
export async function release(): Promise<void> {
  const token = held.value;
  wasEnded.value = false;
  forget();
  if (token) await endOnServer(token);
}

/** After a reload the decision goes on; what was begun for another one is over. */
export function resume(): void {
  const former = kept();
  if (former?.search === location.search) held.value = former.token;
  else if (former) {
    forget();
    void endOnServer(former.token);
  }
}

/** What is said to whoever decides, and what is asked in their name. */
export interface Decider {
  readonly token: string;
  readonly person: Person;
  /** What the application was granted before. */
  readonly former: Authorization | undefined;
}

/** @returns null when the session is over */
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

/** The service does not know that session any more. */
export function dismiss(token: string): void {
  wasEnded.value = true;
  if (isForThisAlone(token)) forget();
  else end(token, false);
}
