import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, linkSync, mkdirSync, openSync, readdirSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { StartError } from '../../core/config/start-error.js';

/** Thrown if another process has the embedded database open. */
export class DatabaseInUseError extends StartError {}

const LOCK_HOLDER_TIMEOUT_MS = 2000;
const GENERATION = /^[1-9]\d{0,14}$/;

/** Returns the highest generation number in the directory, 0 if there is none. Only its holder can still be alive. */
const highestGeneration = (directory: string): number =>
  Math.max(
    0,
    ...readdirSync(directory)
      .filter((name) => GENERATION.test(name))
      .map(Number),
  );

/** Returns the self-description of the process that listens on a socket, or `null` if no process does. */
function readHolder(path: string): Promise<string | null> {
  return new Promise((resolve) => {
    let words = '';
    const socket = connect(path);
    const settle = (response: string | null) => {
      socket.destroy();
      resolve(response);
    };
    socket.setTimeout(LOCK_HOLDER_TIMEOUT_MS, () => settle('another process'));
    socket.setEncoding('utf8').on('data', (text) => {
      words += text;
    });
    socket.once('end', () => settle(words || 'another process'));
    socket.once('error', ({ code }: NodeJS.ErrnoException) =>
      settle(code === 'ECONNREFUSED' || code === 'ENOENT' ? null : 'another process'),
    );
  });
}

function listen(path: string): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.end(`process ${process.pid} on ${hostname()}`);
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => resolve(server.unref()));
  });
}

/**
 * Links a listening socket to a generation number. Returns false if another process was faster or removed the socket.
 */
function claimGeneration(directory: string, own: string, number: number): boolean {
  try {
    linkSync(own, join(directory, String(number)));
  } catch (error) {
    if (['EEXIST', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
  // A stale directory listing may lead to a number that was used and removed. In that case, a higher one exists.
  if (highestGeneration(directory) === number) return true;
  rmSync(join(directory, String(number)), { force: true });
  return false;
}

/**
 * Locks the data directory, because two processes on it would silently lose data. The holder listens on a socket in
 * `directory/holder`, which the kernel closes with the process. Process IDs are not used because they are reused and
 * differ between containers. A socket already listens when it gets its number with `link`, which only one process can
 * do. A number is removed only when a higher one exists.
 * @returns a function that releases the lock
 * @throws DatabaseInUseError
 */
export async function lockDirectory(directory: string): Promise<() => void> {
  const holderDirectory = join(directory, 'holder');
  mkdirSync(holderDirectory, { recursive: true, mode: 0o700 });
  const opened = openSync(holderDirectory, 'r');
  // Socket paths are limited to about 100 bytes, and the directory's own path may be longer.
  const short = existsSync('/proc/self/fd') ? `/proc/self/fd/${opened}` : holderDirectory;
  try {
    for (;;) {
      const last = highestGeneration(holderDirectory);
      const holder = last > 0 ? await readHolder(`${short}/${last}`) : null;
      if (holder !== null) {
        throw new DatabaseInUseError(`the embedded database in ${directory} is in use by ${holder}`);
      }
      const name = `starting-${randomUUID().slice(0, 8)}`;
      const server = await listen(`${short}/${name}`);
      const isHeld = claimGeneration(holderDirectory, join(holderDirectory, name), last + 1);
      rmSync(join(holderDirectory, name), { force: true });
      if (!isHeld) {
        server.close();
        continue;
      }
      for (const other of readdirSync(holderDirectory))
        if (other !== String(last + 1)) rmSync(join(holderDirectory, other), { force: true });
      return () => void server.close();
    }
  } finally {
    closeSync(opened);
  }
}
