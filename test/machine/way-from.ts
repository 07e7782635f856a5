import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to a service that leaves from another address of this machine, as a context of a browser takes it. */
export interface Way {
  readonly proxy: { readonly server: string; readonly bypass: string };
  close(): void;
}

// RFC 1928: no authentication; succeeded, bound to nothing that anybody needs to know.
const WELCOME = Buffer.from([5, 0]);
const CONNECTED = Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]);

/** Opens it: whatever the browser asks for, it gets the service on this port. */
export async function wayFrom(localAddress: string, port: number): Promise<Way> {
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
    // What is on this machine would be asked for directly.
    proxy: { server: `socks5://127.0.0.1:${(server.address() as AddressInfo).port}`, bypass: '<-loopback>' },
    close() {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}
