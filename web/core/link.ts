import type { ApiError } from '@gatehouse-auth/client';
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { type Action, useAction } from './action.js';
import { clearLinkParameters, linkParameter } from './fragment.js';
import { readHistoryState, writeHistoryState } from './history-state.js';

/** The state of a link: valid, incomplete, used or expired, or just used. */
export type LinkState = 'ready' | 'missing' | 'dead' | 'done';

export interface Link {
  readonly state: ReadonlySignal<LinkState>;
  readonly action: Action;
}

export interface LinkOptions {
  readonly fields?: readonly string[];
  /** Handles an error first. Returns true if no message is needed. */
  readonly onError?: (refused: ApiError) => boolean;
}

const KEY = 'link';

/** Handles the token of an emailed link. Only a button press redeems it. @param redeem the action of the button */
export function useLink(redeem: (token: string) => Promise<unknown>, { fields, onError }: LinkOptions = {}): Link {
  const token = linkParameter('token');
  const state = useSignal<LinkState>(readHistoryState<LinkState>(KEY) ?? (token ? 'ready' : 'missing'));
  const settle = (next: LinkState) => {
    clearLinkParameters();
    state.value = writeHistoryState(KEY, next);
  };
  const action = useAction(
    async () => {
      await redeem(token ?? '');
      settle('done');
    },
    {
      ...(fields ? { fields } : {}),
      onError: (refused) => {
        if (onError?.(refused)) return true;
        const code = refused.of('token');
        if (code === undefined) return false;
        settle(code.startsWith('INVALID_OR_EXPIRED') ? 'dead' : 'missing');
        return true;
      },
    },
  );
  return { state, action };
}
