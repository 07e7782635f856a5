import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useAction } from '../../core/action.js';
import type { Loaded } from '../../kit/loaded.js';

/** Loads data when first shown and again on every turn. Repeats the request if a turn happens during it. */
export function useFresh<T>(ask: () => Promise<T>, turn: ReadonlySignal<number>): Loaded<T> {
  const value = useSignal<T | null>(null);
  const again = useAction(async () => {
    let asked: number;
    // Coalesces turns of one tick, because some of these requests are recorded in the audit log.
    await null;
    do {
      asked = turn.value;
      value.value = await ask();
    } while (asked !== turn.value);
  });
  useEffect(() => turn.subscribe(() => void again.run()), [again, turn]);
  return {
    value,
    take: (next) => {
      value.value = next;
    },
    again,
  };
}
