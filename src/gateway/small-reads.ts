import type { Duplex } from 'node:stream';

const PIECE_BYTES = 1024;

/** Copies, each with memory of its own: a pool or a shared buffer lives as long as any part of it. */
function* piecesOf(chunk: Buffer): Iterable<Buffer> {
  for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
    const part = chunk.subarray(at, at + PIECE_BYTES);
    const piece = Buffer.allocUnsafeSlow(part.length);
    part.copy(piece);
    yield piece;
  }
}

/**
 * Lets what a socket reads arrive in small pieces. Node reads up to 64 KiB at once, and the WebSocket library keeps what
 * it has of an unfinished message as views on that: behind a flood of pings each byte would hold the whole.
 */
export function readInPieces(socket: Duplex, head: Buffer): void {
  const push = socket.push.bind(socket);
  socket.push = (chunk: Buffer | null) => {
    if (chunk === null || chunk.length <= PIECE_BYTES) return push(chunk);
    let isWanted = true;
    for (const piece of piecesOf(chunk)) isWanted = push(piece);
    return isWanted;
  };
  for (const piece of [...piecesOf(head)].reverse()) socket.unshift(piece);
}
