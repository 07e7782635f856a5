import { countCodePoints, plainName } from '../../core/text/text.js';

/** Maximum number of characters (admin.md 5.3). */
export const MAX_REASON_LENGTH = 512;

/** Removes control characters and surrounding white space. Returns null if the rest is empty or too long. */
export function cleanReason(text: string): string | null {
  const reason = plainName(text);
  return reason === '' || countCodePoints(reason) > MAX_REASON_LENGTH ? null : reason;
}
