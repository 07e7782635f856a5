import { createHook } from 'node:async_hooks';
import { lookup } from 'node:dns/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadConfig } from '../../src/features.js';
import { MailDomains } from '../../src/platform/mail/mail-domains.js';
import { Network, OutboundFault } from '../../src/platform/outbound/network.js';
import { Outbound } from '../../src/platform/outbound/outbound.js';
import { NameServer } from '../machine/name-server.js';
import { until } from '../machine/service-process.js';
import { expectApiError, type Gatehouse, gatehouse, MovableClock, pathOf, person, sendRaw } from '../support/index.js';

const HOUR = 3_600_000;
const SECRET = Buffer.alloc(32, 7).toString('base64');

/** How often this process called `getaddrinfo`. */
let asks = 0;
const hook = createHook({
  init: (_id, type) => {
    if (type === 'GETADDRINFOREQWRAP') asks++;
  },
});
beforeAll(() => hook.enable());
afterAll(() => hook.disable());

let names: NameServer;
beforeEach(async () => {
  names = await new NameServer().open();
  asks = 0;
});
afterEach(() => names.close());

const reasonOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'answered',
    (error) => (error instanceof OutboundFault ? error.reason : String(error)),
  );

describe('names that users choose', () => {
  let service: Gatehouse;
  afterEach(() => service.close());

  test('40 slow lookups delay neither logins, nor the database, nor names of the operator', async () => {
    const network = new Network({ servers: [names.address], deadlineMs: HOUR, waitMs: HOUR });
    service = await gatehouse({ network });
    const alice = await person(service, 'alice');
    const paths: string[] = [];
    for (let n = 0; n < 40; n++) {
      const { body } = await service.as(alice).post('/v1/media/external', { url: `http://slow${n}.example.com/a.png` });
      paths.push(pathOf(body.proxy_url));
    }
    let settled = 0;
    let most = 0;
    // Uses two IP addresses, each below the limit of concurrent fetches per IP address.
    const responses = paths.map((path, n) =>
      sendRaw(service, [`GET ${path} HTTP/1.1`], { from: `127.1.0.${1 + (n % 2)}` }).finally(() => settled++),
    );
    await until(() => names.inFlight === 16);
    const login = { email: alice.email, password: alice.password };
    expect((await service.anonymous.post('/v1/auth/login', login)).status).toBe(200);
    if (process.env.TEST_DATABASE_URL) {
      // Closes all connections, so that the service must open new ones.
      await service
        .sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()`)
        .catch(() => {});
      await until(async () => (await service.anonymous.get('/health/ready')).status === 200);
      await until(async () => (await service.anonymous.post('/v1/auth/login', login)).status === 200);
    }
    expect([asks, settled, names.inFlight]).toEqual([0, 0, 16]);
    expect(await lookup('localhost')).toMatchObject({ address: expect.stringMatching(/^(?:127\.0\.0\.1|::1)$/) });
    asks = 0;
    names.speak();
    const done = Promise.all(responses);
    while (settled < 40) {
      most = Math.max(most, names.inFlight);
      await Promise.race([done, new Promise((resolve) => setImmediate(resolve))]);
    }
    for (const response of await done) expectApiError(response, 'BAD_REQUEST');
    expect([asks, names.asked.size]).toEqual([0, 80]);
    expect(most).toBeLessThanOrEqual(16);
  });

  test('a rejected name is looked up again only after 30 s', async () => {
    const clock = new MovableClock();
    names.speak();
    const network = new Network({ servers: [names.address], now: () => clock.monotonic() });
    service = await gatehouse({ network });
    const alice = await person(service, 'alice');
    const { body } = await service.as(alice).post('/v1/media/external', { url: 'http://gone.example.com/a.png' });
    const ask = async () => expectApiError(await service.anonymous.get(pathOf(body.proxy_url)), 'BAD_REQUEST');
    await ask();
    expect(names.asked.size).toBe(2);
    names.asked.clear();
    for (let n = 0; n < 5; n++) await ask();
    clock.advance({ seconds: 20 });
    await ask();
    expect(names.asked.size).toBe(0);
    clock.advance({ seconds: 11 });
    await ask();
    expect(names.asked.size).toBe(2);
    expect(asks).toBe(0);
  });

  test('after the deadline a name is rejected like any other target; one that waits too long in the queue is 503', async () => {
    service = await gatehouse({ network: new Network({ servers: [names.address], deadlineMs: 2000, waitMs: 1 }) });
    const alice = await person(service, 'alice');
    const paths: string[] = [];
    for (let n = 0; n < 20; n++) {
      const { body } = await service.as(alice).post('/v1/media/external', { url: `http://mute${n}.example.com/` });
      paths.push(pathOf(body.proxy_url));
    }
    const responses = await Promise.all(paths.map((path) => service.anonymous.get(path)));
    const [late, busy] = [400, 503].map((status) => responses.filter((response) => response.status === status));
    expect((late?.length ?? 0) + (busy?.length ?? 0)).toBe(20);
    expect(late?.length).toBeGreaterThanOrEqual(8);
    expect(busy?.length).toBeGreaterThanOrEqual(1);
    for (const response of late ?? []) expectApiError(response, 'BAD_REQUEST');
    for (const response of busy ?? []) expectApiError(response, 'SERVICE_UNAVAILABLE');
    expect(asks).toBe(0);
  });
});

