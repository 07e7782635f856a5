import { type ReadonlySignal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { type Action, useAction } from '../../core/action.js';
import { t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { FailureNotice } from '../../kit/notice.js';
import { Empty, Skeleton } from '../../kit/shown.js';

interface Page<T> {
  readonly items: readonly T[];
  readonly hasMore: boolean;
}

/** A list that is loaded in pages. */
export interface Paged<T> {
  /** Null until loaded. */
  readonly items: ReadonlySignal<readonly T[] | null>;
  readonly hasMore: ReadonlySignal<boolean>;
  /** Loads the next page. */
  readonly more: Action;
  /** Reloads from the start. */
  readonly again: Action;
  /** Changes the loaded items, for example if there are new ones. */
  readonly update: (change: (items: readonly T[]) => readonly T[]) => void;
}

/**
 * @param ask loads the page after the known items
 * @param key identifies the list; a new key starts again
 */
export function usePaged<T>(ask: (known: readonly T[]) => Promise<Page<T>>, key = ''): Paged<T> {
  const items = useSignal<readonly T[] | null>(null);
  const hasMore = useSignal(false);
  // Ignore responses of outdated requests.
  const requestNumber = useRef(0);
  const take = async (known: readonly T[]) => {
    const mine = ++requestNumber.current;
    const page = await ask(known);
    if (mine !== requestNumber.current) return;
    // Items may have been added at the start since then.
    items.value = known.length === 0 ? page.items : [...(items.value ?? []), ...page.items];
    hasMore.value = page.hasMore;
  };
  const again = useAction(() => take([]));
  const more = useAction(() => take(items.value ?? []));
  const former = useRef(key);
  useEffect(() => {
    const isAnother = former.current !== key;
    former.current = key;
    if (isAnother) items.value = null;
    // Wait until the request for the previous key has ended.
    const isFree = () => !again.isBusy.value;
    if (isFree()) void again.run();
    else {
      const stop = again.isBusy.subscribe(() => {
        if (!isFree()) return;
        queueMicrotask(() => {
          stop();
          void again.run();
        });
      });
      return stop;
    }
    return undefined;
  }, [key, again, items]);
  const update = (change: (items: readonly T[]) => readonly T[]) => {
    if (items.value) items.value = change(items.value);
  };
  return { items, hasMore, more, again, update };
}

export interface PagesProps<T> {
  readonly of: Paged<T>;
  /** Shown if the list is empty. */
  readonly empty: string;
  readonly children: (items: readonly T[]) => ComponentChildren;
}

/** The loaded items with a button for more. */
export function Pages<T>({ of: { items, hasMore, more, again }, empty, children }: PagesProps<T>) {
  const known = items.value;
  return (
    <>
      <FailureNotice of={again} />
      {again.failure.value && (
        <div>
          <Button kind="plain" size="small" action={again}>
            {t('common.retry')}
          </Button>
        </div>
      )}
      {known === null && !again.failure.value && <Skeleton lines={4} />}
      {known !== null && (known.length === 0 ? <Empty>{empty}</Empty> : children(known))}
      <FailureNotice of={more} />
      {hasMore.value && (
        <div>
          <Button kind="plain" action={more}>
            {t('common.more')}
          </Button>
        </div>
      )}
    </>
  );
}
