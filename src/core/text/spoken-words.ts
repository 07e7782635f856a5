import { codePoints, isOneLine } from './text.js';

/** A few words for people, by language; English always. */
export type SpokenWords = { readonly 'en-US': string } & Readonly<Record<string, string>>;

const MAX_WORDS = 200;

function isLanguageTag(name: string): boolean {
  try {
    return Intl.getCanonicalLocales(name).includes(name);
  } catch {
    return false;
  }
}

/** Refuses words that no page could show; `what` names whose they are. */
export function demandWords(what: string, said: SpokenWords): void {
  if (said?.['en-US'] === undefined) throw new Error(`${what} has no words in en-US`);
  for (const [language, text] of Object.entries(said)) {
    if (!isLanguageTag(language) || !isOneLine(text) || codePoints(text) > MAX_WORDS)
      throw new Error(`what ${what} says in ${language} is not one line of at most ${MAX_WORDS} characters`);
  }
}
