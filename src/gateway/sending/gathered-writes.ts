import type { Duplex } from 'node:stream';

/** Maximum corked bytes per socket, because unsent data counts against the limits of the client. */
const MAX_HELD_BYTES = 16 * 1024;

const held: Duplex[] = [];

function letGo(): void {
  for (const socket of held.splice(0)) socket.uncork();
}

/** Combines all writes to a socket in this turn of the event loop into one write, to save system calls. */
export function gather(socket: Duplex): void {
  if (socket.writableLength > MAX_HELD_BYTES) socket.uncork();
  else if (socket.writableCorked === 0) {
    if (held.push(socket) === 1) process.nextTick(letGo);
    socket.cork();
  }
}
