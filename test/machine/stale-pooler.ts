import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { endTogether } from '../support/cuttable-proxy.js';

const READY = Buffer.from('Z\0\0\0\x05I');
const DISCARDED = Buffer.concat([Buffer.from('C\0\0\0\x10DISCARD ALL\0'), READY]);

/** A pooler that gives a connection the result of `DISCARD ALL` before those of its own statements. */
export class StalePooler {
  /** Connections that got a wrong result. */
  stale = 0;
  /** While true, statements on new connections get no response. */
  private isSilent = false;
  private connections = 0;
  private readonly sockets = new Set<Socket>();
  private readonly server = createServer((client) => this.accept(client));

  private constructor(
    private readonly target: URL,
    /** Which connections get it, by their number from 1. */
    private readonly isStale: (connection: number) => boolean,
  ) {}

  static async to(
    url: string,
    isStale: (connection: number) => boolean,
  ): Promise<{ pooler: StalePooler; url: string }> {
    const target = new URL(url);
    const pooler = new StalePooler(target, isStale);
    await once(pooler.server.listen(0, '127.0.0.1'), 'listening');
    const through = new URL(url);
    through.host = `127.0.0.1:${(pooler.server.address() as AddressInfo).port}`;
    return { pooler, url: through.href };
  }

  /** Ends all connections. New ones are accepted, and their statements get no response. */
  silence(): void {
    this.isSilent = true;
    for (const socket of this.sockets) socket.destroy();
  }

  /** Ends the silence of new connections. Those that are silent stay so. */
  answerNewConnections(): void {
    this.isSilent = false;
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private accept(client: Socket): void {
    const server = connect(Number(this.target.port || 5432), this.target.hostname);
    let isPending = this.isStale(++this.connections);
    const { isSilent } = this;
    let isOpen = false;
    server.on('data', (data) => {
      isOpen ||= data.subarray(-READY.length).equals(READY);
      client.write(data);
    });
    client.on('data', (data) => {
      if (isOpen && isSilent) return;
      if (isOpen && isPending && data[0] === 'Q'.charCodeAt(0)) {
        this.stale++;
        isPending = false;
        client.write(DISCARDED);
      }
      server.write(data);
    });
    endTogether(client, server, this.sockets);
  }
}
