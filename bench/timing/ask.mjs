import { request } from 'node:http';
import { WebSocket } from 'ws';

const microsecondsSince = (begun) => Number(process.hrtime.bigint() - begun) / 1000;

/**
 * Idle time of the service before each timed request, in microseconds. Without it, requests in quick succession would
 * find warmer caches.
 */
const REST = 200;

function rest() {
  const begun = process.hrtime.bigint();
  while (microsecondsSince(begun) < REST);
}

/** Sends a request. Returns its status and the microseconds from its first byte to the last one of the response. */
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

/** Identifies on a new gateway socket. Returns the close code and the microseconds from Identify until it is closed. */
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
 * Sends a request of a pair, or with `identify` a token to the gateway.
 * @param stage the service, and the IP address that sends the request
 * @returns the status or the close code of the socket, and the microseconds that it took
 */
export const ask = (stage, asked, agent) => {
  const framed = stage.framed(asked);
  rest();
  return asked.identify === undefined ? send(stage.url, framed, agent) : identify(stage.url, framed, asked.identify);
};
