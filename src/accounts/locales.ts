/** Languages that an account may choose. */
export const LOCALES: readonly string[] = [
  ...['en-US', 'en-GB', 'ar', 'de', 'es-ES', 'fr', 'it', 'ja', 'ko', 'nl', 'pl', 'pt-BR', 'sv-SE', 'tr', 'uk', 'zh-CN'],
];

/** The first supported locale of an `Accept-Language` header, else `en-US`. */
export function localeOf(header: string | undefined): string {
  const wanted = (header ?? '').split(',').map((part) => part.split(';', 1)[0]?.trim().toLowerCase() ?? '');
  for (const tag of wanted.slice(0, 20)) {
    const found =
      LOCALES.find((locale) => locale.toLowerCase() === tag) ??
      LOCALES.find((locale) => locale.toLowerCase().split('-')[0] === tag.split('-')[0] && tag !== '');
    if (found) return found;
  }
  return 'en-US';
}
