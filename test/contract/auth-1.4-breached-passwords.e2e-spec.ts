import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expectInvalid, type Gatehouse, gatehouse, inboxOf, mailTo, person } from '../support/index.js';

const fresh = (): string => `breach.${randomBytes(6).toString('hex')}@example.com`;

describe('auth 1.4 the breach interface', () => {
  const BREACHED = 'a breached passphrase';
  let service: Gatehouse;
  let server: Server;
  let requested: string[] = [];
  let respond: 'lines' | 'error' | 'garbage' = 'lines';

  beforeAll(async () => {
    const sha1 = createHash('sha1').update(BREACHED).digest('hex').toUpperCase();
    server = createServer((req, res) => {
      requested.push(req.url ?? '');
      if (respond === 'error') res.writeHead(500).end();
      else if (respond === 'garbage') res.end('\u0000<html>');
      else res.end(`${'0'.repeat(35)}:0\r\n${sha1.slice(5)}:42\r\n`);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    service = await gatehouse({ env: { PASSWORD_BREACH_URL: `http://127.0.0.1:${port}/range` } });
  });
  afterAll(async () => {
    await service.close();
    await new Promise((resolve) => server.close(resolve));
  });
  beforeEach(() => {
    requested = [];
    respond = 'lines';
  });

  const registerWith = (candidate: string) =>
    service.anonymous.post('/v1/auth/register', { email: fresh(), password: candidate });

  test('a breached password is PASSWORD_IS_TOO_COMMON; only five digits of its digest are sent', async () => {
    expectInvalid(await registerWith(BREACHED), 'password: PASSWORD_IS_TOO_COMMON');
    expect(requested).toEqual([expect.stringMatching(/^\/range\/[0-9A-F]{5}$/)]);
    expect((await registerWith('another passphrase')).status).toBe(200);
  });

  test('it fails open', async () => {
    for (const response of ['error', 'garbage'] as const) {
      respond = response;
      expect((await registerWith(BREACHED)).status).toBe(200);
    }
  });

  test('it is queried before a token is consumed', async () => {
    const alice = await person(service, 'alice');
    await service.anonymous.post('/v1/auth/forgot', { email: alice.email });
    const { metadata } = await mailTo(service, alice.email, 'password_reset');
    const reset = (candidate: string) =>
      service.anonymous.post('/v1/auth/reset', { token: metadata.token, password: candidate });
    expectInvalid(await reset(BREACHED), 'password: PASSWORD_IS_TOO_COMMON');
    expect((await reset('a fine passphrase')).status).toBe(200);
    expect(await inboxOf(service, alice.email, 'password_reset')).toHaveLength(1);
  });
});
