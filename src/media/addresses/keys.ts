import { ApiError } from '../../core/errors.js';
import { withoutControl } from '../../core/text/text.js';

export type AssetKind = 'avatars' | 'banners';

const MAX_KEY_BYTES = 1024;
const utf8 = new TextDecoder('utf-8', { fatal: true });

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** The part of the raw request path after `prefix`, still encoded and without the query. */
export function rawPath(url: string, prefix: string): string {
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  return path.startsWith(prefix) ? path.slice(prefix.length) : '';
}

/** Percent-decodes once, as UTF-8. Returns `null` for invalid input. */
export function decodeOnce(raw: string): string | null {
  if (/%(?![0-9A-Fa-f]{2})/.test(raw)) return null;
  const bytes = Buffer.from(
    raw.replace(/%([0-9A-Fa-f]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

/** The key rule (media.md section 2). */
export function isKey(key: string): boolean {
  if (key === '' || Buffer.byteLength(key) > MAX_KEY_BYTES || key.includes('\\') || CONTROL.test(key)) return false;
  return key.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..');
}

/**
 * Decodes and checks the key of a raw path.
 * @throws ApiError BAD_REQUEST, NOT_FOUND for an empty path
 */
export function requireKey(raw: string): string {
  if (raw === '') throw new ApiError('NOT_FOUND');
  const key = decodeOnce(raw);
  if (key === null || !isKey(key)) throw new ApiError('BAD_REQUEST');
  return key;
}

/** The parts of the path of an avatar or a banner. */
export interface AssetName {
  readonly ownerId: string;
  /** Without the `a_` prefix of animated images, which is not part of the key. */
  readonly hash: string;
  readonly isAnimated: boolean;
  readonly extension: string;
}

const ASSET = /^(\d{1,20})\/(a_)?([0-9a-f]{32})\.(png|jpe?g|webp|gif|avif)$/i;

/** Parses the asset grammar (media.md section 2). Returns `null` for other paths. */
export function readAssetName(path: string): AssetName | null {
  const [, ownerId, mark, hash, extension] = ASSET.exec(path) ?? [];
  if (!ownerId || !hash || !extension || hash !== hash.toLowerCase() || mark === 'A_') return null;
  return { ownerId, hash, isAnimated: mark !== undefined, extension };
}

/** Encodes a key for use in a URL. */
export const urlPath = (key: string): string => key.split('/').map(encodeURIComponent).join('/');

// Short enough that owner, UUID and name together satisfy the key rule.
const MAX_NAME_BYTES = 960;

/**
 * Reduces a file name to a safe one (media.md section 3): no path, no control characters, no leading dot, never empty.
 */
export function plainFilename(name: string): string {
  const last = name.split(/[/\\]/).pop() ?? '';
  const plain = withoutControl(last).replace(/^\.+/, '');
  return shorten(plain) || 'file';
}

/** Shortens the name at a character boundary and keeps its extension. */
function shorten(name: string): string {
  if (Buffer.byteLength(name) <= MAX_NAME_BYTES) return name;
  const extension = /\.[A-Za-z0-9]{1,16}$/.exec(name)?.[0] ?? '';
  let stem = '';
  let room = MAX_NAME_BYTES - extension.length;
  for (const character of name.slice(0, name.length - extension.length)) {
    room -= Buffer.byteLength(character);
    if (room < 0) break;
    stem += character;
  }
  return stem + extension;
}
