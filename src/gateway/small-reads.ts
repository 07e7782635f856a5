import type { Duplex } from 'node:stream';
import { splitReads } from '../core/machine/node-internals.js';

const PIECE_BYTES = 1024;

/**
 * Copies with their own memory, because a pool or shared buffer stays in memory while any slice of it is referenced.
 */
function* piecesOf(chunk: Buffer): Iterable<Buffer> {
  for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
    const part = chunk.subarray(at, at + PIECE_BYTES);
    const piece = Buffer.allocUnsafeSlow(part.length);
    part.copy(piece);
    yield piece;
  }
}

/**
 * Splits incoming socket data into small buffers. Node reads up to 64 KiB at once, and the WebSocket library keeps
 * parts of unfinished messages as views.
 * In a flood of pings, each byte could otherwise keep a whole buffer in memory.
 */
export function readInPieces(socket: Duplex, head: Buffer): void {
  splitReads(socket, (chunk) => (chunk.length <= PIECE_BYTES ? [chunk] : piecesOf(chunk)));
  for (const piece of [...piecesOf(head)].reverse()) socket.unshift(piece);
}
