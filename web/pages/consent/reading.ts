import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

/** What is pressed before anybody can have read the question is no answer to it. */
const READING_MS = 1000;
const LOOK_MS = 100;

export interface Reading {
  /** Whether it is too early for an answer. */
  readonly isEarly: ReadonlySignal<boolean>;
  /** The same at this very moment. */
  readonly isEarlyNow: () => boolean;
}

/**
 * Time to read the question: from when it is shown, and from when the window comes to the front again, since what lay over
 * it may have caught the first of two clicks.
 */
export function useReading(): Reading {
  const until = useRef(performance.now() + READING_MS);
  const isEarly = useSignal(true);
  const isEarlyNow = () => performance.now() < until.current;
  useEffect(() => {
    let timer: ReturnType<typeof setInterval> | undefined;
    const look = () => {
      isEarly.value = isEarlyNow();
      if (!isEarly.value) clearInterval(timer);
    };
    const begin = () => {
      if (document.hidden) return;
      until.current = performance.now() + READING_MS;
      isEarly.value = true;
      clearInterval(timer);
      timer = setInterval(look, LOOK_MS);
    };
    begin();
    addEventListener('focus', begin);
    document.addEventListener('visibilitychange', begin);
    return () => {
      clearInterval(timer);
      removeEventListener('focus', begin);
      document.removeEventListener('visibilitychange', begin);
    };
  }, [isEarly]);
  return { isEarly, isEarlyNow };
}
