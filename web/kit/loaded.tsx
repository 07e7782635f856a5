import { type ReadonlySignal, useSignal } from '@preact/signals';
import type { GatewayEvents } from 'gatehouse/client';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { type Action, useAction } from '../core/action.js';
import { heard } from '../core/heard.js';
import { t } from '../core/language.js';
import { Button } from './button.js';
import { FailureNotice } from './notice.js';
import { Skeleton } from './shown.js';

/** What a view shows of the service. */
export interface Loaded<T> {
  /** Null until the service has told. */
  readonly value: ReadonlySignal<T | null>;
  /** What an operation answered instead of it. */
  readonly take: (next: T) => void;
  /** Asks again. */
  readonly again: Action;
}

/**
 * Asks when the view opens, and again whenever the gateway tells of one of these events, or begins to: nobody told of what
 * happened before.
 */
export function useLoaded<T>(ask: () => Promise<T>, events: readonly (keyof GatewayEvents)[] = []): Loaded<T> {
  const value = useSignal<T | null>(null);
  // What changes while the answer is on its way may not be in it.
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
      heard((name) => {
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

/** Lines until it is there; a refusal with a way to ask again. What was shown stays while it is asked for anew. */
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
