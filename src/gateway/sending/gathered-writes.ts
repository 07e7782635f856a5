import type { Duplex } from 'node:stream';

/** More than this is not held back: what a socket has not sent yet is counted against its client. */
const MAX_HELD_BYTES = 16 * 1024;

const held: Duplex[] = [];

function letGo(): void {
  for (const socket of held.splice(0)) socket.uncork();
}

/** Lets what is written to a socket in this turn of the event loop go out as one write: each is a call of the system. */
export function gather(socket: Duplex): void {
  if (socket.writableLength > MAX_HELD_BYTES) socket.uncork();
  else if (socket.writableCorked === 0) {
    if (held.push(socket) === 1) process.nextTick(letGo);
    socket.cork();
  }
}
