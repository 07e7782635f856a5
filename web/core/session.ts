import { signal } from '@preact/signals';

/** How the person is signed in here: in this tab alone, or for as long as it is kept. */
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
/** How long another tab may take to say that somebody is signed in there. */
const ANSWER_MS = 150;

function stored(): Session | null {
  const kept = localStorage.getItem(KEY);
  const token = kept ?? sessionStorage.getItem(KEY);
  return token ? { token, isKept: kept !== null } : null;
}

export const session = signal<Session | null>(stored());
/** Why the person is not signed in any more, where that was not their own doing here. */
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

/** Resolves once no token is about to be replaced by another, here or in another tab. */
let replaced: Promise<void> = Promise.resolve();
let release: () => void = () => {};
/** Whoever asked another tab may have left before it said so. */
const LONGEST_REPLACEMENT_MS = 10_000;

function hold(): void {
  replaced = new Promise((resolve) => {
    release = resolve;
    setTimeout(resolve, LONGEST_REPLACEMENT_MS);
  });
}

/**
 * Work that replaces the token of the session, such as a new password. The gateway may tell of the end of the former token
 * before the answer with the next one is here: what it says waits.
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

/** The session of that token was ended elsewhere, unless it was replaced. */
export const revoked = (token: string): Promise<void> => replaced.then(() => end(token, false));

/** Somebody is signed in here from now on, and in every other tab. */
export function begin(token: string, isKept: boolean): void {
  const next = { token, isKept };
  departure.value = null;
  keep(next);
  tabs.postMessage({ kind: 'began', session: next } satisfies Message);
}

/** The session of that token is over, here and in every other tab. */
export function end(token: string, isOwnDoing: boolean): void {
  if (session.value?.token !== token) return;
  departure.value = isOwnDoing ? null : 'elsewhere';
  keep(null);
  tabs.postMessage({ kind: 'ended', token } satisfies Message);
}

/** The session of this tab, or of another one: a link from a mail opens a tab that knows nothing yet. */
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
