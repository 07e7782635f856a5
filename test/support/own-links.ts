/** The rest of a URL, up to a character that cannot be part of it in text, markup or code. */
const END = String.raw`[^\s"'<>\\^\`{|}]*`;
/** Punctuation of the surrounding sentence at the end of a URL. */
const PUNCTUATION = /[.,;:!?)\]*_]+$/;

const plain = (text: string): string =>
  text
    .replaceAll('\\/', '/')
    .replace(/&#(\d{1,5});/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replace(/&(?:amp|quot|lt|gt);/g, (entity) => ({ '&amp;': '&', '&quot;': '"', '&lt;': '<' })[entity] ?? '>');

/** The distinct URLs of an origin in a text of any kind, such as either part of an email, a response or a header. */
export function ownLinksIn(text: string, origin: string): string[] {
  const beginning = origin.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const found = plain(text).match(new RegExp(`${beginning}(?![\\w@-]|[.:]\\w)${END}`, 'gi')) ?? [];
  return [...new Set(found.map((url) => url.replace(PUNCTUATION, '')))];
}
