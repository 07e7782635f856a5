/** What ends a URL where it stands in a text, in markup or in a literal of code. */
const END = String.raw`[^\s"'<>\\^\`{|}]*`;
/** Signs of the sentence around it, when they stand last. */
const PUNCTUATION = /[.,;:!?)\]*_]+$/;

const plain = (text: string): string =>
  text
    .replaceAll('\\/', '/')
    .replace(/&#(\d{1,5});/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replace(/&(?:amp|quot|lt|gt);/g, (entity) => ({ '&amp;': '&', '&quot;': '"', '&lt;': '<' })[entity] ?? '>');

/** The URLs of an origin that occur in a text of any kind: a mail in both its parts, an answer, a header. Each once. */
export function ownLinksIn(text: string, origin: string): string[] {
  const beginning = origin.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const found = plain(text).match(new RegExp(`${beginning}(?![\\w@-]|[.:]\\w)${END}`, 'gi')) ?? [];
  return [...new Set(found.map((url) => url.replace(PUNCTUATION, '')))];
}
