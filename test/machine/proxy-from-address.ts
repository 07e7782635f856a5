import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy through which a browser context reaches a service from another IP address of this machine. */
export interface AddressProxy {
  readonly proxy: { readonly server: string; readonly bypass: string };
  close(): void;
}

// RFC 1928: no authentication required; request granted, with an unspecified bound address.
const WELCOME = Buffer.from([5, 0]);
const CONNECTED = Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]);

/** Starts the proxy. Every connection leads to the service on this port, whatever host the browser requests. */
export async function openAddressProxy(localAddress: string, port: number): Promise<AddressProxy> {
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect({ host: '127.0.0.1', port, localAddress });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        open.delete(from);
        to.destroy();
      });
    }
    near.once('data', () => {
      near.write(WELCOME);
      near.once('data', () => {
        near.write(CONNECTED);
        near.pipe(far).pipe(near);
      });
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    // Without this entry, the browser connects to loopback addresses directly.
    proxy: { server: `socks5://127.0.0.1:${(server.address() as AddressInfo).port}`, bypass: '<-loopback>' },
    close() {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}
