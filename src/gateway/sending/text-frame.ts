import type { Duplex } from 'node:stream';
import { corkForTick } from './cork-for-tick.js';

const FINAL_TEXT = 0x81;
/** A frame length takes one byte, or two or eight bytes after one of these markers (RFC 6455 section 5.2). */
const TWO_BYTES = 126;
const EIGHT_BYTES = 127;
const MAX_TWO_BYTES = 0xffff;

function frameHeader(length: number): Buffer {
  if (length < TWO_BYTES) return Buffer.from([FINAL_TEXT, length]);
  const header = Buffer.alloc(length > MAX_TWO_BYTES ? 10 : 4);
  header[0] = FINAL_TEXT;
  header[1] = length > MAX_TWO_BYTES ? EIGHT_BYTES : TWO_BYTES;
  if (length > MAX_TWO_BYTES) header.writeBigUInt64BE(BigInt(length), 2);
  else header.writeUInt16BE(length, 2);
  return header;
}

/**
 * Writes a text frame from two buffers. All sockets share the memory of the first one.
 * The WebSocket library supports sharing only for whole messages.
 */
export function writeText(socket: Duplex, shared: Buffer, own: Buffer, done: () => void): void {
  corkForTick(socket);
  socket.cork();
  socket.write(frameHeader(shared.length + own.length));
  socket.write(shared);
  socket.write(own, done);
  socket.uncork();
}
