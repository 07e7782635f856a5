import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeJwt } from 'jose';

/** A logout token that an application received. */
export interface ReceivedLogout {
  readonly token: string;
  readonly sid: string;
  readonly jti: string;
  readonly contentType: string | undefined;
  /** `performance.now()` at the arrival. */
  readonly at: number;
}

/** The back-channel logout endpoint of an application, on a loopback IP address. */
export class LogoutReceiver {
  readonly received: ReceivedLogout[] = [];
  connections = 0;
  /** Largest number of requests at the same time. */
  mostAtOnce = 0;
  /** The status of the next response. */
  respond: (count: number) => number = () => 200;
  delayMs = 0;
  /** Sends an endless body. */
  isEndless = false;
  /** Number of requests without a response. */
  open = 0;
  private readonly server: Server;

  private constructor(readonly address: string) {
    this.server = createServer((req, res) => {
      let body = '';
      this.open++;
      this.mostAtOnce = Math.max(this.mostAtOnce, this.open);
      req.setEncoding('utf8').on('data', (part) => {
        body += part;
      });
      req.on('end', () => {
        const token = new URLSearchParams(body).get('logout_token') ?? '';
        const { sid, jti } = decodeJwt<{ sid: string; jti: string }>(token);
        this.received.push({ token, sid, jti, contentType: req.headers['content-type'], at: performance.now() });
        const status = this.respond(this.received.length);
        setTimeout(() => {
          this.open--;
          res.writeHead(status, status === 302 ? { location: this.url } : {});
          if (!this.isEndless) return void res.end('x'.repeat(1000));
          const write = () => {
            if (!res.destroyed) res.write('x'.repeat(65_536), () => setImmediate(write));
          };
          write();
        }, this.delayMs);
      });
    }).on('connection', () => this.connections++);
  }

  static async start(address = '127.0.0.1'): Promise<LogoutReceiver> {
    const receiver = new LogoutReceiver(address);
    await new Promise<void>((resolve) => receiver.server.listen(0, address, resolve));
    return receiver;
  }

  get url(): string {
    return `http://${this.address}:${(this.server.address() as AddressInfo).port}/logout`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
