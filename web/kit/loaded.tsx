import type { GatewayEvents } from '@gatehouse-auth/client';
import { type ReadonlySignal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { type Action, useAction } from '../core/action.js';
import { onGatewayEvent } from '../core/gateway-events.js';
import { t } from '../core/language.js';
import { Button } from './button.js';
import { FailureNotice } from './notice.js';
import { Skeleton } from './shown.js';

/** Data of a view. */
export interface Loaded<T> {
  /** Null until loaded. */
  readonly value: ReadonlySignal<T | null>;
  /** Replaces the data with that from a response. */
  readonly take: (next: T) => void;
  /** Reloads. */
  readonly again: Action;
}

/**
 * Loads data when the view opens, and again on these gateway events or after a reconnect, because events before it were
 * missed.
 */
export function useLoaded<T>(ask: () => Promise<T>, events: readonly (keyof GatewayEvents)[] = []): Loaded<T> {
  const value = useSignal<T | null>(null);
  // A change during the request may be missing in the response.
  const isStale = useRef(false);
  const again = useAction(async () => {
    do {
      isStale.current = false;
      value.value = await ask();
    } while (isStale.current);
  });
  useEffect(() => void again.run(), [again]);
  const names = events.length > 0 ? ['READY', ...events].join() : '';
  useEffect(
    () =>
      onGatewayEvent((name) => {
        if (!names.split(',').includes(name)) return;
        isStale.current = true;
        void again.run();
      }),
    [again, names],
  );
  return {
    value,
    take: (next) => {
      value.value = next;
    },
    again,
  };
}

/** Reloads when the page becomes visible again, for changes in other tabs and on other devices that send no event. */
export function useReloadWhenVisible(look: () => Promise<void>): void {
  useEffect(() => {
    const seen = () => void (document.visibilityState === 'visible' && look());
    document.addEventListener('visibilitychange', seen);
    return () => document.removeEventListener('visibilitychange', seen);
  }, [look]);
}

/**
 * Shows a placeholder until the data is loaded, or an error with a retry button. During a reload the old data stays
 * visible.
 */
export function Loading<T>({
  of: { value, again },
  children,
}: {
  readonly of: Loaded<T>;
  readonly children: (value: T) => ComponentChildren;
}) {
  const known = value.value;
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
      {known === null ? !again.failure.value && <Skeleton lines={4} /> : children(known)}
    </>
  );
}
