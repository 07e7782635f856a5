import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Redis } from 'ioredis';
import { query } from '../machine/databases.js';
import { DedicatedServer, describeWithDedicatedRedis } from '../machine/dedicated-server.js';
import { describeOnPostgres } from '../machine/postgres.js';
import { endProcesses, ServiceProcess, until } from '../machine/service-process.js';
import { CuttableProxy } from '../support/cuttable-proxy.js';
import { copyTemplate, expectApiError, type Gatehouse, gatehouse, person } from '../support/index.js';

afterAll(endProcesses);

async function expectRefusedStart(env: Record<string, string>, sentence: string): Promise<void> {
  const service = ServiceProcess.start(env);
  expect(await service.exited).toBe(1);
  expect(service.err.trim().split('\n')).toEqual([expect.stringContaining(sentence)]);
  expect(service.out).not.toContain('Database');
}

const isReady = async (service: Gatehouse) => (await service.anonymous.get('/health/ready')).status === 200;

describeOnPostgres('conventions 12: an old PostgreSQL', () => {
  test('a PostgreSQL that is too old stops the start', async () => {
    const target = (await copyTemplate()) ?? '';
    const [row] = await query(target, "SELECT current_setting('server_version_num') AS version");
    const { proxy, url } = await CuttableProxy.to(target, 5432);
    proxy.replace(String(row?.version), '140022');
    const sentence = 'PostgreSQL 14 is too old. Use PostgreSQL 15 or newer';
    await expectRefusedStart({ DATABASE_URL: url }, sentence);
    proxy.close();
  });
});

describeWithDedicatedRedis('conventions 12: an old or slow Redis', () => {
  let server: DedicatedServer;
  let proxy: CuttableProxy;
  let url: string;
  beforeAll(async () => {
    server = await DedicatedServer.redis();
    ({ proxy, url } = await CuttableProxy.to(server.url, 6379));
  });
  afterAll(async () => {
    proxy.close();
    await server.close();
  });

  test('a Redis that is too old stops the start', async () => {
    const old = await CuttableProxy.to(server.url, 6379);
    const admin = new Redis(server.url);
    const [line = ''] = /redis_version:\d/.exec(await admin.info('server')) ?? [];
    admin.disconnect();
    old.proxy.replace(line, 'redis_version:5');
    await expectRefusedStart({ REDIS_URL: old.url }, 'is too old. Use 6.2 or newer');
    old.proxy.close();
  });

  /** Runs a part with two services that are on the slow Redis, and the remaining requests of a shared limit. */
  async function whileSlow(ms: number, work: (services: Gatehouse[]) => Promise<void>): Promise<void> {
    const env = { REDIS_URL: url, RATE_LIMITS: 'on' };
    const services = [await gatehouse({ env }), await gatehouse({ env })];
    proxy.delay(ms);
    try {
      await work(services);
    } finally {
      proxy.restore();
      for (const service of services) await service.close();
    }
  }

  async function remaining(service: Gatehouse | undefined, ip: string): Promise<number> {
    const response = await service?.anonymous.from(ip).get('/.well-known/oauth-authorization-server');
    expect(response?.status).toBe(200);
    return Number(response?.headers.get('x-ratelimit-remaining'));
  }

  test('Redis slow by 50 ms each way: limits are shared, and the service is ready', () =>
    whileSlow(50, async ([first, second]) => {
      await until(async () => (await remaining(first, '127.0.62.1')) - (await remaining(second, '127.0.62.1')) === 1);
      expect(await isReady(first as Gatehouse)).toBe(true);
    }));

  test('Redis slow by 400 ms each way: each process counts on its own, and the service is ready', () =>
    whileSlow(400, async ([first, second]) => {
      // The first requests find the connection slow.
      const [one, other] = [await remaining(first, '127.0.62.2'), await remaining(second, '127.0.62.2')];
      expect(one).toBe(other);
      const who = await person(first as Gatehouse);
      expect((await (first as Gatehouse).as(who).get('/v1/users/@me')).status).toBe(200);
      expect(await isReady(first as Gatehouse)).toBe(true);
    }));
});

describe('conventions 12: a slow captcha provider', () => {
  test('a captcha provider that does not respond: the service is ready, and its requests fail', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const service = await gatehouse({
      env: {
        ...{ CAPTCHA_PROVIDER: 'turnstile', TURNSTILE_SITE_KEY: 'k', TURNSTILE_SECRET: 's' },
        ...{ CAPTCHA_VERIFY_URL: `http://127.0.0.1:${port}`, DEPENDENCY_TEST_SECONDS: '1' },
      },
    });
    const lines = () => service.log.filter((line) => line.includes('dependency captcha fails'));
    await until(async () => lines().length > 0);
    expect(lines()[0]).toContain('Check the secret of CAPTCHA_PROVIDER and the connection to the provider');
    expect(await isReady(service)).toBe(true);
    const { text } = await service.anonymous.get('/metrics');
    expect(text).toContain('gatehouse_dependency_up{name="captcha"} 0');
    const response = await service.anonymous.with({ 'x-captcha-token': 'token' }).post('/v1/auth/register', {});
    expectApiError(response, 'INVALID_CAPTCHA');
    await service.close();
    silent.closeAllConnections();
    silent.close();
  });
});
