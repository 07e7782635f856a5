import type { Socket } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { addressKey } from '../core/address.js';
import { Clock } from '../core/clock.js';
import { Config } from '../core/config/config.js';
import { Refusal, unavailable } from '../core/errors.js';
import { type Call, ClientGone, type Waiting } from '../policy/call.js';
import { closeGently } from './framing.js';
import { LiveRequests, type Reading, WORK } from './live-requests.js';
import { Load } from './load.js';

const LOOK_MS = 1000;
const BYTES_PER_SECOND = 1024;
/** Window over which the upload rate is measured. */
const BODY_MS = 10_000;
/**
 * Window for responses. It is longer, because the kernel accepts tens of kilobytes at a time, however steadily the
 * client reads.
 */
const ANSWER_MS = 60_000;
const RETRY_SECONDS = 5;
/** Long responses are written in pieces of this size, so that the client's progress is visible. */
const PIECE = 64 * 1024;

/** Falls back to the socket address on routes that do not determine the client IP address. */
const whereFrom = ({ address, req }: Call): string => addressKey(address || (req.socket.remoteAddress ?? ''));

const enough = (milliseconds: number): number => (milliseconds / 1000) * BYTES_PER_SECOND;

/** A request that waits for its client's body. */
interface Wait {
  readonly late: (refusal: Refusal) => void;
  /** Bytes received over time, oldest first. */
  seen: { at: number; bytes: number }[];
}

/**
 * Limits concurrent uploads and unread responses, in total and per client IP address (conventions.md section 12). They
 * do not count as work. Ends clients that are too slow.
 */
@Injectable()
export class Transfers implements Waiting, OnApplicationShutdown {
  private readonly waits = new WeakMap<Call, Wait>();
  // Checks only after pending data is read: if this process was blocked, the client was not slow.
  private readonly timer = setInterval(() => setImmediate(() => this.look()), LOOK_MS).unref();

  constructor(
    private readonly live: LiveRequests,
    private readonly load: Load,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  wait(call: Call, late: (refusal: Refusal) => void): void {
    const { bodies, bodiesPerAddress, bodiesPerAccount } = this.config.transfers;
    const account = call.identity && `body/account/${call.identity.account.id}`;
    const limits = new Map([
      ['body', bodies],
      [`body/${whereFrom(call)}`, bodiesPerAddress],
      ...(account ? ([[account, bodiesPerAccount]] as const) : []),
    ]);
    if (this.isCrowded(limits)) throw tooMany(call);
    if (!this.live.move(call, 'waiting', [...limits.keys()])) throw new ClientGone();
    this.waits.set(call, { late, seen: [{ at: this.clock.monotonic(), bytes: call.req.socket.bytesRead }] });
  }

  goOn(call: Call): void {
    this.live.move(call, 'started', [WORK]);
  }

  resume(call: Call): void {
    const { isFull } = this.load;
    if (!this.live.move(call, 'started', [WORK])) throw new ClientGone();
    if (isFull) throw unavailable(1);
  }

  beginAnswer(call: Call): void {
    if (call.stage === 'responding' || call.stage === 'closed') throw new ClientGone();
    if (!this.read(call)) throw tooMany(call);
    this.live.move(call, 'responding');
  }

  send({ res }: Call, bytes: Readable | Uint8Array, ended: (error: NodeJS.ErrnoException | null) => void): void {
    if (bytes instanceof Readable) pipeline(bytes, res, ended);
    else if (bytes.length <= PIECE) res.end(bytes);
    else pipeline(Readable.from(pieces(bytes), { objectMode: false }), res, ended);
  }

  answered(call: Call): void {
    if (!this.live.move(call, 'responding')) return;
    if (call.isRead || call.res.destroyed || call.res.socket?.writableLength === 0) return;
    if (!this.read(call)) this.cut(call);
  }

  /**
   * Whether the response may be read slowly: its connection has a slot or gets one now. All responses of a connection
   * share a slot.
   */
  private read(call: Call): boolean {
    const { socket } = call.req;
    if (!this.live.isReading(socket)) {
      const { downloads, downloadsPerAddress } = this.config.transfers;
      const limits = new Map([
        ['response', downloads],
        [`response/${whereFrom(call)}`, downloadsPerAddress],
      ]);
      if (this.isCrowded(limits)) return false;
      const counts = [...limits.keys()];
      this.live.read(call, { counts, call, since: this.clock.monotonic(), sent: sentOn(socket) });
    } else this.live.read(call);
    return true;
  }

  private isCrowded(limits: ReadonlyMap<string, number>): boolean {
    for (const [name, limit] of limits) if (this.live.count(name) >= limit) return true;
    return false;
  }

  private look(): void {
    const now = this.clock.monotonic();
    for (const { socket, calls, reading } of this.live.connections()) {
      for (const call of [...calls]) {
        const wait = call.stage === 'waiting' && this.waits.get(call);
        if (!wait || !isSlow(call, wait, now)) continue;
        closeGently(call);
        wait.late(new Refusal('BAD_REQUEST'));
      }
      if (reading && isStuck(socket, reading, now)) this.cut(reading.call);
    }
  }

  private cut(call: Call): void {
    call.outcome = 'TOO_SLOW';
    call.req.socket.resetAndDestroy();
  }
}

function isSlow({ req }: Call, wait: Wait, now: number): boolean {
  const bytes = req.socket.bytesRead;
  // A client is not slow while this process does not read from it.
  if (req.isPaused()) wait.seen = [];
  while (wait.seen[1] && wait.seen[1].at <= now - BODY_MS) wait.seen.shift();
  const [first] = wait.seen;
  if (first && first.at <= now - BODY_MS && bytes - first.bytes < enough(BODY_MS)) return true;
  wait.seen.push({ at: now, bytes });
  return false;
}

/** Bytes that the kernel has accepted. */
const sentOn = (socket: Socket): number => socket.bytesWritten - socket.writableLength;

function isStuck(socket: Socket, reading: Reading, now: number): boolean {
  const pending = socket.writableLength;
  const sent = sentOn(socket);
  if (pending === 0 || sent - reading.sent >= enough(ANSWER_MS)) {
    reading.since = now;
    reading.sent = sent;
    return false;
  }
  // Progress within one large piece is not visible until all of it is written.
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
