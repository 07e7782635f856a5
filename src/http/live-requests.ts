import type { Socket } from 'node:net';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Log } from '../core/log.js';
import { Metrics } from '../core/metrics.js';
import type { Call, Stage } from '../policy/call.js';

const COUNT_CHECK_INTERVAL_MS = 1000;
/**
 * Maximum number of pipelined requests in progress per connection. Further requests wait, and the connection is not
 * read.
 */
export const MAX_PIPELINED = 16;
/** Name of the count of requests in progress. */
export const WORK = 'work';

/** Allowed transitions between stages. `closed` is final. */
const ALLOWED_TRANSITIONS: Readonly<Record<Stage, readonly Stage[]>> = {
  arrived: ['started', 'responding', 'closed'],
  started: ['waiting', 'responding', 'closed'],
  waiting: ['started', 'responding', 'closed'],
  responding: ['closed'],
  closed: [],
};

/** Responses of one connection that its client has not read yet. */
export interface ResponseDrain {
  readonly counts: readonly string[];
  call: Call;
  /** When progress was last detected, and how many bytes were sent by then. */
  lastProgressAt: number;
  sentBytes: number;
}

export interface Connection {
  readonly socket: Socket;
  /** In order of arrival. */
  readonly calls: Call[];
  /** Starts the last requests of `calls`, which wait for earlier requests. */
  readonly queue: (() => void)[];
  drain?: ResponseDrain;
  /** Pauses reading while requests are queued. */
  pause?: () => void;
  /** The connection is closed or no longer uses HTTP. */
  isDetached: boolean;
}

/**
 * Owns the lifecycle of every request: its stage and all counts of requests. A count is the number of live requests and
 * connections that name it, so it can be derived again at any time.
 */
@Injectable()
export class LiveRequests implements OnApplicationShutdown {
  private readonly connectionBySocket = new Map<Socket, Connection>();
  private counts = new Map<string, number>();
  private readonly timer = setInterval(() => this.verifyCounts(), COUNT_CHECK_INTERVAL_MS).unref();
  /** Called after each change of a stage. */
  onStageChange: () => void = () => {};

