/** Baseline for the fan-out of the gateway: plain `ws`, which encodes and sends each posted event to all sockets. */
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { WebSocketServer } from 'ws';

const server = createServer(async (request, response) => {
  const d = await json(request);
  for (const socket of sockets.clients) socket.send(JSON.stringify({ op: 0, t: 'WEBHOOK_MESSAGE_CREATE', d }));
  response.end('{}');
});
const sockets = new WebSocketServer({ server, perMessageDeflate: false });
sockets.on('connection', (socket) => socket.send('{"op":0,"t":"READY"}'));
server.listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.('ready'));
