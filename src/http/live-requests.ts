import type { Socket } from 'node:net';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Log } from '../core/log.js';
import { Metrics } from '../core/metrics.js';
import type { Call, Stage } from '../policy/call.js';

const CHECK_MS = 1000;
/** Pipelined requests beyond these wait for their turn, and nothing more is read from their connection. */
export const MAX_PIPELINED = 16;
/** Counts the requests that are being worked on. */
export const WORK = 'work';

/** The stages that may follow each stage. Nothing follows `closed`. */
const NEXT: Readonly<Record<Stage, readonly Stage[]>> = {
  arrived: ['started', 'responding', 'closed'],
  started: ['waiting', 'responding', 'closed'],
  waiting: ['started', 'responding', 'closed'],
  responding: ['closed'],
  closed: [],
};

/** Responses of one connection that its client has not read yet. */
export interface Reading {
  readonly counts: readonly string[];
  call: Call;
  /** When progress was last seen, and how many bytes had been sent by then. */
  since: number;
  sent: number;
}

export interface Connection {
  readonly socket: Socket;
  /** In the order of their arrival. */
  readonly calls: Call[];
  /** Begins the last ones of `calls`, which wait for their turn. */
  readonly queue: (() => void)[];
  reading?: Reading;
  /** Stops reading while requests wait for their turn. */
  pause?: () => void;
  /** It is closed, or no longer speaks HTTP. */
  isOver: boolean;
}

/**
 * Owns the life of every request: its stage, and every count of requests. A count is the number of live requests and
 * connections that name it, so it can be derived again at any time.
 */
@Injectable()
export class LiveRequests implements OnApplicationShutdown {
  private readonly known = new Map<Socket, Connection>();
  private counts = new Map<string, number>();
  private readonly timer = setInterval(() => this.check(), CHECK_MS).unref();
  /** Is called after each change of a stage. */
  onMove: () => void = () => {};

  constructor(
    private readonly log: Log,
    private readonly metrics: Metrics,
  ) {}

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** Requests whose responses are not complete. */
  get size(): number {
    let size = 0;
    for (const { calls } of this.known.values()) size += calls.length;
    return size;
  }

  /** Connections that speak HTTP. */
  *connections(): Generator<Connection> {
    for (const connection of this.known.values()) if (!connection.isOver) yield connection;
  }

  get isConnected(): boolean {
    return !this.connections().next().done;
  }

  count(name: string): number {
    return this.counts.get(name) ?? 0;
  }

  connect(socket: Socket): Connection {
    const known = this.known.get(socket);
    if (known) return known;
    const connection: Connection = { socket, calls: [], queue: [], isOver: false };
    this.known.set(socket, connection);
    socket.once('close', () => this.disconnect(socket));
    return connection;
  }

  /** The connection is closed, or from now on speaks another protocol. */
  disconnect(socket: Socket): void {
    const connection = this.known.get(socket);
    if (!connection) return;
    connection.isOver = true;
    connection.queue.length = 0;
    for (const { res } of [...connection.calls]) {
      // Node closes only the response whose turn it is. Those behind it would keep what they send open.
      if (!socket.destroyed || res.socket || res.closed) continue;
      res.destroyed = true;
      res.emit('close');
    }
    this.forget(connection);
  }

  /** Begins the request, or lets it wait for the requests before it on its connection. */
  open(call: Call, begin: () => void): void {
    const connection = this.connect(call.req.socket);
    if (connection.calls.push(call) <= MAX_PIPELINED) begin();
    else if (connection.queue.push(begin) === 1) pauseReading(connection);
  }

  /** Returns false if the request is past that: then nothing has changed. */
  move(call: Call, stage: Stage, counts: readonly string[] = []): boolean {
    if (!NEXT[call.stage].includes(stage)) return false;
    call.stage = stage;
    this.add(call.counts, -1);
    call.counts = counts;
    this.add(counts, 1);
    this.onMove();
    return true;
  }

  isReading(socket: Socket): boolean {
    return this.known.get(socket)?.reading !== undefined;
  }

  /** The client may take its time to read the response, as one of the responses of its connection, or as the first. */
  read(call: Call, first?: Reading): void {
    const connection = this.connect(call.req.socket);
    call.isRead = true;
    if (first) {
      connection.reading = first;
      this.add(first.counts, 1);
    } else if (connection.reading) connection.reading.call = call;
  }

  /** Returns false if it was closed before. */
  close(call: Call): boolean {
    if (!this.move(call, 'closed')) return false;
    const connection = this.known.get(call.req.socket);
    if (!connection) return true;
    const { calls, queue, reading } = connection;
    calls.splice(calls.indexOf(call), 1);
    if (reading && !calls.some(({ isRead }) => isRead)) {
      connection.reading = undefined;
      this.add(reading.counts, -1);
    }
    // In a turn of its own: the event loop serves others between two batches.
    if (queue.length > 0) setImmediate(() => beginNext(connection));
    this.forget(connection);
    return true;
  }

  private forget({ socket, calls, isOver }: Connection): void {
    if (isOver && calls.length === 0) this.known.delete(socket);
  }

  private add(names: readonly string[], step: 1 | -1): void {
    for (const name of names) {
      const count = this.count(name) + step;
      if (count === 0) this.counts.delete(name);
      else this.counts.set(name, count);
    }
  }

  /** Compares the counts with the live requests. A difference is a defect: it is reported, and corrected. */
  private check(): void {
    for (const { socket, calls, isOver } of this.known.values()) {
      if (!isOver || !socket.destroyed || calls.length === 0) continue;
      this.report('requests', calls.length, 0);
      for (const call of [...calls]) this.close(call);
    }
    const kept = this.counts;
    this.counts = new Map();
    for (const { calls, reading } of this.known.values()) {
      for (const call of calls) this.add(call.counts, 1);
      if (reading) this.add(reading.counts, 1);
    }
    for (const name of new Set([...kept.keys(), ...this.counts.keys()])) {
      if (kept.get(name) !== this.counts.get(name)) this.report(name, kept.get(name) ?? 0, this.count(name));
    }
  }

  private report(name: string, counted: number, live: number): void {
    // The rest of the name is an IP address or an account.
    const [count = ''] = name.split('/');
    this.metrics.countCorrections.inc({ count });
    this.log.error('a count of requests was wrong and is corrected', { count, counted, live });
  }
}

function pauseReading(connection: Connection): void {
  const { socket, queue } = connection;
  if (!connection.pause) {
    connection.pause = () => {
      if (queue.length > 0) socket.pause();
    };
    // Node also resumes the connection for reasons of its own.
    socket.on('resume', connection.pause);
  }
  // Node resumes it with the end of each request in the bytes that are being parsed.
  process.nextTick(connection.pause);
}

function beginNext({ socket, calls, queue }: Connection): void {
  while (queue.length > 0 && calls.length - queue.length < MAX_PIPELINED) queue.shift()?.();
  if (queue.length === 0 && !socket.destroyed) socket.resume();
}
