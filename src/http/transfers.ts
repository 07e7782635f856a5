import type { Socket } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { addressKey } from '../core/address.js';
import { Clock } from '../core/clock.js';
import { Config } from '../core/config/config.js';
import { Refusal } from '../core/errors.js';
import type { Call, Waiting } from '../policy/call.js';
import { closeGently } from './framing.js';
import { Load } from './load.js';

const LOOK_MS = 1000;
const BYTES_PER_SECOND = 1024;
/** How far is looked back at a body that comes. */
const BODY_MS = 10_000;
/** How far at an answer that goes: the system takes it over in lumps of tens of kilobytes, however evenly it is read. */
const ANSWER_MS = 60_000;
const RETRY_SECONDS = 5;
/** Of a long answer that much is handed over at once, so that it can be seen whether it is read. */
const PIECE = 64 * 1024;

/** Of those whom nobody asks for their address, too. */
const whereFrom = ({ address, req }: Call): string => addressKey(address || (req.socket.remoteAddress ?? ''));

const enough = (milliseconds: number): number => (milliseconds / 1000) * BYTES_PER_SECOND;

/** How many there are by key; a key without any takes no room. */
class Shares {
  private readonly counts = new Map<string, number>();

  of(key: string): number {
    return this.counts.get(key) ?? 0;
  }

  add(key: string, step: 1 | -1): void {
    const count = this.of(key) + step;
    if (count > 0) this.counts.set(key, count);
    else this.counts.delete(key);
  }
}

/** A request that waits for its client's body. */
interface Wait {
  readonly call: Call;
  readonly keys: readonly string[];
  readonly late: (refusal: Refusal) => void;
  /** How much had come at which time, the oldest first. */
  seen: { at: number; bytes: number }[];
}

/** A connection whose client has not taken what was answered. */
interface Reading {
  readonly key: string;
  call: Call;
  answers: number;
  /** When it was last seen to make progress, and how much had gone by then. */
  since: number;
  sent: number;
}

/**
 * Bodies on their way in and answers on their way out: no work, but not for nothing either (conventions.md section 12).
 * Either has a budget with a share for each address, and whoever is too slow loses its place.
 */
@Injectable()
export class Transfers implements Waiting, OnApplicationShutdown {
  private readonly waits = new Set<Wait>();
  private readonly readings = new Map<Socket, Reading>();
  private readonly shares = new Shares();
  // Not before what has arrived meanwhile was read: when this process was late, the client was not.
  private readonly watch = setInterval(() => setImmediate(() => this.look()), LOOK_MS).unref();

  constructor(
    private readonly load: Load,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  onApplicationShutdown(): void {
    clearInterval(this.watch);
  }

  wait(call: Call, late: (refusal: Refusal) => void): () => void {
    const { bodies, bodiesPerAddress, bodiesPerAccount } = this.config.transfers;
    const address = `body/${whereFrom(call)}`;
    const account = call.identity ? `body/account/${call.identity.account.id}` : undefined;
    const isCrowded = this.waits.size >= bodies || this.shares.of(address) >= bodiesPerAddress;
    if (isCrowded || (account !== undefined && this.shares.of(account) >= bodiesPerAccount)) throw tooMany(call);
    const keys = account === undefined ? [address] : [address, account];
    const wait: Wait = { call, keys, late, seen: [{ at: this.clock.monotonic(), bytes: call.req.socket.bytesRead }] };
    this.waits.add(wait);
    for (const key of keys) this.shares.add(key, 1);
    this.load.end(call);
    return () => {
      if (!this.waits.delete(wait)) return;
      for (const key of keys) this.shares.add(key, -1);
    };
  }

  goOn(call: Call): void {
    this.load.begin(call);
  }

  resume(call: Call): void {
    this.load.resume(call);
  }

  beginAnswer(call: Call): void {
    if (!this.read(call)) throw tooMany(call);
    this.load.end(call);
  }

  send({ res }: Call, bytes: Readable | Uint8Array, ended: (error: NodeJS.ErrnoException | null) => void): void {
    if (bytes instanceof Readable) pipeline(bytes, res, ended);
    else if (bytes.length <= PIECE) res.end(bytes);
    else pipeline(Readable.from(pieces(bytes), { objectMode: false }), res, ended);
  }

  answered(call: Call): void {
    this.load.end(call);
    const { socket } = call.res;
    if (socket?.writableLength === 0 || call.isRead || call.res.destroyed) return;
    if (!this.read(call)) this.cut(call);
  }

  /** The answer is out, or nobody waits for it any more. */
  left(call: Call): void {
    this.load.end(call);
    const { socket } = call.req;
    const reading = call.isRead ? this.readings.get(socket) : undefined;
    if (!reading || --reading.answers > 0) return;
    this.readings.delete(socket);
    this.shares.add(reading.key, -1);
  }

  /** Whether the call has, or now gets, a place among those who read; the answers of one connection share one. */
  private read(call: Call): boolean {
    const { socket } = call.req;
    const known = this.readings.get(socket);
    if (known) {
      known.answers++;
      known.call = call;
    } else {
      const { downloads, downloadsPerAddress } = this.config.transfers;
      const key = `answer/${whereFrom(call)}`;
      if (this.readings.size >= downloads || this.shares.of(key) >= downloadsPerAddress) return false;
      this.readings.set(socket, { key, call, answers: 1, since: this.clock.monotonic(), sent: sentOn(socket) });
      this.shares.add(key, 1);
    }
    call.isRead = true;
    return true;
  }

  private look(): void {
    const now = this.clock.monotonic();
    for (const wait of this.waits) {
      if (!isSlow(wait, now)) continue;
      closeGently(wait.call);
      wait.late(new Refusal('BAD_REQUEST'));
    }
    for (const [socket, reading] of this.readings) if (isStuck(socket, reading, now)) this.cut(reading.call);
  }

  private cut(call: Call): void {
    call.outcome = 'TOO_SLOW';
    call.req.socket.resetAndDestroy();
  }
}

function isSlow(wait: Wait, now: number): boolean {
  const { req } = wait.call;
  const bytes = req.socket.bytesRead;
  // Nobody is slow whom this process does not listen to.
  if (req.isPaused()) wait.seen = [];
  while (wait.seen[1] && wait.seen[1].at <= now - BODY_MS) wait.seen.shift();
  const [first] = wait.seen;
  if (first && first.at <= now - BODY_MS && bytes - first.bytes < enough(BODY_MS)) return true;
  wait.seen.push({ at: now, bytes });
  return false;
}

/** What the system took over. */
const sentOn = (socket: Socket): number => socket.bytesWritten - socket.writableLength;

function isStuck(socket: Socket, reading: Reading, now: number): boolean {
  const pending = socket.writableLength;
  const sent = sentOn(socket);
  if (pending === 0 || sent - reading.sent >= enough(ANSWER_MS)) {
    reading.since = now;
    reading.sent = sent;
    return false;
  }
  // How much of one large piece has gone cannot be seen before all of it has.
  const patience = Math.max(ANSWER_MS, (pending / BYTES_PER_SECOND) * 1000);
  return now - reading.since > patience;
}

function tooMany(call: Call): Refusal {
  closeGently(call);
  const extra = { global: false, retry_after: RETRY_SECONDS };
  return new Refusal('RATE_LIMITED', extra).with({ 'Retry-After': String(RETRY_SECONDS) });
}

function* pieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
}
