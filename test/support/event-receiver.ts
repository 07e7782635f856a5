import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Config } from '../../src/core/config/config.js';
import { superuser } from './admin.js';
import type { Gatehouse } from './gatehouse.js';
import { eventually } from './mail.js';

/** One delivery of an event. `body` is what the signature in `headers` covers, and `event` is its content. */
export interface ReceivedEvent {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly event: { readonly type: string; readonly timestamp: string; readonly data: Record<string, unknown> };
  readonly path: string | undefined;
}

/**
 * Another service that receives events, on a loopback IP address. The service under test needs
 * `OUTGOING_EVENTS_ALLOW_PRIVATE_ADDRESSES=true`.
 */
export class EventReceiver {
  /** All deliveries, in the order of their arrival. */
  readonly received: ReceivedEvent[] = [];
  /** The status of the next response, or a promise that delays it. */
  respond: (count: number) => number | Promise<number> = () => 204;
  private readonly server: Server;

  private constructor() {
    this.server = createServer((req, res) => {
      let body = '';
      req.setEncoding('utf8').on('data', (part) => {
        body += part;
      });
      req.on('end', async () => {
        const headers = Object.fromEntries(Object.entries(req.headersDistinct).map(([name, of]) => [name, String(of)]));
        this.received.push({ headers, body, event: JSON.parse(body), path: req.url });
        const status = await this.respond(this.received.length);
        res.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end();
      });
    });
  }

  /** Starts to listen. End it with `stop()`. It does not keep the process running. */
  static async start(): Promise<EventReceiver> {
    const receiver = new EventReceiver();
    await new Promise<void>((resolve) => receiver.server.listen(0, '127.0.0.1', resolve));
    receiver.server.unref();
    return receiver;
  }

  /** Its URL, for the endpoint. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/events`;
  }

  /** The events of a type, in the order of their arrival. */
  of(type: string): ReceivedEvent[] {
    return this.received.filter(({ event }) => event.type === type);
  }

  /**
   * Creates an endpoint for these types, as a new administrator.
   * @returns its ID and the secret that verifies the signatures
   * @throws Error if the service does not send events to loopback addresses
   */
  async subscribe(
    service: Gatehouse,
    types: readonly string[],
  ): Promise<{ readonly id: string; readonly secret: string }> {
    if (!service.app.get(Config).outgoingEvents.allowPrivateAddresses) {
      throw new Error("Pass env: { OUTGOING_EVENTS_ALLOW_PRIVATE_ADDRESSES: 'true' } to gatehouse()");
    }
    const endpoint = { url: this.url, event_types: types };
    return (
      await service
        .as(await superuser(service))
        .post('/v1/admin/event-endpoints', endpoint)
        .expect(200)
    ).body;
  }

  /**
   * Waits until at least `count` events of a type have arrived since the start of the receiver. Returns all events of
   * this type, in the order of their arrival.
   */
  arrival(type: string, count = 1): Promise<[ReceivedEvent, ...ReceivedEvent[]]> {
    return eventually(`${count} events ${type}`, async () => {
      const [first, ...others] = this.of(type);
      return first && others.length >= count - 1 ? [first, ...others] : undefined;
    });
  }

  /** Ends it, with all connections. */
  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
