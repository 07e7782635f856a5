import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { cancelPasskeyRequest, offersAutofill } from '../core/passkeys.js';
import { type Chosen, choosePasskey } from './passkey.js';

/** How often a waiting autofill challenge is renewed, before it expires. */
const RENEW_MS = 240_000;

/**
 * Offers passkeys in the autofill list of the username field while the caller is mounted.
 * @param isFree false while another passkey request is active, which cancels autofill
 */
export function useAutofill(isFree: boolean, onChosen: (chosen: Chosen) => void): void {
  const round = useSignal(0);
  const latest = useRef(onChosen);
  latest.current = onChosen;
  const { value } = round;
  useEffect(() => {
    if (!isFree) return undefined;
    let isOver = false;
    const renewal = setTimeout(() => round.value++, RENEW_MS);
    const wait = async () => {
      if (!(await offersAutofill()) || isOver) return;
      const chosen = await choosePasskey({ isAutofill: true, isWanted: () => !isOver });
      if (chosen && !isOver) latest.current(chosen);
    };
    // Ignore errors, because the user can still submit the form.
    wait().catch(() => {});
    return () => {
      isOver = true;
      clearTimeout(renewal);
    };
  }, [value, round, isFree]);
  useEffect(() => () => void cancelPasskeyRequest(), []);
}
