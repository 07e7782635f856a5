import { ApiError } from '@gatehouse-auth/client';
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { failureText, toFailure } from '../core/action.js';

/**
 * Polls while the caller is mounted, and immediately when the page becomes visible or the connection returns.
 * Errors of `ask` are shown and retried. @returns the current error message
 */
export function usePolling(ask: () => Promise<void>, seconds: number): ReadonlySignal<string | null> {
  const message = useSignal<string | null>(null);
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
        message.value = null;
      } catch (error) {
        message.value = failureText(toFailure(error));
        if (error instanceof ApiError) pause = Math.max(seconds, error.retryAfter ?? 0);
      }
      isAsking = false;
      if (!isOver) timer = setTimeout(turn, pause * 1000);
    };
    const turnIfVisible = () => void (document.visibilityState === 'visible' && turn());
    void turn();
    window.addEventListener('online', turnIfVisible);
    document.addEventListener('visibilitychange', turnIfVisible);
    return () => {
      isOver = true;
      clearTimeout(timer);
      window.removeEventListener('online', turnIfVisible);
      document.removeEventListener('visibilitychange', turnIfVisible);
    };
  }, [seconds, message]);
  return message;
}
