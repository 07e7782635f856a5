import { once } from 'node:events';
import { Agent, createServer, get, type IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { replaceClosing, respondOn, splitReads, stopListening } from '../../src/core/machine/node-internals.js';

async function listen(listener?: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { server, port, connect: () => connect(port, '127.0.0.1') };
}

test('a server that stops listening keeps its idle connections', async () => {
  const { server, port } = await listen((_req, res) => void res.end('ok'));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = async () => {
    const [res] = (await once(get({ port, agent, host: '127.0.0.1' }), 'response')) as [IncomingMessage];
    return text(res);
  };
  expect(await ask()).toBe('ok');
  stopListening(server);
  expect(server.listening).toBe(false);
  expect(await ask()).toBe('ok');
  agent.destroy();
});

test('Node closes the socket of a last response by the replaced function', async () => {
  const closed: string[] = [];
  const { server, connect } = await listen((req, res) => {
    replaceClosing(req.socket, () => {
      closed.push('replaced');
      req.socket.end();
    });
    res.setHeader('Connection', 'close');
    res.end('ok');
  });
  const socket = connect().end('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  expect(await text(socket)).toContain('ok');
  expect(closed).toEqual(['replaced']);
  server.close();
});

test('a response is sent on the socket of an upgrade request', async () => {
  const { server, connect } = await listen();
  server.on('upgrade', (req: IncomingMessage, socket: Socket) => {
    const res = new ServerResponse(req);
    res.setHeader('Connection', 'close');
    respondOn(res, socket);
    res.once('finish', () => socket.end());
    res.writeHead(400).end('no');
  });
  const socket = connect();
  socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 [\s\S]*no/);
  server.close();
});

test('the data of a socket arrives in the chunks of the split, and its end remains', async () => {
  const { server, connect } = await listen();
  const chunks: string[] = [];
  server.on('upgrade', (_req: IncomingMessage, socket: Socket) => {
    splitReads(socket, (chunk) => [...chunk].map((byte) => Buffer.from([byte])));
    socket.on('data', (chunk) => chunks.push(String(chunk)));
    socket.once('end', () => socket.end('done'));
    socket.write('ready');
  });
  const socket = connect();
  socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  await once(socket, 'data');
  socket.end('abc');
  expect(await text(socket)).toBe('done');
  expect(chunks).toEqual(['a', 'b', 'c']);
  server.close();
});
