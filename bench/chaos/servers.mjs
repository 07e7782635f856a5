/** Dependencies of the replicas other than PostgreSQL. Each can fail: a TCP proxy, Redis, a mail server, a disk. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SMTPServer } from 'smtp-server';
import { freePort } from '../lib.mjs';

const DEBIAN = '/usr/lib/postgresql';
const ofDebian = existsSync(DEBIAN) ? readdirSync(DEBIAN).map((version) => join(DEBIAN, version, 'bin')) : [];

export function program(...names) {
  const folders = [...process.env.PATH.split(delimiter), '/usr/sbin', ...ofDebian];
  const paths = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  const found = paths.find((path) => existsSync(path));
  if (!found) throw new Error(`no ${names.join(' or ')} on this machine`);
  return found;
}

/** Waits until `isSo` returns true. An error counts as false. */
export async function until(isSo, what, seconds = 300) {
  const end = performance.now() + seconds * 1000;
  while (!(await Promise.resolve(isSo()).catch(() => false))) {
    if (performance.now() > end) throw new Error(`${what} did not happen within ${seconds} s`);
    await delay(50);
  }
}

/** Stops the child process when the benchmark exits, so that a failed run leaves no server behind. */
export function endsWithUs(child, signal) {
  const end = () => child.kill(signal);
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
}

/** A TCP proxy with a fixed port and a target that can change. */
export class Way {
  target;
  #isCut = false;
  #sockets = new Set();
  #server = createServer((near) => {
    if (this.#isCut) return near.destroy();
    const far = connect(this.target, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ]) {
      this.#sockets.add(from);
      from.setNoDelay(true);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
    }
    near.pipe(far).pipe(near);
  });

  constructor(target) {
    this.target = target;
  }

  async open() {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this.#server.address().port;
  }

  cut() {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  lead(target) {
    this.target = target;
    this.#isCut = false;
  }

  close() {
    this.cut();
    this.#server.close();
  }
}

export class Redis {
  #child;

  async open() {
    this.port = await freePort();
    await this.start();
  }

  /** Starts empty, as after the loss of all data. */
  async start() {
    const args = ['--bind', '127.0.0.1', '--port', String(this.port), '--save', '', '--appendonly', 'no'];
    this.#child = spawn(program('redis-server', 'valkey-server'), args, { stdio: 'ignore', cwd: '/' });
    endsWithUs(this.#child, 'SIGKILL');
    await until(async () => {
      const socket = connect(this.port, '127.0.0.1');
      return once(socket, 'connect')
        .then(() => true)
        .finally(() => socket.destroy());
    }, 'the start of Redis');
  }

  async kill() {
    if (!this.#child) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }
}

/** Undoes the quoted-printable encoding of a message, as far as its link needs it. */
const decoded = (text) => text.replace(/=\r?\n/g, '').replace(/=3D/g, '=');

export class Mailbox {
  /** Every delivery, in order. A message that was delivered twice is listed twice. */
  delivered = [];
  /** Called with the recipient and the token from the link of a message. */
  onToken = () => {};
  #server;
  #open = new Set();

  async open(port = 0) {
    this.#server = new SMTPServer({
      disabledCommands: ['AUTH', 'STARTTLS'],
      onData: (stream, { envelope }, done) => {
        let text = '';
        stream.on('data', (chunk) => {
          text += chunk;
        });
        stream.on('end', () => {
          this.#take(text, envelope);
          done();
        });
      },
    });
    this.#server.on('error', () => {});
    this.#server.server.on('connection', (socket) => {
      this.#open.add(socket.on('close', () => this.#open.delete(socket)));
    });
    await new Promise((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
    this.port = this.#server.server.address().port;
  }

  #take(text, { rcptTo }) {
    const id = /^Message-ID: (.+?)\r?$/im.exec(text)?.[1] ?? '';
    const token = /\/auth\/verify#token=([\w-]+)/.exec(decoded(text))?.[1];
    for (const { address: to } of rcptTo) {
      this.delivered.push({ to, id });
      if (token) this.onToken(to, token);
    }
  }

  /** Stops listening and closes all connections. */
  async die() {
    if (!this.#server) return;
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#open) socket.destroy();
    await closed;
  }
}

/** A small file system that can be filled completely. */
export class Disk {
  constructor(path, mib) {
    this.path = path;
    this.ballast = join(path, 'ballast');
    mkdirSync(path);
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mib}m,mode=0777`, 'none', path], { stdio: 'pipe' });
    process.once('exit', this.#unmount);
  }

  fill() {
    const file = openSync(this.ballast, 'w');
    for (const bytes of [2 ** 20, 4096]) {
      try {
        for (;;) writeSync(file, Buffer.alloc(bytes, 1));
      } catch (error) {
        if (error.code !== 'ENOSPC') throw error;
      }
    }
    closeSync(file);
  }

  free() {
    rmSync(this.ballast);
  }

  close() {
    process.off('exit', this.#unmount);
    this.#unmount();
  }

  #unmount = () => execFileSync('umount', ['-l', this.path]);
}
