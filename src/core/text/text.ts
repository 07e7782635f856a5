/** PostgreSQL does not store NUL in text or JSON, and an unpaired surrogate is not valid text. */
export const isStorable = (text: string): boolean => !text.includes('\u0000') && text.isWellFormed();

export const isText = (value: unknown): value is string => typeof value === 'string' && isStorable(value);

/** Whether a parsed JSON value can be stored, including the names of members. */
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

/** Length in Unicode code points, as in the contract. */
export const countCodePoints = (text: string): number => {
  let count = 0;
  for (const _ of text) count++;
  return count;
};

/** Control characters, including bidirectional formatting characters. */
const CONTROL = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
/** Invisible characters: white space, joiners, fillers, format characters. */
const INVISIBLE = /[\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu;

export const withoutControl = (text: string): string => text.replace(CONTROL, '');

/** A name in its stored form: without control characters, trimmed. */
export const plainName = (text: string): string => withoutControl(text).trim();

/** Whether a name fits on one line and is visible. Names appear everywhere, including emails and messages. */
export const isOneLine = (text: string): boolean => withoutControl(text) === text && !isBlank(text);

/** Whether a text has no visible characters. */
export const isBlank = (text: string): boolean => text.replace(INVISIBLE, '') === '';
