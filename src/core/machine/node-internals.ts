/**
 * All that Gatehouse uses of Node outside its documented interfaces. `test/core/node-internals.spec.ts` fails on the
 * upgrade that changes it.
 */
import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Stops listening. The `close` of an HTTP server would also end connections that may be in use. */
export const stopListening = (server: Server): void => void NetServer.prototype.close.call(server);

/** Sends a response on the socket of an upgrade request, which Node has detached from its HTTP server. */
export const respondOn = (res: ServerResponse, socket: Socket): void => res.assignSocket(socket);

/** Replaces how Node closes the socket of a request after a response with `Connection: close`. */
export function replaceClosing(socket: Socket, close: () => void): void {
  socket.destroySoon = close;
}

/** Passes incoming data to the readers of a stream in other chunks. `split` does not get the end of the stream. */
export function splitReads(stream: Duplex, split: (chunk: Buffer) => Iterable<Buffer>): void {
  const push = stream.push.bind(stream);
  stream.push = (chunk: Buffer | null) => {
    if (chunk === null) return push(null);
    let isWanted = true;
    for (const piece of split(chunk)) isWanted = push(piece);
    return isWanted;
  };
}