  constructor(
    private readonly log: Log,
    private readonly metrics: Metrics,
  ) {
    metrics.startAtZero('gatehouse_request_count_corrections_total', { count: ['requests', WORK, 'body', 'response'] });
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** Number of requests whose responses are not complete. */
  get size(): number {
    let size = 0;
    for (const { calls } of this.connectionBySocket.values()) size += calls.length;
    return size;
  }

  /** Open HTTP connections (excludes upgraded WebSockets). */
  *connections(): Generator<Connection> {
    for (const connection of this.connectionBySocket.values()) if (!connection.isDetached) yield connection;
  }

  get isConnected(): boolean {
    return !this.connections().next().done;
  }

  count(name: string): number {
    return this.counts.get(name) ?? 0;
  }

  connect(socket: Socket): Connection {
    const known = this.connectionBySocket.get(socket);
    if (known) return known;
    const connection: Connection = { socket, calls: [], queue: [], isDetached: false };
    this.connectionBySocket.set(socket, connection);
    socket.once('close', () => this.disconnect(socket));
    return connection;
  }

  /** Marks the connection as closed or as switched to another protocol. */
  disconnect(socket: Socket): void {
    const connection = this.connectionBySocket.get(socket);
    if (!connection) return;
    connection.isDetached = true;
    connection.queue.length = 0;
    for (const { res } of [...connection.calls]) {
      // Node emits `close` only for the response that is being written. Pipelined responses behind it would never
      // release their resources.
      if (!socket.destroyed || res.socket || res.closed) continue;
      res.destroyed = true;
      res.emit('close');
    }
    this.removeIfFinished(connection);
  }

  /** Starts the request, or queues it behind earlier requests of its connection. */
  open(call: Call, begin: () => void): void {
    const connection = this.connect(call.req.socket);
    if (connection.calls.push(call) <= MAX_PIPELINED) begin();
    else if (connection.queue.push(begin) === 1) pauseReading(connection);
  }

  /** Changes the stage. Returns false, and changes nothing, if the transition is not allowed. */
  move(call: Call, stage: Stage, counts: readonly string[] = []): boolean {
    if (!ALLOWED_TRANSITIONS[call.stage].includes(stage)) return false;
    call.stage = stage;
    this.add(call.counts, -1);
    call.counts = counts;
    this.add(counts, 1);
    this.onStageChange();
    return true;
  }

  isDraining(socket: Socket): boolean {
    return this.connectionBySocket.get(socket)?.drain !== undefined;
  }

  /**
   * Marks a response that its client may read slowly. `first` registers the connection, if this is its first such
   * response.
   */
  trackDrain(call: Call, first?: ResponseDrain): void {
    const connection = this.connect(call.req.socket);
    call.isDraining = true;
    if (first) {
      connection.drain = first;
      this.add(first.counts, 1);
    } else if (connection.drain) connection.drain.call = call;
  }

  /** Returns false if the request was already closed. */
  close(call: Call): boolean {
    if (!this.move(call, 'closed')) return false;
    const connection = this.connectionBySocket.get(call.req.socket);
    if (!connection) return true;
    const { calls, queue, drain } = connection;
    calls.splice(calls.indexOf(call), 1);
    if (drain && !calls.some(({ isDraining }) => isDraining)) {
      connection.drain = undefined;
      this.add(drain.counts, -1);
    }
    // Deferred, so that the event loop can serve other connections between two batches.
    if (queue.length > 0) setImmediate(() => beginNext(connection));
    this.removeIfFinished(connection);
    return true;
  }

  private removeIfFinished({ socket, calls, isDetached }: Connection): void {
    if (isDetached && calls.length === 0) this.connectionBySocket.delete(socket);
  }

  private add(names: readonly string[], step: 1 | -1): void {
    for (const name of names) {
      const count = this.count(name) + step;
      if (count === 0) this.counts.delete(name);
      else this.counts.set(name, count);
    }
  }

  /** Compares the counts with the live requests. A difference is a bug: it is reported and corrected. */
  private verifyCounts(): void {
    for (const { socket, calls, isDetached } of this.connectionBySocket.values()) {
      if (!isDetached || !socket.destroyed || calls.length === 0) continue;
      this.report('requests', calls.length, 0);
      for (const call of [...calls]) this.close(call);
    }
    const kept = this.counts;
    this.counts = new Map();
    for (const { calls, drain } of this.connectionBySocket.values()) {
      for (const call of calls) this.add(call.counts, 1);
      if (drain) this.add(drain.counts, 1);
    }
    for (const name of new Set([...kept.keys(), ...this.counts.keys()])) {
      if (kept.get(name) !== this.counts.get(name)) this.report(name, kept.get(name) ?? 0, this.count(name));
    }
  }

  private report(name: string, counted: number, live: number): void {
    // The rest of the name is an IP address or an account.
    const [count = ''] = name.split('/');
    this.metrics.add('gatehouse_request_count_corrections_total', { count });
    this.log.error('the count of active requests was wrong and was corrected', { count, counted, live });
  }
}

function pauseReading(connection: Connection): void {
  const { socket, queue } = connection;
  if (!connection.pause) {
    connection.pause = () => {
      if (queue.length > 0) socket.pause();
    };
    // Node also resumes the connection in other situations.
    socket.on('resume', connection.pause);
  }
  // Node resumes the connection at the end of each request in the bytes that are being parsed.
  process.nextTick(connection.pause);
}

function beginNext({ socket, calls, queue }: Connection): void {
  while (queue.length > 0 && calls.length - queue.length < MAX_PIPELINED) queue.shift()?.();
  if (queue.length === 0 && !socket.destroyed) socket.resume();
}
