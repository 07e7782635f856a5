import { randomBytes } from 'node:crypto';
import type { Payload } from './gateway-client.js';
import { Wire } from './raw-connection.js';

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
export function lastClose(answer: string): [code: number, reason: string] {
  const bytes = Buffer.from(answer, 'latin1');
  const at = bytes.lastIndexOf(0x88);
  const payload = bytes.subarray(at + 2, at + 2 + (bytes[at + 1] ?? 0));
  return [payload.readUInt16BE(0), payload.subarray(2).toString()];
}

/** Opens a bare connection, upgrades it and waits for Hello. */
export async function upgraded(service: { port: number }): Promise<Wire> {
  const wire = await Wire.open(service);
  wire.send(upgradeBytes());
  await wire.answer();
  await wire.until('"op":10');
  return wire;
}

/** Starts a session on a bare connection. Returns the data of READY. */
export async function identifyOn(wire: Wire, token: string): Promise<NonNullable<Payload['d']>> {
  wire.send(frame(0x81, JSON.stringify({ op: 2, d: { token } })));
  const text = await wire.until('"t":"READY"}');
  return JSON.parse(text.slice(text.indexOf('{"op":0'), text.indexOf('"t":"READY"}') + '"t":"READY"}'.length)).d;
}
