import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Network } from '../../src/platform/outbound/network.js';

/** A public IP address that leads to the origin of a test. */
const PUBLIC = '93.184.216.34';

type Responder = (req: IncomingMessage, res: ServerResponse) => void;

/**
 * An external server on the loopback interface, and a network in which all names lead to it, such as `hooks.example`.
 * Exceptions: names below `inner.example` have a private address, which the service rejects, and names below
 * `nowhere.example` do not exist.
 */
export class OriginServer extends Network {
  readonly requests: IncomingMessage[] = [];
  /** Names that were looked up. */
  readonly resolvedNames: string[] = [];
  connections = 0;
  respond: Responder = (_req, res) => void res.end('fine');
  private readonly server: Server;
  private port = 0;

  constructor() {
    super();
    this.server = createServer((req, res) => {
      this.requests.push(req);
      this.respond(req, res);
    }).on('connection', () => this.connections++);
  }

  async open(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    this.port = (this.server.address() as AddressInfo).port;
    return this;
  }

  /** Sends these bytes and headers in response to every request. */
  serve(bytes: Uint8Array | string, headers: Record<string, string> = {}): void {
    this.respond = (_req, res) => void res.writeHead(200, headers).end(bytes);
  }

  override async resolve(name: string): Promise<readonly string[]> {
    this.resolvedNames.push(name);
    if (name.endsWith('.inner.example')) return ['127.0.0.1'];
    if (name.endsWith('.half.example')) return [PUBLIC, '10.0.0.1'];
    return name.endsWith('.nowhere.example') ? [] : [PUBLIC];
  }

  override endpointFor(address: string, port: number) {
    return address === PUBLIC ? { address: '127.0.0.1', port: this.port } : { address, port };
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
