import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export const CLIENT = { id: '42', secret: 's/e c:ret' };
const BEAT_MS = 250;

/** A request for a decision, as `POST /v1/decisions` receives it. */
export interface Asked {
  readonly policy: string;
  readonly authorization: string;
  readonly sudo?: string;
  readonly address?: string;
}

type Responder = (requested: Asked) => unknown;

/** A server that speaks section 3 of forward-auth.md. Tests decide what it answers and announces. */
export class FakeGatehouse {
  readonly asked: Asked[] = [];
  /** The `Last-Event-ID` headers of the streams. */
  readonly resumed: (string | undefined)[] = [];
  /** Makes a decision. The result is sent as it is; a number is the status of an error. */
  respond: Responder = ({ authorization }) => this.admission({ tags: ['application', authorization] });
  isBeating = true;
  acceptsStreams = true;
  journal = '00000000000073a1';
  entry = 100;
  private port = 0;
  private server: Server | undefined;
  private readonly streams = new Set<ServerResponse>();
  private readonly sockets = new Set<Socket>();
  private readonly announced: { readonly entry: number; readonly tags: readonly string[] }[] = [];
  private readonly beats: NodeJS.Timeout;

  private constructor() {
    this.beats = setInterval(() => {
      if (this.isBeating) this.write(`event: alive\nid: ${this.mark}\n\n`);
    }, BEAT_MS);
  }

  static async start(): Promise<FakeGatehouse> {
    const fake = new FakeGatehouse();
    await fake.listen();
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get mark(): string {
    return this.markOf(this.entry);
  }

  markOf(entry: number, journal = this.journal): string {
    return `${entry}-1800000000-${journal}`;
  }

  admission(more: object = {}) {
    return {
      ...{
        admitted: true,
        status: 200,
        identity: { kind: 'session', account_id: '7' },
        expires_in: 300,
        tags: ['application'],
      },
      as_of: this.mark,
      ...more,
    };
  }

  /** The default port is the one of the last time. */
  async listen(): Promise<void> {
    this.server = createServer((request, response) => {
      void this.handle(request, response);
    });
    this.server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
    });
    await once(this.server.listen(this.port, '127.0.0.1'), 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  /** Announces revoked tags to all streams. */
  revoke(...tags: string[]): void {
    this.entry++;
    this.announced.push({ entry: this.entry, tags });
    this.write(this.revocation(tags));
  }

  reset(): void {
    this.write(`event: reset\nid: ${this.mark}\n\n`);
  }

  write(text: string): void {
    for (const stream of this.streams) stream.write(text);
  }

  cutStreams(): void {
    for (const stream of this.streams) stream.destroy();
  }

  /** Closes all connections and rejects new ones. */
  async stop(): Promise<void> {
    const closed = this.server?.close();
    for (const socket of this.sockets) socket.destroy();
    if (closed?.listening === false) await once(closed, 'close').catch(() => undefined);
  }

  async close(): Promise<void> {
    clearInterval(this.beats);
    await this.stop();
  }

  private revocation(tags: readonly string[]): string {
    return `event: revoked\nid: ${this.mark}\ndata: ${JSON.stringify({ tags })}\n\n`;
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pair = Buffer.from(request.headers.authorization?.replace('Basic ', '') ?? '', 'base64').toString();
    const isClient = pair.split(':').map(decodeURIComponent).join('\n') === [CLIENT.id, CLIENT.secret].join('\n');
    if (!isClient) this.send(response, 401, { code: 'invalid_client' });
    else if (request.url === '/v1/decisions/revocations') this.open(request, response);
    else if (request.url === '/v1/decisions') await this.decide(request, response);
    else this.send(response, 404, { code: 'NOT_FOUND' });
  }

  private open(request: IncomingMessage, response: ServerResponse): void {
    if (!this.acceptsStreams) {
      this.send(response, 503, {});
      return;
    }
    const last = request.headers['last-event-id'] as string | undefined;
    this.resumed.push(last);
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    const missed = this.announced.filter(({ entry }) => last !== undefined && entry > Number(last.split('-')[0]));
    for (const { tags } of missed) response.write(this.revocation(tags));
    this.streams.add(response);
    response.on('close', () => this.streams.delete(response));
  }

  private async decide(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const requested = JSON.parse(Buffer.concat(chunks).toString()) as Asked;
    this.asked.push(requested);
    const decision = await this.respond(requested);
    if (typeof decision === 'number') this.send(response, decision, { code: 'ERROR' }, { 'retry-after': '7' });
    else this.send(response, 200, decision);
  }

  private send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  }
}
