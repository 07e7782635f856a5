import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { httpAdapter } from '../../src/http/adapter.js';
import { Call, type TransferTracker } from '../../src/policy/call.js';
import { sendRaw } from '../support/index.js';

const SECRET = 'a-secret-of-a-path';

/** Fastify never responds by itself, even if the front door admits a bad request. Its own responses repeat the path. */
describe('conventions.md 1: no error texts of the platform are sent', () => {
  test.each([
    ['a path that cannot be decoded', `/v1/${SECRET}/%zz`],
    ['bytes that are no UTF-8', `/v1/${SECRET}/%ff`],
    ['a parameter beyond all bounds', `/v1/${SECRET.padEnd(20_000, 'x')}`],
  ])('%s', async (_title, target) => {
    const refused: unknown[] = [];
    const adapter = await httpAdapter(
      'fastify',
      {
        admit(req, res, next) {
          req.url = target;
          req.call = new Call(req, res, {} as TransferTracker);
          next(req, res);
        },
        sendErrorResponse({ res }, thrown) {
          refused.push(thrown);
          res.writeHead(400).end('ours');
        },
      },
      { 'GET /v1/:name': 'for this test' },
    );
    const instance: FastifyInstance = adapter.getInstance();
    instance.get('/v1/:name', async () => 'reached');
    await instance.listen({ port: 0, host: '127.0.0.1' });
    try {
      const { port } = instance.server.address() as AddressInfo;
      const { text, status } = await sendRaw({ port }, ['GET / HTTP/1.1']);
      expect([status, text]).toEqual([400, 'ours']);
      expect(refused).toEqual([expect.objectContaining({ code: 'BAD_REQUEST' })]);
      expect(JSON.stringify(refused)).not.toContain(SECRET);
    } finally {
      await instance.close();
    }
  });
});
