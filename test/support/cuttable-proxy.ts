import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';

// Messages of PostgreSQL: ready for a query; shutting down.
const READY = Buffer.from('Z\0\0\0\x05I');
const SHUTDOWN_FIELDS = 'SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0';
const SHUTDOWN = Buffer.concat([
  Buffer.from(['E'.charCodeAt(0), 0, 0, 0, SHUTDOWN_FIELDS.length + 4]),
  Buffer.from(SHUTDOWN_FIELDS),
]);

/** Ends each of two sockets with the other one. Until then, both are in `open`. */
export function endTogether(client: Socket, server: Socket, open: Set<Socket>): void {
  for (const [from, to] of [
    [client, server],
    [server, client],
  ] as const) {
    open.add(from);
    from.on('error', () => to.destroy());
    from.on('close', () => {
      open.delete(from);
      to.destroy();
    });
  }
}

/**
 * A TCP proxy to a server that tests can cut and restore. While it is cut, existing connections end and new ones fail.
 */
export class CuttableProxy {
  private readonly sockets = new Set<Socket>();
  private readonly client = new Set<Socket>();
  private isCut = false;
  private isSilent = false;
  private sendsShutdown = false;
  private lagMs = 0;
  private dropsNotifications = false;
  private replacement: readonly [from: string, to: string] | undefined;
  /** The first data of each connection, and the text in it that marks connections to cut. */
  private readonly greetings = new Map<Socket, string>();
  private unwanted: string | undefined;
  private readonly server = createServer((client) => {
    if (this.isCut) return client.destroy();
    this.client.add(client.on('close', () => this.client.delete(client)));
    if (this.isSilent) return this.sockets.add(client.on('close', () => this.sockets.delete(client)));
    client.on('close', () => this.greetings.delete(client));
    client.once('data', (first) => {
      this.greetings.set(client, first.toString('latin1'));
      this.cutUnwanted();
    });
    const server = connect(this.target.port, this.target.host);
    if (this.sendsShutdown) {
      server.on('data', (chunk) => {
        if (chunk.subarray(-READY.length).equals(READY)) client.end(Buffer.concat([chunk, SHUTDOWN]));
        else client.write(chunk);
      });
    }
    endTogether(client, server, this.sockets);
    client.pipe(this.lagging()).pipe(server);
    if (!this.sendsShutdown) server.pipe(this.withoutNotifications()).pipe(this.lagging()).pipe(client);
  });

  private constructor(private target: { host: string; port: number }) {}

  /** Starts a proxy. The returned `url` has the host and port of the proxy. */
  static async to(url: string, standardPort: number): Promise<{ proxy: CuttableProxy; url: string }> {
    const server = new URL(url);
    const proxy = new CuttableProxy({ host: server.hostname, port: Number(server.port || standardPort) });
    proxy.server.listen(0, '127.0.0.1');
    await once(proxy.server, 'listening');
    server.host = `127.0.0.1:${(proxy.server.address() as AddressInfo).port}`;
    return { proxy, url: server.href };
  }

  /** The number of open client connections. */
  get connections(): number {
    return this.client.size;
  }

  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.destroy();
  }

  /** Closes existing connections, and sends new ones to another server. */
  redirect(url: string): void {
    const { hostname, port } = new URL(url);
    this.target = { host: hostname, port: Number(port) };
    for (const socket of this.sockets) socket.destroy();
  }

  /** Cuts existing and new connections whose first data contains this text. */
  cutMatching(words: string): void {
    this.unwanted = words;
    this.cutUnwanted();
  }

  private cutUnwanted(): void {
    const { unwanted } = this;
    if (unwanted === undefined) return;
    for (const [socket, greeting] of this.greetings) if (greeting.includes(unwanted)) socket.destroy();
  }

  /** Stops forwarding data, also on new connections, without closing any connection. */
  stopForwarding(): void {
    this.isSilent = true;
    for (const socket of this.sockets) socket.unpipe().pause();
  }

  /** Delays all data by this time in both directions. */
  delay(ms: number): void {
    this.lagMs = ms;
  }

  /** Drops notifications of PostgreSQL that arrive in packets of their own. */
  dropNotifications(isOn: boolean): void {
    this.dropsNotifications = isOn;
  }

  private withoutNotifications(): Transform {
    return new Transform({
      transform: (chunk, _encoding, done) => {
        const isNotification = chunk[0] === 'A'.charCodeAt(0);
        if (this.dropsNotifications && isNotification) done();
        else done(null, this.replaced(chunk));
      },
    });
  }

  /** Replaces a text in packets of the server by another one of the same length. */
  replace(from: string, to: string): void {
    if (from.length !== to.length) throw new Error('the texts have different lengths');
    this.replacement = [from, to];
  }

  private replaced(chunk: Buffer): Buffer {
    if (!this.replacement) return chunk;
    const [from, to] = this.replacement;
    return Buffer.from(chunk.toString('latin1').replaceAll(from, to), 'latin1');
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
  sendShutdown(): void {
    this.cut();
    this.isCut = false;
    this.sendsShutdown = true;
  }

  restore(): void {
    this.sendsShutdown = false;
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
