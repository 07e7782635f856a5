import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { type BrotliOptions, brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib';

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.html': 'text/html; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
};

export type Coding = 'br' | 'gzip' | 'identity';

/** A file in every content coding that is sent. */
export interface BuiltFile {
  readonly type: string;
  readonly etag: string;
  readonly bytes: Readonly<Record<Coding, Buffer>>;
}

export const etagOf = (bytes: Buffer | string): string => `"${hash('sha256', bytes, 'hex').slice(0, 32)}"`;

/** Options of Brotli for responses that no build has compressed. The best quality would take 20 times as long. */
const fastOptions = ({ length }: Buffer): BrotliOptions => ({
  params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_SIZE_HINT]: length },
});

/** Compresses a small response. It blocks the event loop. */
export function compressFile(bytes: Buffer, type: string): BuiltFile {
  const br = brotliCompressSync(bytes, fastOptions(bytes));
  return { type, etag: etagOf(bytes), bytes: { identity: bytes, br, gzip: gzipSync(bytes) } };
}

/** Compresses a large response outside the event loop. */
export async function compressLarge(bytes: Buffer, type: string): Promise<BuiltFile> {
  const [br, gz] = await Promise.all([promisify(brotliCompress)(bytes, fastOptions(bytes)), promisify(gzip)(bytes)]);
  return { type, etag: etagOf(bytes), bytes: { identity: bytes, br, gzip: gz } };
}

/** Reads a file with the compressed versions from the build. During development the file is compressed here. */
export function readFile(folder: string, name: string): BuiltFile {
  const path = join(folder, name);
  const identity = readFileSync(path);
  const type = TYPES[extname(name)] ?? 'application/octet-stream';
  if (!existsSync(`${path}.br`)) return compressFile(identity, type);
  return {
    type,
    etag: etagOf(identity),
    bytes: { identity, br: readFileSync(`${path}.br`), gzip: readFileSync(`${path}.gz`) },
  };
}

const isCompressed = (name: string): boolean => /\.(?:br|gz)$/.test(name);

/** The names of all built files below a folder. */
export const listBuiltFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !isCompressed(entry.name))
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll(sep, '/'));

export const readFiles = (folder: string): Map<string, BuiltFile> =>
  new Map(listBuiltFiles(folder).map((name) => [name, readFile(folder, name)]));

/** The best content coding that the client accepts (RFC 9110 section 12.5.3). A weight of zero excludes a coding. */
export function codingFor(accepted: string | undefined): Coding {
  const offered = new Map(
    (accepted ?? '').split(',', 20).map((part) => {
      const [name = '', weight = ''] = part.split(';', 2);
      return [name.trim().toLowerCase(), !/^\s*q=0(?:\.0{0,3})?\s*$/i.test(weight)];
    }),
  );
  return (['br', 'gzip'] as const).find((coding) => offered.get(coding)) ?? 'identity';
}
