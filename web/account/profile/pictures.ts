import { t } from '../../core/language.js';

/** Accepted image types (account.md 2.2). */
export const KINDS = ['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif'] as const;
/** Maximum size of an uploaded image in bytes. */
const MAX_UPLOAD_BYTES = 2 * 1024 * 1024;
/** Maximum size of a file to crop in bytes. */
const MAX_SOURCE_BYTES = 50 * 1024 * 1024;
const JPEG_QUALITY = 0.9;

type Kind = (typeof KINDS)[number];

/** A still image is cropped. An animated image is kept whole, because cropping would remove the animation. */
export type Opened =
  | { readonly kind: 'moving'; readonly data: string }
  | { readonly kind: 'still'; readonly bitmap: ImageBitmap; readonly isDrawn: boolean };

/** A file that cannot be used, with a translated reason. */
export class UnusableImage extends Error {
  constructor(readonly words: () => string) {
    super(words());
  }
}

const ascii = (bytes: Uint8Array, start: number, end: number): string =>
  String.fromCharCode(...bytes.subarray(start, end));

/** Detects the type by content, not by file name. */
function detectImageType(bytes: Uint8Array): Kind | undefined {
  if (ascii(bytes, 1, 4) === 'PNG') return 'image/png';
  if (bytes[0] === 0xff && bytes[1] === 0xd8) return 'image/jpeg';
  if (ascii(bytes, 0, 4) === 'GIF8') return 'image/gif';
  if (ascii(bytes, 0, 4) === 'RIFF' && ascii(bytes, 8, 12) === 'WEBP') return 'image/webp';
  return ascii(bytes, 4, 8) === 'ftyp' && /avi[fs]/.test(ascii(bytes, 8, 32)) ? 'image/avif' : undefined;
}

const colorTableBytes = (flags = 0): number => (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0);

/** True if a GIF has a second image. Walks through the blocks of the GIF89a format. */
function isMovingGif(bytes: Uint8Array): boolean {
  let pictures = 0;
  let at = 13 + colorTableBytes(bytes[10]);
  const skipData = () => {
    for (let size = bytes[at] ?? 0; size > 0; size = bytes[at] ?? 0) at += size + 1;
    at += 1;
  };
  for (;;) {
    const block = bytes[at];
    if (block === 0x2c) {
      pictures += 1;
      at += 11 + colorTableBytes(bytes[at + 9]);
    } else if (block === 0x21) at += 2;
    else return false;
    if (pictures > 1) return true;
    skipData();
  }
}

function isMoving(kind: Kind, bytes: Uint8Array): boolean {
  if (kind === 'image/gif') return isMovingGif(bytes);
  // The animation flag of the extended header.
  return kind === 'image/webp' && ascii(bytes, 12, 16) === 'VP8X' && ((bytes[20] ?? 0) & 2) !== 0;
}

/** Converts an image to a `data:` URL, for the request and the preview. */
function dataOf(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}

/** Reads and validates a file locally. @throws UnusableImage */
export async function openImage(file: File): Promise<Opened> {
  if (file.size > MAX_SOURCE_BYTES) throw new UnusableImage(() => t('profile.tooLarge'));
  const unreadable = new UnusableImage(() => t('codes.INVALID_IMAGE_FORMAT'));
  const bytes = new Uint8Array(await file.arrayBuffer());
  const kind = detectImageType(bytes);
  if (!kind) throw unreadable;
  const picture = new Blob([bytes], { type: kind });
  const bitmap = await createImageBitmap(picture).catch(() => null);
  if (!bitmap) throw unreadable;
  if (!isMoving(kind, bytes)) return { kind: 'still', bitmap, isDrawn: kind === 'image/png' || kind === 'image/gif' };
  bitmap.close();
  if (file.size > MAX_UPLOAD_BYTES) throw new UnusableImage(() => t('profile.movingTooLarge'));
  return { kind: 'moving', data: await dataOf(picture) };
}

const encodeCanvas = (canvas: HTMLCanvasElement, type: Kind): Promise<Blob | null> =>
  new Promise((resolve) => canvas.toBlob(resolve, type, JPEG_QUALITY));

/** Encodes a canvas within the size limit. Uses lossless PNG for drawings if it fits. */
export async function encodeWithinLimit(canvas: HTMLCanvasElement, isDrawn: boolean): Promise<string> {
  const types: readonly Kind[] = [...(isDrawn ? (['image/png'] as const) : []), 'image/webp', 'image/jpeg'];
  for (const type of types) {
    const blob = await encodeCanvas(canvas, type);
    if (blob && blob.size <= MAX_UPLOAD_BYTES) return dataOf(blob);
  }
  throw new UnusableImage(() => t('codes.IMAGE_SIZE_EXCEEDS_LIMIT'));
}
