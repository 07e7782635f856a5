import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedEvent {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly event: { readonly type: string; readonly timestamp: string; readonly data: Record<string, unknown> };
  readonly path: string | undefined;
}

/** A service that receives events, on a loopback IP address. */
export class EventReceiver {
  readonly received: ReceivedEvent[] = [];
  /** The status of the next response, or a promise that delays it. */
  answer: (count: number) => number | Promise<number> = () => 204;
  private readonly server: Server;

  private constructor() {
    this.server = createServer((req, res) => {
      let body = '';
      req.setEncoding('utf8').on('data', (part) => {
        body += part;
      });
      req.on('end', async () => {
        this.received.push({ headers: req.headers, body, event: JSON.parse(body), path: req.url });
        const status = await this.answer(this.received.length);
        res.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end();
      });
    });
  }

  static async start(): Promise<EventReceiver> {
    const receiver = new EventReceiver();
    await new Promise<void>((resolve) => receiver.server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/events`;
  }

  /** The events of a type, in the order of their arrival. */
  of(type: string): ReceivedEvent[] {
    return this.received.filter(({ event }) => event.type === type);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
