import { type ReadonlySignal, useComputed, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type Action, type Failure, toFailure, useAction } from '../../core/action.js';

export interface Polled {
  /** Requests immediately. */
  readonly now: Action;
  /** The last error. It is cleared by the next successful response. */
  readonly lost: ReadonlySignal<Failure | null>;
}

/** Polls while the page is visible, also after errors. */
export function usePolled(ask: () => Promise<void>, everyMs: number): Polled {
  const error = useSignal<{ readonly what: unknown } | null>(null);
  const lost = useComputed(() => error.value && toFailure(error.value.what));
  const now = useAction(async () => {
    try {
      await ask();
      error.value = null;
    } catch (what) {
      // Rethrows unexpected errors.
      toFailure(what);
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
