import { request } from 'node:http';
import { WebSocket } from 'ws';

const microsecondsSince = (begun) => Number(process.hrtime.bigint() - begun) / 1000;

/** Microseconds that the service rests before each request that is timed: one that follows sooner finds it warmer. */
const REST = 200;

function rest() {
  const begun = process.hrtime.bigint();
  while (microsecondsSince(begun) < REST);
}

/** Sends a request; answers its status and the microseconds from its first byte to the last of the answer. */
const send = (url, { method, path, headers, text }, agent) =>
  new Promise((resolve, reject) => {
    const length = text === undefined ? {} : { 'content-length': Buffer.byteLength(text) };
    const begun = process.hrtime.bigint();
    const sent = request(url + path, { method, agent, headers: { ...headers, ...length } }, (response) => {
      response.resume();
      response.on('end', () => resolve([response.statusCode, microsecondsSince(begun)]));
    });
    sent.on('error', reject);
    sent.end(text);
  });

/** Identifies on a new socket of the gateway; answers the code that closes it and the microseconds from Identify to its end. */
const identify = (url, { path, headers }, token) =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url.replace('http', 'ws') + path, { headers, perMessageDeflate: false });
    let begun;
    socket.on('message', (data) => {
      if (JSON.parse(data.toString()).op !== 10) return;
      begun = process.hrtime.bigint();
      socket.send(JSON.stringify({ op: 2, d: { token } }));
    });
    socket.on('close', (code) => resolve([code, microsecondsSince(begun)]));
    socket.on('error', reject);
  });

/**
 * What a pair asks: a request, or with `identify` a token that is shown to the gateway.
 * @param stage where the service is, and whose address asks
 * @returns the status, or the code that closed the socket, and the microseconds that it took
 */
export const ask = (stage, asked, agent) => {
  const framed = stage.framed(asked);
  rest();
  return asked.identify === undefined ? send(stage.url, framed, agent) : identify(stage.url, framed, asked.identify);
};