describe('names that administrators and the environment choose', () => {
  const outbound = (network: Network) =>
    new Outbound(loadConfig({ NODE_ENV: 'test', GATEHOUSE_SECRET: SECRET }), network);

  test.each(['public', 'anywhere'] as const)('%s: only DNS is queried', async (reach) => {
    names.speak();
    const client = outbound(new Network({ servers: [names.address] }));
    expect(await client.mayReach('https://login.example.com/', reach)).toBe(false);
    await expect(client.request({ url: 'https://token.example.com/', addressPolicy: reach })).rejects.toThrow(
      OutboundFault,
    );
    expect([asks, names.asked.size]).toEqual([0, 4]);
    await client.onApplicationShutdown();
  });

  test('those of the environment may be known only to the system resolver, which is not asked while DNS does not respond', async () => {
    const client = outbound(new Network({ servers: [names.address], deadlineMs: 50 }));
    expect(await reasonOf(client.request({ url: 'http://mailer.invalid/' }))).toBe('unreachable');
    expect(asks).toBe(0);
    names.speak();
    const other = outbound(new Network({ servers: [names.address] }));
    const requested = Array.from({ length: 8 }, () => reasonOf(other.request({ url: 'http://mailer.invalid/' })));
    expect(new Set(await Promise.all(requested))).toEqual(new Set(['unreachable']));
    expect(asks).toBe(1);
    await Promise.all([client, other].map((one) => one.onApplicationShutdown()));
  });

  test('names in the hosts file need no name server', async () => {
    const server = createServer((_req, res) => void res.end('fine')).listen(0);
    const client = outbound(new Network({ servers: [names.address] }));
    const { port } = server.address() as AddressInfo;
    const { body } = await client.request({ url: `http://localhost:${port}/` });
    expect(String(body)).toBe('fine');
    expect([asks, names.asked.size]).toEqual([0, 0]);
    await client.onApplicationShutdown();
    server.close();
  });

  test('email domains: at most 16 parallel queries, and unanswered ones are accepted', async () => {
    const domains = new MailDomains(loadConfig({ NODE_ENV: 'test', GATEHOUSE_SECRET: SECRET, EMAIL_DNS_CHECK: 'on' }));
    const held: (() => void)[] = [];
    let [running, most, requested] = [0, 0, 0];
    const silent = () =>
      new Promise<never>((_, reject) => {
        requested++;
        most = Math.max(most, ++running);
        held.push(() => {
          running--;
          reject(Object.assign(new Error('nobody'), { code: 'ETIMEOUT' }));
        });
      });
    domains.lookup = { resolveMx: silent, resolve4: silent, resolve6: silent };
    const checks = Array.from({ length: 40 }, (_, n) => domains.assertAcceptsMail(`a@mail${n}.example.com`, 'email'));
    const done = Promise.all(checks).then(() => true);
    let isDone: unknown = false;
    while (!isDone) {
      for (const end of held.splice(0)) end();
      isDone = await Promise.race([done, new Promise((resolve) => setImmediate(resolve, false))]);
    }
    expect([requested, most]).toEqual([40, 16]);
  });
});
