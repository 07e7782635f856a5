import type { ClientRequest, IncomingMessage } from 'node:http';
import { type GatehouseClient, UnexpectedResponse } from './gatehouse-client.js';
import { EventParser, type ServerSentEvent } from './server-sent-events.js';

/** Without a heartbeat for this time, the stream is lost. In milliseconds. */
const LOST_MS = 800;
/** Gatehouse sends a heartbeat every 250 ms. One that arrives later than this counts from here, in milliseconds. */
const LATE_MS = 350;
/** Time limit for the first byte of a response, in milliseconds. */
const CONNECT_MS = 2000;
/** The longest time before a new attempt, in milliseconds. */
const BACK_OFF = { first: 100, most: 2000 };

export interface StreamListener {
  /** Revocations before this moment may be missing. */
  restarted(): void;
  advanced(mark: string): void;
  revoked(tags: readonly string[]): void;
  failed(error: Error): void;
  /** The heartbeats have stopped. */
  lost(): void;
}

const tagsOf = (data: string): string[] => {
  const { tags } = JSON.parse(data);
  if (!Array.isArray(tags)) throw new Error('A revocation has no tags');
  return tags;
};

/** Reads `GET /v1/decisions/revocations`, and connects again if it ends (forward-auth.md section 3). */
export class RevocationStream {
  private request: ClientRequest | undefined;
  private retry: NodeJS.Timeout | undefined;
  private mark: string | undefined;
  private attempts = 0;
  private isStarted = false;
  /** When the last heartbeat was sent, or earlier; `-Infinity` without one on this connection. */
  private alive = Number.NEGATIVE_INFINITY;
  private requested = 0;

  constructor(
    private readonly client: GatehouseClient,
    private readonly listener: StreamListener,
  ) {}

  /** Connects at the first call. */
  start(): void {
    if (this.isStarted) return;
    this.isStarted = true;
    this.connect();
  }

  /** Whether kept decisions may be used. @param now `performance.now()` at the moment of use */
  isLive(now: number): boolean {
    return now - this.alive < LOST_MS;
  }

  /** Milliseconds since the last heartbeat; `Infinity` without a stream. */
  lag(now: number): number {
    return now - this.alive;
  }

  close(): void {
    this.isStarted = true;
    clearTimeout(this.retry);
    this.request?.destroy();
    this.request = undefined;
    this.alive = Number.NEGATIVE_INFINITY;
  }

  private connect(): void {
    const request = this.client.subscribe(this.mark);
    this.request = request;
    request.setTimeout(CONNECT_MS, () => request.destroy(new Error('The stream of revocations does not respond')));
    // An open stream does not keep the process running.
    request.on('socket', (socket) => socket.unref());
    request.on('finish', () => {
      this.requested = performance.now();
    });
    request.on('response', (response) => this.read(request, response));
    request.on('error', (error) => this.listener.failed(error));
    request.on('close', () => this.disconnected(request));
    request.end();
  }

  private read(request: ClientRequest, response: IncomingMessage): void {
    response.on('error', () => request.destroy());
    if (response.statusCode !== 200) {
      request.destroy(new UnexpectedResponse(response.statusCode ?? 0, undefined, 'no stream of revocations'));
      return;
    }
    request.setTimeout(LOST_MS);
    if (this.mark === undefined) this.listener.restarted();
    const parser = new EventParser();
    response.on('data', (chunk: Buffer) => {
      try {
        // After a pause of this process, older heartbeats are waiting to be read. Only a new connection has new ones.
        if (this.alive > Number.NEGATIVE_INFINITY && !this.isLive(performance.now()))
          throw new Error('The stream was lost');
        for (const event of parser.push(chunk)) this.handle(event);
      } catch (error) {
        request.destroy(error as Error);
      }
    });
    response.on('end', () => request.destroy());
  }

  private handle({ event, data, id }: ServerSentEvent): void {
    if (event === 'reset') {
      this.mark = undefined;
      this.listener.restarted();
    }
    if (event === 'revoked') {
      const tags = tagsOf(data);
      if (id !== undefined) this.listener.advanced(id);
      this.listener.revoked(tags);
    } else if (id !== undefined) this.listener.advanced(id);
    if (event === 'alive') this.beat();
    if (id !== undefined) this.mark = id;
  }

  /**
   * The moment at which a heartbeat arrives may be much later than the moment at which it was sent. Therefore the first
   * one counts from the request, and each further one from at most 350 ms after the former one.
   */
  private beat(): void {
    this.attempts = 0;
    const isFirst = this.alive === Number.NEGATIVE_INFINITY;
    this.alive = isFirst ? this.requested : Math.min(performance.now(), this.alive + LATE_MS);
  }

  private disconnected(request: ClientRequest): void {
    if (this.request !== request) return;
    this.request = undefined;
    if (this.alive > Number.NEGATIVE_INFINITY) this.listener.lost();
    this.alive = Number.NEGATIVE_INFINITY;
    const most = Math.min(BACK_OFF.most, BACK_OFF.first * 2 ** this.attempts++);
    this.retry = setTimeout(() => this.connect(), most * Math.random());
    this.retry.unref();
  }
}
