import { type ReadonlySignal, useComputed, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type Action, type Failure, failureOf, useAction } from '../../core/action.js';

export interface Polled {
  /** Asks at once. */
  readonly now: Action;
  /** Why nothing came the last time; it goes away with the next answer. */
  readonly lost: ReadonlySignal<Failure | null>;
}

/** Asks again and again while somebody may see it, whether it was answered or not. */
export function usePolled(ask: () => Promise<void>, everyMs: number): Polled {
  const error = useSignal<{ readonly what: unknown } | null>(null);
  const lost = useComputed(() => error.value && failureOf(error.value.what));
  const now = useAction(async () => {
    try {
      await ask();
      error.value = null;
    } catch (what) {
      // What is no refusal is thrown here.
      failureOf(what);
      error.value = { what };
    }
  });
  useEffect(() => {
    const look = () => {
      if (!document.hidden) void now.run();
    };
    look();
    const timer = setInterval(look, everyMs);
    document.addEventListener('visibilitychange', look);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, [now, everyMs]);
  return { now, lost };
}
