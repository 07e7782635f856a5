import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { toFailure } from '../../core/action.js';
import { formatWait, t } from '../../core/language.js';
import { withRetry } from '../../core/with-retry.js';
import { Button } from '../../kit/button.js';

interface FailedItem {
  readonly item: string;
  readonly error: unknown;
}

/** Runs an operation for many items, one at a time. */
export interface BatchRun {
  /** Null while idle. `wait`: seconds until the rate limit allows more requests. */
  readonly progress: ReadonlySignal<{ readonly done: number; readonly of: number; readonly wait: number } | null>;
  /** The result of the last run. */
  readonly result: ReadonlySignal<{ readonly count: number; readonly left: readonly FailedItem[] } | null>;
  /** @returns the items that failed or were skipped */
  readonly run: (items: readonly string[], work: (item: string) => Promise<unknown>) => Promise<readonly string[]>;
  readonly stop: () => void;
}

export function useBatchRun(): BatchRun {
  const progress = useSignal<BatchRun['progress']['value']>(null);
  const result = useSignal<BatchRun['result']['value']>(null);
  const stopping = useRef(new AbortController());
  useEffect(() => () => stopping.current.abort(), []);
  return useMemo(() => {
    async function run(items: readonly string[], work: (item: string) => Promise<unknown>) {
      stopping.current = new AbortController();
      const { signal } = stopping.current;
      result.value = null;
      const left: FailedItem[] = [];
      const rest: string[] = [];
      try {
        for (const [done, item] of items.entries()) {
          const tell = (wait: number) => {
            progress.value = { done, of: items.length, wait };
          };
          tell(0);
          try {
            await withRetry(() => work(item), signal, tell);
          } catch (error) {
            if (error === signal.reason) {
              rest.push(item);
              continue;
            }
            // Rethrows unexpected errors.
            toFailure(error);
            left.push({ item, error });
          }
        }
      } finally {
        progress.value = null;
      }
      result.value = { count: items.length - left.length - rest.length, left };
      return [...left.map(({ item }) => item), ...rest];
    }
    return {
      progress,
      result,
      run,
      stop: () => stopping.current.abort(),
    };
  }, [progress, result]);
}

/** A progress bar with a stop button. */
export function Running({ of: { progress, stop } }: { readonly of: BatchRun }) {
  const now = progress.value;
  if (!now) return null;
  return (
    <div class="stack tight">
      <progress class="progress" max={now.of} value={now.done} aria-label={t('admin.progress')} />
      <div class="row between">
        <span class="small quiet">
          {now.wait > 0
            ? t('admin.waiting', { wait: formatWait(now.wait) })
            : t('admin.doneOf', { done: now.done, of: now.of })}
        </span>
        <Button kind="plain" size="small" onClick={stop}>
          {t('admin.stop')}
        </Button>
      </div>
    </div>
  );
}
