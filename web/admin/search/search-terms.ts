export type Kind = 'id' | 'tag' | 'name' | 'email' | 'phone' | 'address' | 'network' | 'session' | 'request';

/** Something in the input that can be searched for. */
export interface SearchTerm {
  readonly kind: Kind;
  readonly value: string;
}

export interface SearchTerms {
  readonly finds: readonly SearchTerm[];
  /** True if the input contains more than is searched for. */
  readonly isCut: boolean;
}

const MAX_TEXT = 10_000;
const MAX_FINDS = 12;
/** Maximum length of an email address. Longer words are split into pieces. */
const MAX_WORD = 320;
/** Maximum length of the encoded query, because the page URL is sent as a request header. */
const MAX_QUERY = 4_000;
const LARGEST_ID = 9223372036854775807n;

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;
const MAPPED = /^::ffff:(\d[\d.]+)$/i;
const IPV6 = /^(?=.*:.*:)(?=.*[\da-f])[\da-f:.]{2,45}$/i;
const RANGE = /^([\da-f:.]+)\/(0|[1-9]\d{0,2})$/i;
const EMAIL = /^[^@:/=#]{1,64}@[^@:/=#]+\.[^@:/=#]+$/;
const TAG = /^\w{1,32}#\d{4}$/;
const NAME = /^@?(\w{1,32})$/;
const PHONE = /^\+[1-9]\d{6,14}$/;
/** A phone number with separators. */
const SPACED_PHONE = /^\+[\d\s().-]{6,30}$/;
const SESSION = /^[\w-]{43}$/;
/** Request IDs created by the service. Callers can choose any other ID. */
const MINTED_REQUEST = /^(?:cli-)?[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const REQUEST = /^[\w.-]{1,64}$/;
const NAMED_REQUEST = /request[_-]?id["']?\s{0,3}[:=]\s{0,3}["']?([\w.-]{1,64})/gi;
const BETWEEN_WORDS = /[\s"'`<>(),;{}[\]|\\]+/;
const BETWEEN_PIECES = /[:=/?&]+/;
const AT_THE_ENDS = /^[.:!?]+|[.:!?]+$/g;

/** Credentials, with the part that is not secret (src/core/log.ts). */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/\bfa_(\d+)_[A-Za-z0-9]{32}/g, '$1'],
  [/\b(\d+)\.[\w-]{43}(?![\w-])/g, '$1'],
  [/(\/webhooks\/\d+)\/[A-Za-z0-9]{64}/g, '$1'],
  [/flx_[A-Za-z0-9]{36}/g, ''],
  [/gp_[A-Za-z0-9]{40}/g, ''],
  [/eyJ(?:(?!eyJ)[\w-])*(?:\.[\w-]*){2,}/g, ''],
  [/\b(?:Bot|Bearer|Admin|Basic) [^\s"]+/gi, ''],
];

/** Removes pasted secrets, because the search is stored in the page URL. */
const withoutSecrets = (text: string): string =>
  SECRETS.reduce((rest, [secret, kept]) => rest.replace(secret, kept), text.slice(0, MAX_TEXT));

export const isMintedRequest = (value: string): boolean => MINTED_REQUEST.test(value);

/** Normalizes an IP address to the form that the service stores. */
function addressOf(text: string): string | null {
  const plain = MAPPED.exec(text)?.[1] ?? text;
  if (IPV4.test(plain)) return plain;
  const host = `http://[${text}]`;
  return IPV6.test(text) && URL.canParse(host) ? new URL(host).hostname.slice(1, -1) : null;
}

/** The bits of an IP address, most significant first. */
function bitsOf(address: string): string {
  const [numbers, width] = address.includes(':') ? [groupsOf(address), 16] : [address.split('.').map(Number), 8];
  return numbers.map((number) => number.toString(2).padStart(width, '0')).join('');
}

function groupsOf(address: string): number[] {
  const [head = [], tail = []] = address.split('::').map((half) => half.split(':').filter(Boolean));
  const groups = [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail];
  return groups.map((group) => Number.parseInt(group, 16));
}

/** Parses a range. If host bits are set, returns the IP address instead. */
function rangeOf(text: string): SearchTerm | null {
  const [, host = '', suffix = ''] = RANGE.exec(text) ?? [];
  const address = addressOf(host);
  if (address === null) return null;
  const bits = bitsOf(address);
  if (Number(suffix) > bits.length) return null;
  return bits.slice(Number(suffix)).includes('1') || Number(suffix) === bits.length
    ? { kind: 'address', value: address }
    : { kind: 'network', value: `${address}/${suffix}` };
}

const isId = (text: string): boolean => /^(?:0|[1-9]\d{0,18})$/.test(text) && BigInt(text) <= LARGEST_ID;

/** Recognizes a word by its form. Among other words, numbers shorter than current IDs are ignored. */
function read(word: string): SearchTerm | null {
  const address = addressOf(word);
  if (address) return { kind: 'address', value: address };
  const range = rangeOf(word);
  if (range) return range;
  if (/^\d{15,}$/.test(word)) return isId(word) ? { kind: 'id', value: word } : null;
  if (EMAIL.test(word)) return { kind: 'email', value: word };
  if (TAG.test(word)) return { kind: 'tag', value: word };
  if (PHONE.test(word)) return { kind: 'phone', value: word };
  if (MINTED_REQUEST.test(word)) return { kind: 'request', value: word };
  return SESSION.test(word) ? { kind: 'session', value: word } : null;
}

function readWord(word: string): readonly SearchTerm[] {
  const trimmed = word.length > MAX_WORD ? '' : word.replace(AT_THE_ENDS, '');
  const found = read(word.slice(0, MAX_WORD + 1)) ?? read(trimmed);
  if (found) return [found];
  return word.split(BETWEEN_PIECES).flatMap((piece) => (piece.length > MAX_WORD ? [] : (read(piece) ?? [])));
}

/** Additional meanings of a single word: a name, a short ID, or a custom request ID. */
function readAlone(text: string): readonly SearchTerm[] {
  const phone = SPACED_PHONE.test(text) ? text.replace(/[^\d+]/g, '') : '';
  if (PHONE.test(phone)) return [{ kind: 'phone', value: phone }];
  const [, name] = NAME.exec(text) ?? [];
  const isFree = read(text) === null || isId(text);
  return [
    ...(isId(text) ? [{ kind: 'id', value: text } as const] : []),
    ...(name ? [{ kind: 'name', value: name } as const] : []),
    ...(isFree && REQUEST.test(text) ? [{ kind: 'request', value: text } as const] : []),
  ];
}

/** Everything in the input that can be searched for, in order. Long input is cut off. */
export function extractSearchTerms(text: string): SearchTerms {
  const read = withoutSecrets(text).trim();
  const named = [...read.matchAll(NAMED_REQUEST)].map(([, value = '']): SearchTerm => ({ kind: 'request', value }));
  const found = [...readAlone(read), ...read.split(BETWEEN_WORDS).flatMap(readWord), ...named];
  const distinct = [...new Map(found.map((find) => [`${find.kind} ${find.value}`, find])).values()];
  return {
    finds: distinct.slice(0, MAX_FINDS),
    isCut: distinct.length > MAX_FINDS || text.length > MAX_TEXT,
  };
}

/** The form in which the value is recognized among other words. */
const termText = ({ kind, value }: SearchTerm): string => (kind === 'request' ? `request_id=${value}` : value);

/** The query for the page URL: the input itself, or the recognized values of long input. */
export function queryOf(text: string): string {
  const whole = withoutSecrets(text).trim();
  const isShort = (query: string) => encodeURIComponent(query).length <= MAX_QUERY;
  if (isShort(whole)) return whole;
  return extractSearchTerms(text).finds.reduce((query, find) => {
    const longer = `${query} ${termText(find)}`.trim();
    return isShort(longer) ? longer : query;
  }, '');
}
