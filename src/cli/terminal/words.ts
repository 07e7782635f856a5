// Control characters but tab and line feed, those that order text, and separators that some terminals take for a line's end.
const UNPRINTABLE = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu;

/**
 * Text as a terminal may show it: what could steer the terminal or reorder a line is escaped as in JSON, so that JSON stays
 * the same JSON. A line feed stays.
 */
export const printable = (text: string): string =>
  text.replace(UNPRINTABLE, (character) =>
    character === '\n' || character === '\t'
      ? character
      : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Stored text as a part of a line, which it cannot end. */
export const oneLine = (text: string): string => text.replaceAll('\n', '\\n');

/** A number of things, by a noun whose plural ends in `s` unless it is given. */
export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : plural}`;
