/** Languages that an account may choose. */
export const LOCALES: readonly string[] = [
  ...['en-US', 'en-GB', 'ar', 'de', 'es-ES', 'fr', 'it', 'ja', 'ko', 'nl', 'pl', 'pt-BR', 'sv-SE', 'tr', 'uk', 'zh-CN'],
];

const RANGE = /^\s*([a-z\d*-]{1,35})\s*(?:;\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/i;

/**
 * Returns the language tags of an `Accept-Language` header by weight (RFC 9110 section 12.5.4). A weight of zero
 * excludes a tag.
 */
function acceptedTags(header: string): string[] {
  const ranges = header.split(',', 20).flatMap((part) => {
    const [, tag, weight = '1'] = RANGE.exec(part) ?? [];
    return tag && Number(weight) > 0 ? [{ tag: tag.toLowerCase(), weight: Number(weight) }] : [];
  });
  return ranges.toSorted((a, b) => b.weight - a.weight).map(({ tag }) => tag);
}

/** Returns the supported locale that an `Accept-Language` header prefers. Default: `en-US`. */
export function negotiateLocale(header: string | undefined): string {
  for (const tag of acceptedTags(header ?? '')) {
    const found =
      LOCALES.find((locale) => locale.toLowerCase() === tag) ??
      LOCALES.find((locale) => locale.toLowerCase().split('-')[0] === tag.split('-')[0]);
    if (found) return found;
  }
  return 'en-US';
}
