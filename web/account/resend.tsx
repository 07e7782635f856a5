import type { Action } from '../core/action.js';
import { useSecondsUntil } from '../core/countdown.js';
import { formatWait, t } from '../core/language.js';
import { Button } from '../kit/button.js';

/** Pause between two emails (account.md 1.5). */
const RESEND_INTERVAL_MS = 30_000;

/** When a code that is sent now can be sent again, by the clock of this device. */
export const resendTime = (): number => Date.now() + RESEND_INTERVAL_MS;

/** A button that sends an email again. @param from when the button is enabled */
export function ResendButton({ from, action }: { readonly from: number; readonly action: Action }) {
  const left = useSecondsUntil(from);
  return (
    <Button kind="bare" size="small" action={action} disabled={left.value > 0}>
      {left.value > 0 ? t('signIn.resendIn', { wait: formatWait(left.value) }) : t('signIn.resend')}
    </Button>
  );
}
