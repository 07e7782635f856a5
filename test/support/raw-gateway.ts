import { randomBytes } from 'node:crypto';
import type { Payload } from './gateway-client.js';
import { RawConnection } from './raw-connection.js';

export const HANDSHAKE = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': randomBytes(16).toString('base64'),
};

export const upgradeBytes = (path = '/gateway'): string =>
  [`GET ${path} HTTP/1.1`, 'Host: x', ...Object.entries(HANDSHAKE).map((pair) => pair.join(': ')), '', ''].join('\r\n');

/** A client frame with its first byte and payload. By default, it is masked with zeros. */
export function frame(first: number, payload: Buffer | string = '', mask = 0x80): Buffer {
  const data = Buffer.from(payload);
  const length = data.length < 126 ? [data.length | mask] : [126 | mask, data.length >> 8, data.length & 255];
  return Buffer.concat([Buffer.from([first, ...length]), Buffer.alloc(mask ? 4 : 0), data]);
}

/** The close code and reason of the last frame that the service sent. */
export function parseLastClose(response: string): [code: number, reason: string] {
  const bytes = Buffer.from(response, 'latin1');
  const at = bytes.lastIndexOf(0x88);
  const payload = bytes.subarray(at + 2, at + 2 + (bytes[at + 1] ?? 0));
  return [payload.readUInt16BE(0), payload.subarray(2).toString()];
}

/** Opens a bare connection, upgrades it and waits for Hello. */
export async function openRawGateway(service: { port: number }): Promise<RawConnection> {
  const connection = await RawConnection.open(service);
  connection.send(upgradeBytes());
  await connection.readResponse();
  await connection.until('"op":10');
  return connection;
}

/** Starts a session on a bare connection. Returns the data of READY. */
export async function identifyOn(connection: RawConnection, token: string): Promise<NonNullable<Payload['d']>> {
  connection.send(frame(0x81, JSON.stringify({ op: 2, d: { token } })));
  const text = await connection.until('"t":"READY"}');
  return JSON.parse(text.slice(text.indexOf('{"op":0'), text.indexOf('"t":"READY"}') + '"t":"READY"}'.length)).d;
}
