import type { Duplex } from 'node:stream';

/** Maximum corked bytes per socket, because unsent data counts against the limits of the client. */
const MAX_CORKED_BYTES = 16 * 1024;

const corkedSockets: Duplex[] = [];

function uncorkAll(): void {
  for (const socket of corkedSockets.splice(0)) socket.uncork();
}

/** Combines all writes to a socket in this turn of the event loop into one write, to save system calls. */
export function corkForTick(socket: Duplex): void {
  if (socket.writableLength > MAX_CORKED_BYTES) socket.uncork();
  else if (socket.writableCorked === 0) {
    if (corkedSockets.push(socket) === 1) process.nextTick(uncorkAll);
    socket.cork();
  }
}
