import { type ReadonlySignal, useSignal } from '@preact/signals';
import { Refused } from 'gatehouse/client';
import { useEffect, useRef } from 'preact/hooks';
import { failureOf, inOneLine } from '../core/action.js';

/**
 * Asks again and again for as long as the caller is shown, and at once when somebody looks at it or the connection is back.
 * What `ask` throws is said and asked again. @returns what stands in the way right now, in words
 */
export function usePolling(ask: () => Promise<void>, seconds: number): ReadonlySignal<string | null> {
  const trouble = useSignal<string | null>(null);
  const latest = useRef(ask);
  latest.current = ask;
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let [isOver, isAsking] = [false, false];
    const turn = async () => {
      if (isOver || isAsking) return;
      clearTimeout(timer);
      isAsking = true;
      let pause = seconds;
      try {
        await latest.current();
        trouble.value = null;
      } catch (error) {
        trouble.value = inOneLine(failureOf(error));
        if (error instanceof Refused) pause = Math.max(seconds, error.retryAfter ?? 0);
      }
      isAsking = false;
      if (!isOver) timer = setTimeout(turn, pause * 1000);
    };
    const look = () => void (document.visibilityState === 'visible' && turn());
    void turn();
    window.addEventListener('online', look);
    document.addEventListener('visibilitychange', look);
    return () => {
      isOver = true;
      clearTimeout(timer);
      window.removeEventListener('online', look);
      document.removeEventListener('visibilitychange', look);
    };
  }, [seconds, trouble]);
  return trouble;
}
