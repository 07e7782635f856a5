import type { Socket } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { addressKey } from '../core/address.js';
import { Clock } from '../core/clock.js';
import { Config } from '../core/config/config.js';
import { ApiError } from '../core/errors.js';
import { type Call, ClientGone, type TransferTracker } from '../policy/call.js';
import { closeAfterResponse } from './framing.js';
import { LiveRequests, type ResponseDrain, WORK } from './live-requests.js';
import { Load } from './load.js';

const CLIENT_CHECK_INTERVAL_MS = 1000;
const MIN_BYTES_PER_SECOND = 1024;
/** Window over which the upload rate is measured. */
const UPLOAD_WINDOW_MS = 10_000;
/**
 * Window for responses. It is longer, because the kernel accepts tens of kilobytes at a time, however steadily the
 * client reads.
 */
const DOWNLOAD_WINDOW_MS = 60_000;
const RETRY_SECONDS = 5;
/** Long responses are written in pieces of this size, so that the client's progress is visible. */
const CHUNK_BYTES = 64 * 1024;

/** Falls back to the socket address on routes that do not determine the client IP address. */
const clientKey = ({ address, req }: Call): string => addressKey(address || (req.socket.remoteAddress ?? ''));

const minimumBytes = (milliseconds: number): number => (milliseconds / 1000) * MIN_BYTES_PER_SECOND;

/** A request that waits for its client's body. */
interface BodyWait {
  readonly onTooSlow: (apiError: ApiError) => void;
  /** Bytes received over time, oldest first. */
  samples: { at: number; bytes: number }[];
}

/**
 * Limits concurrent uploads and unread responses, in total and per client IP address (conventions.md section 12). They
 * do not count as work. Ends clients that are too slow.
 */
@Injectable()
export class SlowClientMonitor implements TransferTracker, OnApplicationShutdown {
  private readonly waits = new WeakMap<Call, BodyWait>();
  // Checks only after pending data is read: if this process was blocked, the client was not slow.
  private readonly timer = setInterval(() => setImmediate(() => this.checkClients()), CLIENT_CHECK_INTERVAL_MS).unref();

  constructor(
    private readonly live: LiveRequests,
    private readonly load: Load,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  waitForBody(call: Call, late: (apiError: ApiError) => void): void {
    const { bodies, bodiesPerAddress, bodiesPerAccount } = this.config.transfers;
    const account = call.identity && `body/account/${call.identity.account.id}`;
    const limits = new Map([
      ['body', bodies],
      [`body/${clientKey(call)}`, bodiesPerAddress],
      ...(account ? ([[account, bodiesPerAccount]] as const) : []),
    ]);
    if (this.isAtLimit(limits)) throw tooManyTransfers(call);
    if (!this.live.move(call, 'waiting', [...limits.keys()])) throw new ClientGone();
    this.waits.set(call, {
      onTooSlow: late,
      samples: [{ at: this.clock.monotonic(), bytes: call.req.socket.bytesRead }],
    });
  }

  endBodyWait(call: Call): void {
    this.live.move(call, 'started', [WORK]);
  }

  resumeWork(call: Call): void {
    const { isFull } = this.load;
    if (!this.live.move(call, 'started', [WORK])) throw new ClientGone();
    if (isFull) this.load.reject();
  }

  beginResponse(call: Call): void {
    if (call.stage === 'responding' || call.stage === 'closed') throw new ClientGone();
    if (!this.reserveDrain(call)) throw tooManyTransfers(call);
    this.live.move(call, 'responding');
  }

  beginStream(call: Call): void {
    if (!this.live.move(call, 'responding')) throw new ClientGone();
  }

  send({ res }: Call, bytes: Readable | Uint8Array, ended: (error: NodeJS.ErrnoException | null) => void): void {
    if (bytes instanceof Readable) pipeline(bytes, res, ended);
    else if (bytes.length <= CHUNK_BYTES) res.end(bytes);
    else pipeline(Readable.from(splitIntoChunks(bytes), { objectMode: false }), res, ended);
  }

  onResponseEnded(call: Call): void {
    if (!this.live.move(call, 'responding')) return;
    if (call.isDraining || call.res.destroyed || call.res.socket?.writableLength === 0) return;
    if (!this.reserveDrain(call)) this.disconnectSlowClient(call);
  }

  /**
   * Whether the response may be read slowly: its connection has a slot or gets one now. All responses of a connection
   * share a slot.
   */
  private reserveDrain(call: Call): boolean {
    const { socket } = call.req;
    if (!this.live.isDraining(socket)) {
      const { downloads, downloadsPerAddress } = this.config.transfers;
      const limits = new Map([
        ['response', downloads],
        [`response/${clientKey(call)}`, downloadsPerAddress],
      ]);
      if (this.isAtLimit(limits)) return false;
      const counts = [...limits.keys()];
      this.live.trackDrain(call, {
        counts,
        call,
        lastProgressAt: this.clock.monotonic(),
        sentBytes: sentBytesOf(socket),
      });
    } else this.live.trackDrain(call);
    return true;
  }

  private isAtLimit(limits: ReadonlyMap<string, number>): boolean {
    for (const [name, limit] of limits) if (this.live.count(name) >= limit) return true;
    return false;
  }

  private checkClients(): void {
    const now = this.clock.monotonic();
    for (const { socket, calls, drain } of this.live.connections()) {
      for (const call of [...calls]) {
        const wait = call.stage === 'waiting' && this.waits.get(call);
        if (!wait || !isSlow(call, wait, now)) continue;
        closeAfterResponse(call);
        wait.onTooSlow(new ApiError('BAD_REQUEST'));
      }
      if (drain && isStalled(socket, drain, now)) this.disconnectSlowClient(drain.call);
    }
  }

  private disconnectSlowClient(call: Call): void {
    call.outcome = 'TOO_SLOW';
    call.req.socket.resetAndDestroy();
  }
}

function isSlow({ req }: Call, wait: BodyWait, now: number): boolean {
  const bytes = req.socket.bytesRead;
  // A client is not slow while this process does not read from it.
  if (req.isPaused()) wait.samples = [];
  while (wait.samples[1] && wait.samples[1].at <= now - UPLOAD_WINDOW_MS) wait.samples.shift();
  const [first] = wait.samples;
  if (first && first.at <= now - UPLOAD_WINDOW_MS && bytes - first.bytes < minimumBytes(UPLOAD_WINDOW_MS)) return true;
  wait.samples.push({ at: now, bytes });
  return false;
}

/** Bytes that the kernel has accepted. */
const sentBytesOf = (socket: Socket): number => socket.bytesWritten - socket.writableLength;

function isStalled(socket: Socket, reading: ResponseDrain, now: number): boolean {
  const pending = socket.writableLength;
  const sent = sentBytesOf(socket);
  if (pending === 0 || sent - reading.sentBytes >= minimumBytes(DOWNLOAD_WINDOW_MS)) {
    reading.lastProgressAt = now;
    reading.sentBytes = sent;
    return false;
  }
  // Progress within one large piece is not visible until all of it is written.
  const patience = Math.max(DOWNLOAD_WINDOW_MS, (pending / MIN_BYTES_PER_SECOND) * 1000);
  return now - reading.lastProgressAt > patience;
}

function tooManyTransfers(call: Call): ApiError {
  closeAfterResponse(call);
  const extra = { global: false, retry_after: RETRY_SECONDS };
  return new ApiError('RATE_LIMITED', extra).withHeaders({ 'Retry-After': String(RETRY_SECONDS) });
}

function* splitIntoChunks(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
}
