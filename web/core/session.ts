import { signal } from '@preact/signals';
import { forgetTypedEmail } from './typed-email.js';

/** The session of this browser: only in this tab, or stored for all. */
export interface Session {
  readonly token: string;
  readonly isKept: boolean;
}

type Message =
  | { readonly kind: 'began'; readonly session: Session }
  | { readonly kind: 'ended'; readonly token: string }
  | { readonly kind: 'replacing' | 'replaced' }
  | { readonly kind: 'who' };

const KEY = 'gatehouse.session';
/** How long to wait for another tab to share its session. */
const TAB_RESPONSE_TIMEOUT_MS = 150;

function readStoredSession(): Session | null {
  const kept = localStorage.getItem(KEY);
  const token = kept ?? sessionStorage.getItem(KEY);
  return token ? { token, isKept: kept !== null } : null;
}

export const session = signal<Session | null>(readStoredSession());
/** Set if the session was ended in another tab or on another device. */
export const signOutCause = signal<'elsewhere' | null>(null);

const tabs = new BroadcastChannel('gatehouse.session');

function storeSession(next: Session | null): void {
  sessionStorage.removeItem(KEY);
  localStorage.removeItem(KEY);
  if (next) (next.isKept ? localStorage : sessionStorage).setItem(KEY, next.token);
  session.value = next;
}

tabs.onmessage = ({ data }: MessageEvent<Message>) => {
  if (data.kind === 'who') {
    if (session.value) tabs.postMessage({ kind: 'began', session: session.value } satisfies Message);
  } else if (data.kind === 'began') {
    signOutCause.value = null;
    if (session.value?.token !== data.session.token) storeSession(data.session);
  } else if (data.kind === 'replacing') {
    pauseUntilRotated();
  } else if (data.kind === 'replaced') {
    resumeAfterRotation();
  } else if (data.kind === 'ended' && session.value?.token === data.token) {
    signOutCause.value = 'elsewhere';
    storeSession(null);
  }
};

/** Waits for token rotation in any tab to finish. */
let rotationDone: Promise<void> = Promise.resolve();
let resumeAfterRotation: () => void = () => {};
/** Timeout, because the tab that rotates the token may be closed before it is done. */
const MAX_ROTATION_MS = 10_000;

function pauseUntilRotated(): void {
  rotationDone = new Promise((resolve) => {
    resumeAfterRotation = resolve;
    setTimeout(resolve, MAX_ROTATION_MS);
  });
}

/**
 * Runs an operation that rotates the session token, such as a password change.
 * The gateway may report the end of the old token before the response with the new one arrives, so that event is
 * delayed.
 */
export async function withTokenRotation<T>(work: () => Promise<T>): Promise<T> {
  pauseUntilRotated();
  tabs.postMessage({ kind: 'replacing' } satisfies Message);
  try {
    return await work();
  } finally {
    resumeAfterRotation();
    tabs.postMessage({ kind: 'replaced' } satisfies Message);
  }
}

/** Called when a token was revoked elsewhere. Ends the session unless the token was rotated. */
export const onTokenRevoked = (token: string): Promise<void> => rotationDone.then(() => endSession(token, false));

/** Starts a session in all tabs. */
export function startSession(token: string, isKept: boolean): void {
  const next = { token, isKept };
  signOutCause.value = null;
  forgetTypedEmail();
  storeSession(next);
  tabs.postMessage({ kind: 'began', session: next } satisfies Message);
}

/** Ends the session with this token in all tabs. */
export function endSession(token: string, isOwnDoing: boolean): void {
  if (session.value?.token !== token) return;
  signOutCause.value = isOwnDoing ? null : 'elsewhere';
  storeSession(null);
  tabs.postMessage({ kind: 'ended', token } satisfies Message);
}

/** The session of this tab or of another one. Links in emails open new tabs, which have to ask the others first. */
export function resolveSession(): Promise<Session | null> {
  if (session.value) return Promise.resolve(session.value);
  tabs.postMessage({ kind: 'who' } satisfies Message);
  return new Promise((resolve) => {
    const give = () => {
      stop();
      clearTimeout(timer);
      resolve(session.value);
    };
    const timer = setTimeout(give, TAB_RESPONSE_TIMEOUT_MS);
    const stop = session.subscribe((value) => value && queueMicrotask(give));
  });
}
