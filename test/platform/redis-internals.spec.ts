import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { connectRedis, type RedisConnection } from '../../src/platform/store/redis-client.js';
import { onCommand } from '../../src/platform/store/redis-internals.js';

const TIMEOUT_MS = 300;
const INFO = 'redis_version:7.0.0\r\nloading:0\r\n';

let server: Server;
const sockets = new Set<Socket>();
const clients: RedisConnection[] = [];

/** Connects to a server that responds only to the commands that begin a connection. `received` contains everything that it was sent. */
async function connectToSilentServer() {
  const received: string[] = [];
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', (data) => {
      const text = data.toString().toLowerCase();
      received.push(text);
      for (const [command] of text.matchAll(/(?<=\r\n)(?:client|info)(?=\r\n)/g)) {
        socket.write(command === 'info' ? `$${INFO.length}\r\n${INFO}\r\n` : '+OK\r\n');
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = await connectRedis(`redis://127.0.0.1:${(server.address() as AddressInfo).port}`, TIMEOUT_MS);
  clients.push(client);
  await once(client, 'ready');
  return { client, received };
}

afterEach(() => {
  for (const client of clients.splice(0)) client.disconnect();
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  server.close();
});

const COMMANDS: Readonly<Record<string, (client: RedisConnection) => Promise<unknown>>> = {
  'a command': (client) => client.get('key'),
  'a publication': (client) => client.publish('channel', 'message'),
  'a subscription': (client) => client.subscribe('channel'),
  'a script': (client) => {
    client.defineCommand('gatehouseTest', { numberOfKeys: 0, lua: 'return 1' });
    return (Reflect.get(client, 'gatehouseTest') as () => Promise<unknown>).call(client);
  },
};

test.each(Object.keys(COMMANDS))('%s fails if the server does not respond in time', async (name) => {
  const { client, received } = await connectToSilentServer();
  await expect(COMMANDS[name]?.(client)).rejects.toThrow('No response in time');
  expect(received.join('')).toMatch(/\r\n(?:get|publish|subscribe|eval)\r\n/);
});

test('a subscription that the client repeats on a new connection is also watched', async () => {
  const { client } = await connectToSilentServer();
  const names: string[] = [];
  onCommand(client, ({ name }) => void names.push(name));
  const subscribed = client.subscribe('channel');
  const [socket] = sockets;
  socket?.write('*3\r\n$9\r\nsubscribe\r\n$7\r\nchannel\r\n:1\r\n');
  await subscribed;
  socket?.end();
  await once(client, 'ready');
  expect(names.filter((name) => name === 'subscribe')).toHaveLength(2);
});
