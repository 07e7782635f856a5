import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { offersAutofill, stopWaiting } from '../core/passkeys.js';
import { type Chosen, choosePasskey } from './passkey.js';

/** A challenge that waits in a field is renewed before it is too old. */
const RENEW_MS = 240_000;

/**
 * Passkeys in the list of the field where a name is typed, from the first paint on and for as long as the caller is shown.
 * @param isFree whether nothing else asks the authenticator now: what does ends this wait
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
    // Whoever types instead is told what is wrong by what they then send.
    wait().catch(() => {});
    return () => {
      isOver = true;
      clearTimeout(renewal);
    };
  }, [value, round, isFree]);
  useEffect(() => () => void stopWaiting(), []);
}
