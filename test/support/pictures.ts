import sharp from 'sharp';

/** The format of an image that the test kit creates. */
export type PictureFormat = 'png' | 'jpeg' | 'gif' | 'webp' | 'avif';

/** An image of one color. */
export const picture = (format: PictureFormat, width = 40, height = 20, background = '#c06030'): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background } })
    .toFormat(format)
    .toBuffer();

/** An animated image whose frames differ. */
export async function animatedPicture(format: 'gif' | 'webp', frames = 3, width = 40, height = 20): Promise<Buffer> {
  const pixels = Buffer.alloc(width * height * frames * 3);
  for (let frame = 0; frame < frames; frame++) {
    pixels.fill(60 * (frame + 1), frame * width * height * 3, (frame + 1) * width * height * 3);
  }
  return sharp(pixels, { raw: { width, height: height * frames, channels: 3, pageHeight: height } })
    .toFormat(format)
    .toBuffer();
}

/** The format, size and metadata of an image. */
export const factsOf = async (bytes: Uint8Array) => {
  const { format, width, height, pages = 1, exif, icc, xmp, iptc } = await sharp(bytes).metadata();
  return { format, width, height, frames: pages, hasMetadata: Boolean(exif || icc || xmp || iptc) };
};
