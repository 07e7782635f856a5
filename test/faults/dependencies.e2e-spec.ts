import { Redis } from 'ioredis';
import { DedicatedServer, describeWithDedicatedRedis } from '../machine/dedicated-server.js';
import { freePort } from '../machine/ports.js';
import { endProcesses, ServiceProcess, until } from '../machine/service-process.js';
import { CuttableProxy } from '../support/cuttable-proxy.js';
import { gatehouse } from '../support/index.js';

afterAll(endProcesses);

/** Expects that a service with these settings exits with a one-line reason and never starts to serve requests. */
async function expectRefusedStart(env: Record<string, string>, sentence: string): Promise<void> {
  const service = ServiceProcess.start(env);
  expect(await service.exited).toBe(1);
  expect(service.err.trim().split('\n')).toEqual([expect.stringContaining(sentence)]);
  expect(service.out).not.toContain('Database');
}

describeWithDedicatedRedis('conventions.md 12: a Redis that cannot be used', () => {
  test('a Redis Cluster stops the start with redis://, also one of a single server', async () => {
    const server = await DedicatedServer.redis('--cluster-enabled', 'yes');
    const client = new Redis(server.url);
    await client.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
    await until(async () => String(await client.call('CLUSTER', 'INFO')).includes('cluster_state:ok'));
    client.disconnect();
    await expectRefusedStart({ REDIS_URL: server.url }, 'REDIS_URL cannot be used: it is a Redis Cluster');
    await server.close();
  });

  test('a single server stops the start with redis-cluster://', async () => {
    const server = await DedicatedServer.redis();
    const REDIS_URL = server.url.replace('redis://', 'redis-cluster://');
    await expectRefusedStart({ REDIS_URL }, 'REDIS_URL cannot be used: it is not a Redis Cluster');
    await server.close();
  });

  test('a replica stops the start', async () => {
    const server = await DedicatedServer.redis('--replicaof', `127.0.0.1 ${await freePort()}`);
    await expectRefusedStart({ REDIS_URL: server.url }, 'REDIS_URL cannot be used: it is read-only');
    await server.close();
  });

  test('readiness turns red when Redis becomes read-only, and green when it can be written again', async () => {
    const server = await DedicatedServer.redis();
    const service = await ServiceProcess.ready({ REDIS_URL: server.url });
    const ready = async () => (await service.anonymous.get('/health/ready')).status;
    expect(await ready()).toBe(200);
    const client = new Redis(server.url);
    await client.replicaof('127.0.0.1', await freePort());
    await until(async () => (await ready()) === 503);
    expect(service.out + service.err).toContain('Redis cannot be used: it is read-only');
    await client.replicaof('NO', 'ONE');
    await until(async () => (await ready()) === 200);
    client.disconnect();
    await service.stop('SIGTERM');
    await server.close();
  });

  test('one that is down delays neither the start nor readiness', async () => {
    const service = await ServiceProcess.ready({ REDIS_URL: `redis://127.0.0.1:${await freePort()}` });
    expect((await service.anonymous.get('/health/ready')).status).toBe(200);
    await service.stop('SIGTERM');
  });

  test('each loss and the time until the return are in the log and in metrics', async () => {
    const server = await DedicatedServer.redis();
    const { proxy, url } = await CuttableProxy.to(server.url, 6379);
    const service = await gatehouse({ env: { REDIS_URL: url } });
    const read = async (name: string) => {
      const { text } = await service.anonymous.get('/metrics');
      return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
    };
    const losses = () => read('gatehouse_redis_losses_total');
    const seconds = () => read('gatehouse_redis_lost_seconds_total');
    const returns = () => service.log.filter((line) => line.includes('the connection to Redis is back'));
    expect([await losses(), await seconds()]).toEqual([0, 0]);
    for (const count of [1, 2]) {
      const before = await seconds();
      proxy.cut();
      await until(async () => (await losses()) === count);
      // The counter also grows during the outage.
      await until(async () => (await seconds()) > before);
      expect(returns()).toHaveLength(count - 1);
      proxy.restore();
      await until(() => returns().length === count);
      const { seconds: lasted } = JSON.parse(returns().at(-1) as string);
      expect(Math.abs((await seconds()) - before - lasted)).toBeLessThan(0.1);
    }
    expect(service.log.filter((line) => line.includes('the connection to Redis is lost'))).toHaveLength(2);
    await service.close();
    proxy.close();
    await server.close();
  });
});
