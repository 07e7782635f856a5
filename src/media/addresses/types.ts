import { fileTypeFromBuffer } from 'file-type';

/** Number of leading bytes used to detect the type. */
export const SNIFF_BYTES = 4100;
export const OCTET_STREAM = 'application/octet-stream';

/**
 * Maps detected types to the types that are served. All other types become `application/octet-stream` (media.md 7.3).
 */
const KNOWN: Readonly<Record<string, string>> = {
  'image/png': 'image/png',
  'image/apng': 'image/png',
  'image/jpeg': 'image/jpeg',
  'image/gif': 'image/gif',
  'image/webp': 'image/webp',
  'image/avif': 'image/avif',
  'video/mp4': 'video/mp4',
  'video/webm': 'video/webm',
  'audio/mpeg': 'audio/mpeg',
  'audio/ogg': 'audio/ogg',
  'audio/ogg; codecs=opus': 'audio/ogg',
  'audio/wav': 'audio/wav',
  'audio/flac': 'audio/flac',
};

export const RASTER_TYPES: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
]);
const INLINE_VIDEOS = new Set(['video/mp4', 'video/webm']);

export const isRaster = (type: string): boolean => RASTER_TYPES.has(type);
export const isAudioOrVideo = (type: string): boolean => /^(?:audio|video)\//.test(type);

/** True if browsers may display it inline. Other types are sent as downloads. */
export const isInline = (type: string): boolean => isRaster(type) || INLINE_VIDEOS.has(type);

const extensionOf = (filename: string): string => /\.([A-Za-z0-9]+)$/.exec(filename)?.[1]?.toLowerCase() ?? '';

const detect = async (head: Uint8Array): Promise<string | undefined> =>
  (await fileTypeFromBuffer(head.subarray(0, SNIFF_BYTES)).catch(() => undefined))?.mime;

/** Detects the type of external bytes by their first `SNIFF_BYTES`. */
export const typeOfBytes = async (head: Uint8Array): Promise<string> =>
  KNOWN[(await detect(head)) ?? ''] ?? OCTET_STREAM;

/** Detects the type of an object by its first bytes. Returns `null` if more bytes could change the result. */
export async function typeOfPart(head: Uint8Array, isEnough: boolean): Promise<string | null> {
  const type = await typeOfBytes(head);
  return type !== OCTET_STREAM || isEnough ? type : null;
}

/** The type that an origin declares, if it is one of the served types. */
export function declaredType(header: string | undefined): string | null {
  const type = header?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return Object.values(KNOWN).includes(type) ? type : null;
}

const TEXT = 'text/plain; charset=utf-8';
const PDF = 'application/pdf';

const BY_EXTENSION: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  mp4: 'video/mp4',
  webm: 'video/webm',
  mp3: 'audio/mpeg',
  ogg: 'audio/ogg',
  wav: 'audio/wav',
  flac: 'audio/flac',
  txt: TEXT,
  log: TEXT,
  md: TEXT,
  csv: TEXT,
  pdf: PDF,
};

/** The type that a file name suggests. The content decides when the upload is completed. */
export const typeOfExtension = (filename: string): string => BY_EXTENSION[extensionOf(filename)] ?? OCTET_STREAM;

/** Detects the type of an attachment by its content. Text and PDF also require a matching extension. */
export async function typeOfAttachment(head: Uint8Array, filename: string): Promise<string> {
  const found = await detect(head);
  const known = KNOWN[found ?? ''];
  if (known) return known;
  const promised = typeOfExtension(filename);
  if (promised === PDF && found === PDF) return PDF;
  return promised === TEXT && found === undefined && !head.includes(0) ? TEXT : OCTET_STREAM;
}

/**
 * Gives a file name the extension of its content type, so that a displayed image or video is never saved as another
 * type.
 */
export function inlineName(filename: string, contentType: string): string {
  if (typeOfExtension(filename) === contentType) return filename;
  const extension = Object.keys(BY_EXTENSION).find((name) => BY_EXTENSION[name] === contentType);
  return `${filename.replace(/\.[A-Za-z0-9]{1,16}$/, '')}.${extension}`;
}

/**
 * Returns `Content-Disposition` with the name in quoted ASCII, and also in the RFC 5987 form if it has other
 * characters.
 */
export function contentDisposition(kind: 'inline' | 'attachment', filename: string): string {
  const ascii = filename.replace(/[^\x20-\x7e]/gu, '_').replace(/["\\]/g, '_');
  if (ascii === filename) return `${kind}; filename="${ascii}"`;
  const encoded = encodeURIComponent(filename).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
