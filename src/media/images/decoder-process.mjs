/**
 * The process in which images are decoded and encoded, one at a time, so that work which looks at no clock can be
 * killed (media.md 7.2). It is plain JavaScript, runs the same beside the sources and beside the build, and knows
 * neither settings nor secrets. Bytes come by standard input and go by standard output, words by messages.
 */
import { once } from 'node:events';
import { getPriority, setPriority } from 'node:os';
import sharp from 'sharp';

const MAX_EDGE = 16384;
const MAX_FRAME_PIXELS = 64_000_000;
const MAX_FRAMES = 1000;
const MAX_PIXELS = 256_000_000;
/** One core encodes noise of 4 Mpx in about 3 s with it. */
const AVIF_EFFORT = 1;
const FORMATS = ['png', 'jpeg', 'webp', 'gif', 'avif'];
const QUALITY = { low: 65, auto: 75, high: 85, lossless: 100 };
const OPTIONS = { limitInputPixels: MAX_PIXELS, failOn: 'error', unlimited: false };
const WATCH_MS = 25;
/** Less than who answers requests gets. */
const PRIORITY = 5;

// Only what the contract names may ever be parsed.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: [
    ...['VipsForeignLoadJpeg', 'VipsForeignLoadPng', 'VipsForeignLoadNsgif', 'VipsForeignLoadWebp'],
    'VipsForeignLoadHeif',
  ],
});
sharp.cache(false);
sharp.concurrency(1);

const memoryLimit = Number(process.argv[2]);
let input = Buffer.alloc(0);

/** By a signal: an orderly exit would wait for the threads that work. */
const end = (signal) => process.kill(process.pid, signal);

const tell = (answer) => process.send({ ...answer, memory: process.memoryUsage.rss() });

async function take(size) {
  const bytes = Buffer.allocUnsafe(size);
  for (let at = 0; at < size; ) {
    const chunk = process.stdin.read();
    if (chunk === null) await once(process.stdin, 'readable');
    else at += chunk.copy(bytes, at);
  }
  return bytes;
}

async function factsOf(bytes) {
  const meta = await sharp(bytes, OPTIONS).metadata();
  const format = meta.format === 'heif' ? 'avif' : FORMATS.find((name) => name === meta.format);
  const frames = meta.pages ?? 1;
  const pixels = meta.width * meta.height;
  const fits =
    meta.width <= MAX_EDGE &&
    meta.height <= MAX_EDGE &&
    pixels <= MAX_FRAME_PIXELS &&
    frames <= MAX_FRAMES &&
    pixels * frames <= MAX_PIXELS;
  if (!format || !fits || (meta.format === 'heif' && meta.compression !== 'av1')) throw new Error('not decodable');
  return { format, width: meta.autoOrient.width, height: meta.autoOrient.height, frames };
}

function encode(image, format, quality) {
  const lossless = quality === 'lossless';
  switch (format) {
    case 'png':
      return image.png();
    case 'jpeg':
      return image
        .flatten({ background: '#ffffff' })
        .jpeg({ quality: QUALITY[quality], ...(lossless ? { chromaSubsampling: '4:4:4' } : {}) });
    case 'webp':
      return image.webp({ quality: QUALITY[quality], lossless });
    case 'gif':
      return image.gif();
    case 'avif':
      return image.avif({ quality: QUALITY[quality], lossless, effort: AVIF_EFFORT });
  }
}

const render = ({ format, quality, moves, width, height, fit }) =>
  encode(
    sharp(input, { ...OPTIONS, pages: moves ? -1 : 1 })
      .autoOrient()
      .resize({ width, height, fit, position: 'centre', withoutEnlargement: true }),
    format,
    quality,
  ).toBuffer();

/** What is asked for: the facts of an image that follows in `size` bytes, or the last one as it is to be rendered. */
async function answer({ size, rendering }) {
  if (rendering === undefined) {
    input = await take(size);
    tell({ facts: await factsOf(input) });
    return;
  }
  const bytes = await render(rendering);
  input = Buffer.alloc(0);
  tell({ size: bytes.length });
  process.stdout.write(bytes);
}

let working = false;
setInterval(() => {
  if (working && process.memoryUsage.rss() > memoryLimit) end('SIGUSR2');
}, WATCH_MS).unref();

process.on('message', (question) => {
  working = true;
  answer(question)
    .catch(() => tell({ fault: true }))
    .finally(() => {
      working = false;
    });
});
process.on('disconnect', () => end('SIGKILL'));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
// Nobody but root may raise what the whole service was given.
if (getPriority() < PRIORITY) setPriority(PRIORITY);
process.send({ ready: true });
