import { signal } from '@preact/signals';

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
const ANSWER_MS = 150;

function stored(): Session | null {
  const kept = localStorage.getItem(KEY);
  const token = kept ?? sessionStorage.getItem(KEY);
  return token ? { token, isKept: kept !== null } : null;
}

export const session = signal<Session | null>(stored());
/** Set if the session was ended in another tab or on another device. */
export const departure = signal<'elsewhere' | null>(null);

const tabs = new BroadcastChannel('gatehouse.session');

function keep(next: Session | null): void {
  sessionStorage.removeItem(KEY);
  localStorage.removeItem(KEY);
  if (next) (next.isKept ? localStorage : sessionStorage).setItem(KEY, next.token);
  session.value = next;
}

tabs.onmessage = ({ data }: MessageEvent<Message>) => {
  if (data.kind === 'who') {
    if (session.value) tabs.postMessage({ kind: 'began', session: session.value } satisfies Message);
  } else if (data.kind === 'began') {
    departure.value = null;
    if (session.value?.token !== data.session.token) keep(data.session);
  } else if (data.kind === 'replacing') {
    hold();
  } else if (data.kind === 'replaced') {
    release();
  } else if (data.kind === 'ended' && session.value?.token === data.token) {
    departure.value = 'elsewhere';
    keep(null);
  }
};

/** Waits for token rotation in any tab to finish. */
let replaced: Promise<void> = Promise.resolve();
let release: () => void = () => {};
/** Timeout, because the tab that rotates the token may be closed before it is done. */
const LONGEST_REPLACEMENT_MS = 10_000;

function hold(): void {
  replaced = new Promise((resolve) => {
    release = resolve;
    setTimeout(resolve, LONGEST_REPLACEMENT_MS);
  });
}

/**
 * Runs an operation that rotates the session token, such as a password change.
 * The gateway may report the end of the old token before the response with the new one arrives, so that notice is
 * delayed.
 */
export async function replacing<T>(work: () => Promise<T>): Promise<T> {
  hold();
  tabs.postMessage({ kind: 'replacing' } satisfies Message);
  try {
    return await work();
  } finally {
    release();
    tabs.postMessage({ kind: 'replaced' } satisfies Message);
  }
}

/** Called when a token was revoked elsewhere. Ends the session unless the token was rotated. */
export const revoked = (token: string): Promise<void> => replaced.then(() => end(token, false));

/** Starts a session in all tabs. */
export function begin(token: string, isKept: boolean): void {
  const next = { token, isKept };
  departure.value = null;
  keep(next);
  tabs.postMessage({ kind: 'began', session: next } satisfies Message);
}

/** Ends the session with this token in all tabs. */
export function end(token: string, isOwnDoing: boolean): void {
  if (session.value?.token !== token) return;
  departure.value = isOwnDoing ? null : 'elsewhere';
  keep(null);
  tabs.postMessage({ kind: 'ended', token } satisfies Message);
}

/** The session of this tab or of another one. Links in emails open new tabs, which have to ask the others first. */
export function settled(): Promise<Session | null> {
  if (session.value) return Promise.resolve(session.value);
  tabs.postMessage({ kind: 'who' } satisfies Message);
  return new Promise((resolve) => {
    const give = () => {
      stop();
      clearTimeout(timer);
      resolve(session.value);
    };
    const timer = setTimeout(give, ANSWER_MS);
    const stop = session.subscribe((value) => value && queueMicrotask(give));
  });
}
