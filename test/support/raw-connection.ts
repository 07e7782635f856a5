import { connect, type Socket } from 'node:net';
import type { TestResponse } from './exchange.js';

/** A response as received, with its header lines in their original order and spelling. */
export interface RawResponse extends TestResponse {
  readonly lines: readonly (readonly [name: string, value: string])[];
}

/** A bare TCP connection to the service, for requests that an HTTP client would not send. Text is sent as Latin-1. */
export class RawConnection {
  private chunks: Buffer[] = [];
  private size = 0;
  /** The number of bytes that must arrive before the response is parsed again. */
  private wanted = 0;
  private hasEnded = false;
  private notify: () => void = () => {};
  /** Resolves when the service has closed the connection. */
  readonly closed: Promise<void>;

  private constructor(private readonly socket: Socket) {
    this.closed = new Promise((resolve) => {
      const end = () => {
        this.hasEnded = true;
        resolve();
        this.notify();
      };
      socket.on('end', end).on('close', end).on('error', end);
    });
    socket.on('data', (chunk) => {
      this.chunks.push(chunk);
      this.size += chunk.length;
      if (this.size >= this.wanted) this.notify();
    });
  }

  /** Joins the chunks only when they are read, not for every chunk of a long response. */
  private get received(): Buffer {
    if (this.chunks.length !== 1) this.received = Buffer.concat(this.chunks);
    return this.chunks[0] as Buffer;
  }

  private set received(bytes: Buffer) {
    this.chunks = [bytes];
    this.size = bytes.length;
    this.wanted = 0;
  }

  /** `from`: any IP address of `127.0.0.0/8`. The service treats each of them as another client. */
  static open({ port }: { port: number }, from = '127.0.0.1'): Promise<RawConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', localAddress: from, noDelay: true });
      socket.once('error', reject).once('connect', () => resolve(new RawConnection(socket)));
    });
  }

  send(data: string | Buffer): this {
    if (!this.hasEnded) this.socket.write(typeof data === 'string' ? Buffer.from(data, 'latin1') : data);
    return this;
  }

  /** The next response. Set `bodiless` for a response to HEAD. */
  async readResponse({ bodiless = false } = {}): Promise<RawResponse> {
    for (;;) {
      const response = this.take(bodiless);
      if (response) return response;
      if (this.hasEnded) throw new Error(`the connection ended after ${JSON.stringify(this.received.toString())}`);
      await new Promise<void>((resolve) => {
        this.notify = resolve;
      });
    }
  }

  private take(bodiless: boolean): RawResponse | null {
    const { received } = this;
    const headEnd = received.indexOf('\r\n\r\n');
    if (headEnd < 0) return null;
    const [start = '', ...fields] = received.subarray(0, headEnd).toString('latin1').split('\r\n');
    const lines = fields.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()] as const;
    });
    const status = Number(start.split(' ')[1]);
    const headers = new Headers(lines.map(([name, value]) => [name, value] as [string, string]));
    const rest = received.subarray(headEnd + 4);
    const read = bodiless || status < 200 || status === 204 || status === 304 ? empty : readBody(headers, rest);
    if (!read || (read.end < 0 && !this.hasEnded)) {
      this.wanted = headEnd + 4 + Number(headers.get('content-length'));
      return null;
    }
    this.received = read.end < 0 ? Buffer.alloc(0) : rest.subarray(read.end);
    const text = read.body.toString('utf8');
    const isJson = headers.get('content-type')?.startsWith('application/json');
    return { status, headers, lines, text, body: text === '' ? undefined : isJson ? JSON.parse(text) : text };
  }

  /** Waits for a text after the responses that were read. Returns everything that has arrived after them. */
  async until(text: string): Promise<string> {
    this.wanted = 0;
    while (!this.unread.includes(text)) {
      if (this.hasEnded) throw new Error(`the connection ended after ${JSON.stringify(this.unread)}`);
      await new Promise<void>((resolve) => {
        this.notify = resolve;
      });
    }
    return this.unread;
  }

  /** The data after the responses that were read. */
  get unread(): string {
    return this.received.toString('latin1');
  }

  close(): void {
    this.socket.destroy();
  }
}

const empty = { body: Buffer.alloc(0), end: 0 };

/**
 * The body and its end offset, which is -1 if the body ends with the connection. Returns null if the body is
 * incomplete.
 */
function readBody(headers: Headers, rest: Buffer): { body: Buffer; end: number } | null {
  if (headers.get('transfer-encoding') === 'chunked') return readChunks(rest);
  const length = headers.get('content-length');
  if (length === null) return { body: rest, end: -1 };
  return rest.length < Number(length) ? null : { body: rest.subarray(0, Number(length)), end: Number(length) };
}

function readChunks(rest: Buffer): { body: Buffer; end: number } | null {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = rest.indexOf('\r\n', at);
    if (lineEnd < 0) return null;
    const size = Number.parseInt(rest.subarray(at, lineEnd).toString('latin1'), 16);
    const next = lineEnd + 2 + size + 2;
    if (rest.length < next) return null;
    if (size === 0) return { body: Buffer.concat(chunks), end: next };
    chunks.push(rest.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = next;
  }
}

/** Sends one request with these lines on its own connection. Adds `Host`. */
export async function sendRaw(
  service: { port: number },
  lines: readonly string[],
  { body = '', bodiless = false, from }: { body?: string | Buffer; bodiless?: boolean; from?: string } = {},
): Promise<RawResponse> {
  const connection = await RawConnection.open(service, from);
  try {
    const [start = '', ...fields] = lines;
    connection.send([start, 'Host: gatehouse.test', ...fields, '', ''].join('\r\n'));
    if (body.length > 0) connection.send(body);
    return await connection.readResponse({ bodiless: bodiless || start.startsWith('HEAD ') });
  } finally {
    connection.close();
  }
}
