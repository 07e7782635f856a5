import type { paths, ResponseBody } from '@gatehouse-auth/client';
import { type ReadonlySignal, type Signal, signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useAction } from '../../core/action.js';
import type { Loaded } from '../../kit/loaded.js';

/** Data that is kept while another tab is open. */
export interface Kept<T> {
  readonly value: Signal<T | null>;
  /** The turn of the data. */
  turn?: number;
}

/** The data whose requests are recorded in the audit log. Opening its tab again must not load it again. */
export interface KeptReads {
  readonly sessions: Kept<ResponseBody<paths, '/v1/admin/users/{user_id}/sessions', 'get'>['sessions']>;
  readonly networks: Kept<ResponseBody<paths, '/v1/admin/users/{user_id}/networks', 'get'>['networks']>;
  readonly passkeys: Kept<ResponseBody<paths, '/v1/admin/users/{user_id}/webauthn-credentials', 'get'>>;
  readonly tokens: Kept<ResponseBody<paths, '/v1/admin/users/{user_id}/access-tokens', 'get'>['tokens']>;
}

export const keepReads = (): KeptReads => ({
  sessions: { value: signal(null) },
  networks: { value: signal(null) },
  passkeys: { value: signal(null) },
  tokens: { value: signal(null) },
});

/** Loads data when first shown and again on every turn. Repeats the request if a turn happens during it. */
export function useFresh<T>(ask: () => Promise<T>, turn: ReadonlySignal<number>, kept?: Kept<T>): Loaded<T> {
  const own = useSignal<T | null>(null);
  const value = kept?.value ?? own;
  const again = useAction(async () => {
    let requested: number;
    // Coalesces turns of one tick, because some of these requests are recorded in the audit log.
    await null;
    do {
      requested = turn.value;
      value.value = await ask();
    } while (requested !== turn.value);
    if (kept) kept.turn = requested;
  });
  useEffect(
    () =>
      turn.subscribe((now) => {
        if (kept?.turn !== now) void again.run();
      }),
    [again, turn, kept],
  );
  return {
    value,
    take: (next) => {
      value.value = next;
    },
    again,
  };
}
