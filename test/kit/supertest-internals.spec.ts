import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Exchange } from '../support/exchange.js';

let server: Server;
let url: string;
beforeAll(async () => {
  server = createServer((_, res) => void res.setHeader('content-type', 'application/json').end('{"a":1}'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

/** Sends a request and waits until its response has arrived. */
function exchangeWithResponse(): Promise<{ readonly exchange: Exchange }> {
  return new Promise((resolve) => {
    const question = { url, method: 'GET', path: '/', headers: {}, body: undefined, localAddress: undefined };
    const exchange = new Exchange(question, () => setImmediate(() => resolve({ exchange })));
  });
}

// `assert` of supertest is not documented. The kit replaces it, so that it can add expectations after the response.
test('expectations that are added after the response are checked when the exchange is awaited', async () => {
  const { exchange } = await exchangeWithResponse();
  expect(await exchange.expect(200).expect({ a: 1 })).toMatchObject({ status: 200, body: { a: 1 } });
  await expect(exchange.expect(201)).rejects.toThrow('expected 201 "Created", got 200 "OK"');
});

test('a failed expectation of the body is reported', async () => {
  const { exchange } = await exchangeWithResponse();
  await expect(exchange.expect({ a: 2 })).rejects.toThrow('expected { a: 2 } response body, got { a: 1 }');
});
