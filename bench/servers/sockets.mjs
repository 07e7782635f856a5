/** Baseline for the gateway: raw `ws` and the same one-row lookup by digest, with nothing else. */
import { createHash } from 'node:crypto';
import pg from 'pg';
import { WebSocketServer } from 'ws';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 2 });
const text =
  'SELECT s.id, a.* FROM session s JOIN account a ON a.id = s.account_id WHERE s.digest = $1 AND s.revoked_at IS NULL';
const server = new WebSocketServer({ port: Number(process.env.PORT), host: '127.0.0.1', perMessageDeflate: false });
server.on('connection', (socket) => {
  socket.send('{"op":10,"d":{"heartbeat_interval":41250}}');
  socket.on('message', async (data) => {
    const { d } = JSON.parse(data.toString());
    const digest = createHash('sha256').update(d.token).digest();
    const { rows } = await pool.query({ name: 'identify', text, values: [digest] });
    if (rows[0]) socket.send(JSON.stringify({ op: 0, s: 1, t: 'READY', d: { user: rows[0] } }));
    else socket.close(4004);
  });
});
server.on('listening', () => process.send?.('ready'));
