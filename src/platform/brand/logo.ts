import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { findSvgRisk } from './svg.js';

/** The logo of the instance. */
export interface Logo {
  /** The URL that browsers load it from. */
  readonly url: string;
  /** Whether email programs show it. They do not show SVG. */
  readonly inMails: boolean;
  /** The file that this service serves at `path`. */
  readonly file?: { readonly path: string; readonly type: string; readonly bytes: Buffer };
}

const MAX_LOGO_BYTES = 256 * 1024;
const PNG = Buffer.from('89504e470d0a1a0a', 'hex');

type Kind = 'png' | 'webp' | 'svg';

function detectImageKind(bytes: Buffer): Kind | undefined {
  if (bytes.subarray(0, PNG.length).equals(PNG)) return 'png';
  if (bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP') return 'webp';
  return bytes.subarray(0, 1024).includes('<svg') ? 'svg' : undefined;
}

const TYPES: Readonly<Record<Kind, string>> = { png: 'image/png', webp: 'image/webp', svg: 'image/svg+xml' };

/** The bytes of a file, or the error message. */
function readLogoBytes(file: string): Buffer | string {
  try {
    const { size } = statSync(file);
    if (size > MAX_LOGO_BYTES) return `must be a file of at most ${MAX_LOGO_BYTES / 1024} KiB; it has ${size} bytes`;
    return readFileSync(file);
  } catch (error) {
    return `names a file that cannot be read (${(error as NodeJS.ErrnoException).code})`;
  }
}

/** Reads the logo from a file. Returns the logo or the error message. */
export function loadLogo(file: string, origin: string): Logo | string {
  const bytes = readLogoBytes(file);
  if (typeof bytes === 'string') return bytes;
  const kind = detectImageKind(bytes);
  if (!kind) return 'must be a PNG, WebP or SVG image';
  const risk = kind === 'svg' ? findSvgRisk(bytes.toString('utf8')) : undefined;
  if (risk) return `must be a drawing and nothing else: ${risk}`;
  const path = `/assets/logo-${createHash('sha256').update(bytes).digest('hex').slice(0, 12)}.${kind}`;
  return { url: `${origin}${path}`, inMails: kind !== 'svg', file: { path, type: TYPES[kind], bytes } };
}
