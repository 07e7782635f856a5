/** Baseline: Node's own HTTP server and a small JSON response. */
import { createServer } from 'node:http';

const body = JSON.stringify({ id: '1573653208159485952', username: 'alice', discriminator: '1393' });

createServer((_req, res) => {
  res.setHeader('Content-Type', 'application/json');
  res.end(body);
}).listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.('ready'));
