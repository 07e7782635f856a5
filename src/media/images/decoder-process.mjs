/**
 * The child process that decodes and encodes images, one at a time, so that long-running work can be killed (media.md
 * 7.2).
 * It is plain JavaScript, so it runs both from the sources and from the build. It has no settings and no secrets.
 * Image bytes pass through stdin and stdout, control messages through IPC.
 */
import { once } from 'node:events';
import { getPriority, setPriority } from 'node:os';
import sharp from 'sharp';

const MAX_EDGE = 16384;
const MAX_FRAME_PIXELS = 64_000_000;
const MAX_FRAMES = 1000;
const MAX_PIXELS = 256_000_000;
/** With this effort, one core encodes 4 megapixels of noise in about 3 s. */
const AVIF_EFFORT = 1;
const FORMATS = ['png', 'jpeg', 'webp', 'gif', 'avif'];
const QUALITY = { low: 65, auto: 75, high: 85, lossless: 100 };
const OPTIONS = { limitInputPixels: MAX_PIXELS, failOn: 'error', unlimited: false };
const WATCH_MS = 25;
/** A lower priority than the processes that handle requests. */
const PRIORITY = 5;

// Allow only the decoders of the formats in the contract.
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

/** Ends the process by a signal, because a regular exit would wait for worker threads. */
const end = (signal) => process.kill(process.pid, signal);

const tell = (response) => process.send({ ...response, memory: process.memoryUsage.rss() });

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
  if (!format || !fits || (meta.format === 'heif' && meta.compression !== 'av1'))
    throw new Error('The image cannot be decoded');
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

/** Handles a request: reads an image of `size` bytes and reports its facts, or renders the last image. */
async function handle({ size, rendering }) {
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

process.on('message', (request) => {
  working = true;
  handle(request)
    .catch(() => tell({ fault: true }))
    .finally(() => {
      working = false;
    });
});
process.on('disconnect', () => end('SIGKILL'));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
// Only root may raise the priority again, so keep a lower one that is already set.
if (getPriority() < PRIORITY) setPriority(PRIORITY);
process.send({ ready: true });
