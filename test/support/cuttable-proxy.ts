import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';

// Messages of PostgreSQL: ready for a query; shutting down.
const READY = Buffer.from('Z\0\0\0\x05I');
const FAREWELL = 'SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0';
const END = Buffer.concat([Buffer.from(['E'.charCodeAt(0), 0, 0, 0, FAREWELL.length + 4]), Buffer.from(FAREWELL)]);

/**
 * A TCP proxy to a server that tests can cut and restore. While it is cut, existing connections end and new ones fail.
 */
export class Detour {
  private readonly sockets = new Set<Socket>();
  private readonly near = new Set<Socket>();
  private isCut = false;
  private isSilent = false;
  private endsAtOnce = false;
  private lagMs = 0;
  /** The first data of each connection, and the text in it that marks connections to cut. */
  private readonly greetings = new Map<Socket, string>();
  private unwanted: string | undefined;
  private readonly server = createServer((near) => {
    if (this.isCut) return near.destroy();
    this.near.add(near.on('close', () => this.near.delete(near)));
    if (this.isSilent) return this.sockets.add(near.on('close', () => this.sockets.delete(near)));
    near.on('close', () => this.greetings.delete(near));
    near.once('data', (first) => {
      this.greetings.set(near, first.toString('latin1'));
      this.turnAway();
    });
    const far = connect(this.target.port, this.target.host);
    if (this.endsAtOnce) {
      far.on('data', (chunk) => {
        if (chunk.subarray(-READY.length).equals(READY)) near.end(Buffer.concat([chunk, END]));
        else near.write(chunk);
      });
    }
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.sockets.delete(from);
        to.destroy();
      });
      if (from === near || !this.endsAtOnce) from.pipe(this.lagging()).pipe(to);
    }
  });

  private constructor(private readonly target: { host: string; port: number }) {}

  /** Starts a proxy. The returned `url` has the host and port of the proxy. */
  static async to(url: string, standardPort: number): Promise<{ detour: Detour; url: string }> {
    const far = new URL(url);
    const detour = new Detour({ host: far.hostname, port: Number(far.port || standardPort) });
    detour.server.listen(0, '127.0.0.1');
    await once(detour.server, 'listening');
    far.host = `127.0.0.1:${(detour.server.address() as AddressInfo).port}`;
    return { detour, url: far.href };
  }

  /** The number of open client connections. */
  get connections(): number {
    return this.near.size;
  }

  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.destroy();
  }

  /** Cuts existing and new connections whose first data contains this text. */
  cutThose(words: string): void {
    this.unwanted = words;
    this.turnAway();
  }

  private turnAway(): void {
    const { unwanted } = this;
    if (unwanted === undefined) return;
    for (const [socket, greeting] of this.greetings) if (greeting.includes(unwanted)) socket.destroy();
  }

  /** Stops forwarding data, also on new connections, without closing any connection. */
  swallow(): void {
    this.isSilent = true;
    for (const socket of this.sockets) socket.unpipe().pause();
  }

  /** Delays all data by this time in both directions. */
  slow(ms: number): void {
    this.lagMs = ms;
  }

  private lagging(): Transform {
    return new Transform({
      transform: (chunk, _encoding, done) => {
        if (this.lagMs === 0) done(null, chunk);
        else setTimeout(done, this.lagMs, null, chunk);
      },
    });
  }

  /**
   * Closes existing connections. New ones receive a shutdown message of PostgreSQL together with the first ready
   * message.
   */
  endAtOnce(): void {
    this.cut();
    this.isCut = false;
    this.endsAtOnce = true;
  }

  mend(): void {
    this.endsAtOnce = false;
    this.isCut = false;
    this.isSilent = false;
    this.unwanted = undefined;
    this.lagMs = 0;
  }

  close(): void {
    this.cut();
    this.server.close();
  }
}
