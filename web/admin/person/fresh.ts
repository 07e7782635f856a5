import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useAction } from '../../core/action.js';
import type { Loaded } from '../../kit/loaded.js';

/** What is asked for when it is first shown, and anew with every turn; what was on its way then is asked for once more. */
export function useFresh<T>(ask: () => Promise<T>, turn: ReadonlySignal<number>): Loaded<T> {
  const value = useSignal<T | null>(null);
  const again = useAction(async () => {
    let asked: number;
    // Turns of one moment count once: some of what is asked for here is written down.
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
