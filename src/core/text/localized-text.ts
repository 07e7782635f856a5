import { countCodePoints, isOneLine } from './text.js';

/** A short text for users, by language; English is required. */
export type LocalizedText = { readonly 'en-US': string } & Readonly<Record<string, string>>;

const MAX_WORDS = 200;

function isLanguageTag(name: string): boolean {
  try {
    return Intl.getCanonicalLocales(name).includes(name);
  } catch {
    return false;
  }
}

/**
 * Checks texts that pages show.
 * @param what names the owner of the texts in the error message
 * @throws Error if a text cannot be shown on one line or English is missing
 */
export function assertLocalizedText(what: string, said: LocalizedText): void {
  if (said?.['en-US'] === undefined) throw new Error(`${what} has no text in en-US`);
  for (const [language, text] of Object.entries(said)) {
    if (!isLanguageTag(language) || !isOneLine(text) || countCodePoints(text) > MAX_WORDS)
      throw new Error(
        `${what} has an invalid text in ${language}. Use a language tag and one line of at most ${MAX_WORDS} characters`,
      );
  }
}
