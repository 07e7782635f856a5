/** The languages of pages and emails (web.md section 1), by their native names. */
export const LANGUAGE_NAMES = {
  'en-US': 'English',
  de: 'Deutsch',
  fr: 'Français',
  'es-ES': 'Español',
  'pt-BR': 'Português (Brasil)',
  ja: '日本語',
  ar: 'العربية',
} as const;

export type Language = keyof typeof LANGUAGE_NAMES;

export const LANGUAGES = Object.keys(LANGUAGE_NAMES) as Language[];
const FALLBACK: Language = 'en-US';

const primarySubtag = (tag: string): string => tag.toLowerCase().split('-', 1)[0] ?? '';

/** The language of the first locale that is supported, ignoring the region if needed. Default: English. */
export function matchLanguage(...locales: readonly (string | null | undefined)[]): Language {
  for (const locale of locales) {
    if (!locale) continue;
    const found =
      LANGUAGES.find((language) => language.toLowerCase() === locale.toLowerCase()) ??
      LANGUAGES.find((language) => primarySubtag(language) === primarySubtag(locale));
    if (found) return found;
  }
  return FALLBACK;
}

export const directionOf = (language: Language): 'ltr' | 'rtl' => (language === 'ar' ? 'rtl' : 'ltr');

/** The locale for numbers and times in `Intl`, with the same digits as codes and addresses. */
export const intlLocaleOf = (language: Language): string => (language === 'ar' ? 'ar-u-nu-latn' : language);
