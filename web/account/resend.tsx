import type { Action } from '../core/action.js';
import { useSecondsUntil } from '../core/countdown.js';
import { t } from '../core/language.js';
import { Button } from '../kit/button.js';

/** How long nothing is mailed again for (account.md 1.5). */
const PAUSE_MS = 30_000;

/** When a code that is mailed now may be asked for again, by this device's clock. */
export const resendTime = (): number => Date.now() + PAUSE_MS;

/** Sends a mail again. @param from when it may be pressed */
export function ResendButton({ from, action }: { readonly from: number; readonly action: Action }) {
  const left = useSecondsUntil(from);
  return (
    <Button kind="bare" size="small" action={action} disabled={left.value > 0}>
      {left.value > 0 ? t('signIn.resendIn', { count: left.value }) : t('signIn.resend')}
    </Button>
  );
}
