import { t } from '../../core/language.js';

/** What the service takes (account.md 2.2). */
export const KINDS = ['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif'] as const;
/** The largest picture that the service takes. */
const MOST_SENT = 2 * 1024 * 1024;
/** The largest file that is opened here to be cut. */
const MOST_OPENED = 50 * 1024 * 1024;
const JPEG_QUALITY = 0.9;

type Kind = (typeof KINDS)[number];

/** A picture that moves is kept whole, since a section of it would stand still; of the others one is chosen. */
export type Opened =
  | { readonly kind: 'moving'; readonly data: string }
  | { readonly kind: 'still'; readonly bitmap: ImageBitmap; readonly isDrawn: boolean };

/** A file that is no picture for this, and why, in words. */
export class Unusable extends Error {
  constructor(readonly words: () => string) {
    super(words());
  }
}

const ascii = (bytes: Uint8Array, start: number, end: number): string =>
  String.fromCharCode(...bytes.subarray(start, end));

/** By what is in it, not by what it is called. */
function kindOf(bytes: Uint8Array): Kind | undefined {
  if (ascii(bytes, 1, 4) === 'PNG') return 'image/png';
  if (bytes[0] === 0xff && bytes[1] === 0xd8) return 'image/jpeg';
  if (ascii(bytes, 0, 4) === 'GIF8') return 'image/gif';
  if (ascii(bytes, 0, 4) === 'RIFF' && ascii(bytes, 8, 12) === 'WEBP') return 'image/webp';
  return ascii(bytes, 4, 8) === 'ftyp' && /avi[fs]/.test(ascii(bytes, 8, 32)) ? 'image/avif' : undefined;
}

const colourTable = (flags = 0): number => (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0);

/** Whether a GIF has a second picture: block by block, as GIF89a has them. */
function isMovingGif(bytes: Uint8Array): boolean {
  let pictures = 0;
  let at = 13 + colourTable(bytes[10]);
  const skipData = () => {
    for (let size = bytes[at] ?? 0; size > 0; size = bytes[at] ?? 0) at += size + 1;
    at += 1;
  };
  for (;;) {
    const block = bytes[at];
    if (block === 0x2c) {
      pictures += 1;
      at += 11 + colourTable(bytes[at + 9]);
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

/** A picture as a request takes it, and as the page shows it. */
function dataOf(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}

/** Looks at a file before anything is sent. @throws Unusable */
export async function open(file: File): Promise<Opened> {
  if (file.size > MOST_OPENED) throw new Unusable(() => t('profile.tooLarge'));
  const unreadable = new Unusable(() => t('codes.INVALID_IMAGE_FORMAT'));
  const bytes = new Uint8Array(await file.arrayBuffer());
  const kind = kindOf(bytes);
  if (!kind) throw unreadable;
  const picture = new Blob([bytes], { type: kind });
  const bitmap = await createImageBitmap(picture).catch(() => null);
  if (!bitmap) throw unreadable;
  if (!isMoving(kind, bytes)) return { kind: 'still', bitmap, isDrawn: kind === 'image/png' || kind === 'image/gif' };
  bitmap.close();
  if (file.size > MOST_SENT) throw new Unusable(() => t('profile.movingTooLarge'));
  return { kind: 'moving', data: await dataOf(picture) };
}

const encoded = (canvas: HTMLCanvasElement, type: Kind): Promise<Blob | null> =>
  new Promise((resolve) => canvas.toBlob(resolve, type, JPEG_QUALITY));

/** What is drawn on a canvas, small enough to be sent: without loss where that is possible and wanted. */
export async function takeFrom(canvas: HTMLCanvasElement, isDrawn: boolean): Promise<string> {
  const types: readonly Kind[] = [...(isDrawn ? (['image/png'] as const) : []), 'image/webp', 'image/jpeg'];
  for (const type of types) {
    const blob = await encoded(canvas, type);
    if (blob && blob.size <= MOST_SENT) return dataOf(blob);
  }
  throw new Unusable(() => t('codes.IMAGE_SIZE_EXCEEDS_LIMIT'));
}
