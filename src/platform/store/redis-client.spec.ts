import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { connectRedis } from './redis-client.js';

const COMMAND_TIMEOUT_MS = 100;

/** A minimal Redis server that lets a client become ready. It confirms a subscription only on its first connection. */
function createFakeServer() {
  const sockets: Socket[] = [];
  const requested: string[] = [];
  const listening = createServer((socket) => {
    const place = sockets.push(socket);
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      for (const [, name = ''] of bytes.toString().matchAll(/\*\d+\r\n\$\d+\r\n(\w+)/g)) {
        requested.push(`${place} ${name}`);
        if (name === 'info') socket.write('$9\r\nloading:0\r\n');
        else if (name !== 'subscribe') socket.write('+OK\r\n');
        else if (place === 1) socket.write('*3\r\n$9\r\nsubscribe\r\n$5\r\nhints\r\n:1\r\n');
      }
    });
  });
  return { listening, sockets, asked: requested };
}

describe('a connection to Redis', () => {
  test('that cannot restore a subscription after a loss ends only itself', async () => {
    const { listening, sockets, asked: requested } = createFakeServer();
    await once(listening.listen(0, '127.0.0.1'), 'listening');
    const uncaught: unknown[] = [];
    const hear = (reason: unknown) => uncaught.push(reason);
    process.on('unhandledRejection', hear);
    const { port } = listening.address() as AddressInfo;
    const client = await connectRedis(`redis://127.0.0.1:${port}`, COMMAND_TIMEOUT_MS);
    try {
      await once(client, 'ready');
      expect(await client.subscribe('hints')).toBe(1);
      sockets[0]?.destroy();
      while (!requested.includes('2 subscribe')) await delay(5);
      await delay(3 * COMMAND_TIMEOUT_MS);
      expect(uncaught).toEqual([]);
    } finally {
      process.off('unhandledRejection', hear);
      client.disconnect();
      for (const socket of sockets) socket.destroy();
      listening.close();
    }
  });
});
