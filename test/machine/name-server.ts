import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';

const NXDOMAIN = 3;

/**
 * A DNS server on the loopback interface. It sends no response until `speak` is called. Then it answers every query
 * with NXDOMAIN.
 */
export class NameServer {
  /** Queries that were received, as `type name`. Repeated queries count once. */
  readonly asked = new Set<string>();
  readonly answered = new Set<string>();
  private isSilent = true;
  private readonly held: (() => void)[] = [];
  private readonly socket = createSocket('udp4').on('message', (message, from) => this.hear(message, from));

  async open(): Promise<this> {
    this.socket.bind(0, '127.0.0.1');
    await once(this.socket, 'listening');
    return this;
  }

  get address(): string {
    return `127.0.0.1:${this.socket.address().port}`;
  }

  get inFlight(): number {
    return this.asked.size - this.answered.size;
  }

  speak(): void {
    this.isSilent = false;
    for (const response of this.held.splice(0)) response();
  }

  private hear(message: Buffer, from: RemoteInfo): void {
    const labels: string[] = [];
    let at = 12;
    for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
      labels.push(message.toString('latin1', at + 1, at + 1 + length));
      at += length + 1;
    }
    const question = `${message.readUInt16BE(at + 1)} ${labels.join('.').toLowerCase()}`;
    this.asked.add(question);
    const response = () => {
      this.answered.add(question);
      const reply = Buffer.from(message.subarray(0, at + 5));
      reply.writeUInt16BE(0x8180 | NXDOMAIN, 2);
      // The response contains only the question, so all record counts are 0.
      for (const counter of [6, 8, 10]) reply.writeUInt16BE(0, counter);
      this.socket.send(reply, from.port, from.address);
    };
    if (this.isSilent) this.held.push(response);
    else response();
  }

  close(): void {
    this.socket.close();
  }
}
