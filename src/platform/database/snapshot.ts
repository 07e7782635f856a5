import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';

/** Location of the snapshot that the build creates: next to `src` in `dist`. */
const SNAPSHOT_PATH = fileURLToPath(new URL('../../../database.snapshot', import.meta.url));

/** Identifies the engine and the migrations of a snapshot. It is only usable if both match. */
export interface SnapshotKey {
  readonly engine: string;
  readonly migrations: readonly string[];
}

interface SnapshotManifest extends SnapshotKey {
  readonly folders: readonly string[];
  readonly files: readonly (readonly [path: string, size: number])[];
}

/**
 * The key of a snapshot for the installed engine.
 * @param migrations names of the built-in migrations, in order
 */
export function snapshotKey(migrations: readonly string[]): SnapshotKey {
  const entry = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  const { version } = JSON.parse(readFileSync(join(entry, '../../package.json'), 'utf8')) as { version: string };
  return { engine: version, migrations };
}

const isSame = (one: SnapshotKey, other: SnapshotKey): boolean =>
  one.engine === other.engine && one.migrations.join() === other.migrations.join();

/** Packs a closed database directory into one file: a line of metadata, then the compressed contents of its files. */
export function packSnapshot(directory: string, { engine, migrations }: SnapshotKey): Buffer {
  const paths = readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort();
  const isFolder = (path: string) => statSync(join(directory, path)).isDirectory();
  const folders = paths.filter(isFolder);
  const files = paths.filter((path) => !isFolder(path));
  const bytes = files.map((path) => readFileSync(join(directory, path)));
  renewIdentity(files.map((path, index) => [path, bytes[index] as Buffer]));
  const contents: SnapshotManifest = {
    ...{ engine, migrations, folders },
    files: files.map((path, index) => [path, bytes[index]?.length ?? 0]),
  };
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 6,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
  };
  return Buffer.concat([
    Buffer.from(`${JSON.stringify(contents)}\n`),
    brotliCompressSync(Buffer.concat(bytes), { params }),
  ]);
}

type Unpacked = Omit<SnapshotManifest, 'files'> & {
  readonly files: readonly (readonly [path: string, bytes: Buffer])[];
};

function readSnapshot(file: string, wanted: SnapshotKey): Unpacked | null {
  if (!existsSync(file)) return null;
  const packed = readFileSync(file);
  const end = packed.indexOf('\n');
  try {
    const { files, ...rest } = JSON.parse(packed.toString('utf8', 0, end)) as SnapshotManifest;
    if (!isSame(rest, wanted)) return null;
    // Allocated as one buffer, which is returned to the system as a whole; thousands of small ones are not.
    const size = files.reduce((sum, [, each]) => sum + each, 0);
    const bytes = brotliDecompressSync(packed.subarray(end + 1), { chunkSize: size + 1 });
    let from = 0;
    if (size !== bytes.length) return null;
    const unpacked = files.map(([path, each]) => {
      const content = bytes.subarray(from, from + each);
      from += each;
      return [path, content] as const;
    });
    renewIdentity(unpacked);
    return { ...rest, files: unpacked };
  } catch {
    // A damaged snapshot is ignored, because the database can be created without it.
    return null;
  }
}

/**
 * Creates `directory` from the build's snapshot. Returns false if the snapshot is missing, damaged or does not match.
 * The directory appears atomically and gets its own system identifier.
 */
export function unpackSnapshot(directory: string, wanted: SnapshotKey, file = SNAPSHOT_PATH): boolean {
  const unfinished = `${directory}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  const snapshot = readSnapshot(file, wanted);
  if (!snapshot) return false;
  mkdirSync(unfinished, { mode: 0o700 });
  for (const folder of snapshot.folders) mkdirSync(join(unfinished, folder), { mode: 0o700 });
  for (const [path, content] of snapshot.files) writeSparse(join(unfinished, path), content);
  renameSync(unfinished, directory);
  return true;
}

/** Write-ahead log files are mostly zeros, so they are written as sparse files. */
function writeSparse(path: string, content: Buffer): void {
  let end = content.length;
  while (end > 0 && content[end - 1] === 0) end--;
  const opened = openSync(path, 'w', 0o600);
  try {
    for (let done = 0; done < end; ) done += writeSync(opened, content, done, end - done);
    if (end < content.length) ftruncateSync(opened, content.length);
  } finally {
    closeSync(opened);
  }
}

/** Offsets in `global/pg_control` of PostgreSQL 18. */
const CONTROL = { system: 0, version: 8, nonce: 257, checksum: 292 };
const CONTROL_VERSION = 1800;
const NONCE_BYTES = 32;
/** Offset of the system identifier in the first page of a write-ahead log file. */
const WAL_SYSTEM_ID_OFFSET = 24;
const WAL_FILE = /^pg_wal\/[0-9A-F]{24}$/;

/** Gives a database its own system identifier and its own nonce for mock authentication. */
function renewIdentity(files: readonly (readonly [path: string, bytes: Buffer])[]): void {
  const [, control] = files.find(([path]) => path === 'global/pg_control') ?? [];
  const isKnown =
    control?.readUInt32LE(CONTROL.version) === CONTROL_VERSION &&
    control.readUInt32LE(CONTROL.checksum) === crc32c(control.subarray(0, CONTROL.checksum));
  if (!control || !isKnown) throw new Error('The control file of the database snapshot has an unknown format');
  const system = randomBytes(8);
  system.copy(control, CONTROL.system);
  randomBytes(NONCE_BYTES).copy(control, CONTROL.nonce);
  control.writeUInt32LE(crc32c(control.subarray(0, CONTROL.checksum)), CONTROL.checksum);
  for (const [path, bytes] of files) if (WAL_FILE.test(path)) system.copy(bytes, WAL_SYSTEM_ID_OFFSET);
}

const CASTAGNOLI = 0x82f63b78;

function crc32c(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ CASTAGNOLI : crc >>> 1;
  }
  return ~crc >>> 0;
}
