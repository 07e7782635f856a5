/** PostgreSQL stores no NUL, neither in text nor in JSON, and an unpaired surrogate is no text. */
export const isStorable = (text: string): boolean => !text.includes('\u0000') && text.isWellFormed();

export const isText = (value: unknown): value is string => typeof value === 'string' && isStorable(value);

/** Whether everything in a parsed JSON value can be stored, names of members included. */
export function isStorableJson(root: unknown): boolean {
  const waiting = [root];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === 'string' && !isStorable(value)) return false;
    if (typeof value !== 'object' || value === null) continue;
    for (const [name, member] of Object.entries(value)) {
      if (!isStorable(name)) return false;
      waiting.push(member);
    }
  }
  return true;
}

/** Length in Unicode code points, as the contract counts. */
export const codePoints = (text: string): number => {
  let count = 0;
  for (const _ of text) count++;
  return count;
};

/** Control characters, and those that turn the direction of what follows. */
const CONTROL = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
/** What shows nothing: blanks, joiners, fillers, marks of format. */
const UNSEEN = /[\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu;

export const withoutControl = (text: string): string => text.replace(CONTROL, '');

/** A name as it is stored: without control characters, trimmed. */
export const plainName = (text: string): string => withoutControl(text).trim();

/** Whether a name that is shown everywhere, in mails and messages too, keeps to one line and shows something. */
export const isOneLine = (text: string): boolean => withoutControl(text) === text && !isBlank(text);

/** Whether a text shows nothing. */
export const isBlank = (text: string): boolean => text.replace(UNSEEN, '') === '';
