import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, linkSync, mkdirSync, openSync, readdirSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { StartError } from '../../core/config/start-error.js';

/** Another process has the embedded database open. */
export class DatabaseInUseError extends StartError {}

const ANSWER_MS = 2000;
const GENERATION = /^[1-9]\d{0,14}$/;

/** Every holder that there ever was has a number; only the highest can be alive. */
const newest = (directory: string): number =>
  Math.max(
    0,
    ...readdirSync(directory)
      .filter((name) => GENERATION.test(name))
      .map(Number),
  );

/** Who listens on a socket, in its own words; `null` when nobody does any more. */
function holderAt(path: string): Promise<string | null> {
  return new Promise((resolve) => {
    let words = '';
    const socket = connect(path);
    const settle = (answer: string | null) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(ANSWER_MS, () => settle('another process'));
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

/** Gives a socket that listens the next number. False: somebody else was faster, or has removed it. */
function takeNumber(directory: string, own: string, number: number): boolean {
  try {
    linkSync(own, join(directory, String(number)));
  } catch (error) {
    if (['EEXIST', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
  // Whoever looked long ago may get a number that was used and removed: then a higher one exists.
  if (newest(directory) === number) return true;
  rmSync(join(directory, String(number)), { force: true });
  return false;
}

/**
 * Two processes on one directory would lose data silently: the second one is refused. The holder listens on a socket
 * in `directory/holder`; the kernel ends that with the process, so nothing has to be judged by numbers of processes, which
 * are used again and differ between containers. A socket listens before it gets its number by `link`, which only one
 * can do; a number is removed only once a higher one exists.
 */
export async function lockDirectory(directory: string): Promise<() => void> {
  const home = join(directory, 'holder');
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const opened = openSync(home, 'r');
  // The path of a socket has a hundred characters or so; that of a directory may have more.
  const short = existsSync('/proc/self/fd') ? `/proc/self/fd/${opened}` : home;
  try {
    for (;;) {
      const last = newest(home);
      const holder = last > 0 ? await holderAt(`${short}/${last}`) : null;
      if (holder !== null) {
        throw new DatabaseInUseError(`the embedded database in ${directory} is in use by ${holder}`);
      }
      const name = `starting-${randomUUID().slice(0, 8)}`;
      const server = await listen(`${short}/${name}`);
      const isHeld = takeNumber(home, join(home, name), last + 1);
      rmSync(join(home, name), { force: true });
      if (!isHeld) {
        server.close();
        continue;
      }
      for (const other of readdirSync(home)) if (other !== String(last + 1)) rmSync(join(home, other), { force: true });
      return () => void server.close();
    }
  } finally {
    closeSync(opened);
  }
}
