import { jest } from '@jest/globals';
import { execute } from '../../src/cli/execute.js';
import { migratedDatabase } from '../machine/databases.js';
import { RedisCluster, SentinelGroup } from '../machine/redis-groups.js';
import { describeWithStoreGroup, NumberedEvents, sharesLimits } from '../machine/redis-load.js';
import { ResumingClient } from '../machine/resuming-client.js';
import { endProcesses, ServiceProcess, until } from '../machine/service-process.js';
import { certificate } from '../support/certificate.js';
import { person } from '../support/index.js';

jest.setTimeout(120_000);

const trusted = certificate('127.0.0.1');

interface Group {
  readonly url: string;
  close(): Promise<void>;
}

async function startReplicas({ url }: Group): Promise<[ServiceProcess, ServiceProcess]> {
  const env = {
    ...(await migratedDatabase()),
    ...{ REDIS_URL: url, NODE_EXTRA_CA_CERTS: trusted.path, RATE_LIMITS: 'on' },
    ...{ RATE_LIMIT_OVERRIDES: NumberedEvents.LIMITS, GATEWAY_NUMBERS: NumberedEvents.GATEWAY_NUMBERS },
  };
  const first = await ServiceProcess.ready(env);
  return [first, await ServiceProcess.ready(env)];
}

/** Expects that both processes count together, and that a session resumes on the other process. */
async function expectShared([first, second]: readonly [ServiceProcess, ServiceProcess]): Promise<void> {
  await until(() => sharesLimits(first, second));
  const who = await person(first);
  let next = first;
  const client = new ResumingClient(who.authorization, () => next);
  await client.start();
  next = second;
  client.drop();
  await until(() => client.resumes === 1);
  expect(client.invalidations).toBe(0);
  client.close();
}

/** Runs `doctor` without the certificate of the servers. */
async function doctor(REDIS_URL: string): Promise<string> {
  const lines: string[] = [];
  const out = (line: string) => void lines.push(line);
  await execute(['doctor'], { env: { LOG_LEVEL: 'silent', PATH: process.env.PATH, REDIS_URL }, out, err: out });
  return lines.join('\n');
}

describeWithStoreGroup('conventions.md 12: Redis behind Sentinel, all with TLS', () => {
  let group: SentinelGroup;
  let replicas: [ServiceProcess, ServiceProcess];
  beforeAll(async () => {
    group = await SentinelGroup.start(trusted);
    replicas = await startReplicas(group);
  });
  afterAll(async () => {
    await endProcesses();
    await group.close();
  });

  test('processes share limits, and sessions resume on the other process', () => expectShared(replicas));

  test('a killed primary: the processes find its successor through Sentinel, without a restart', async () => {
    await group.whenReplicated();
    const former = await group.primary();
    await former.kill();
    await until(async () => (await group.primary()) !== former);
    await expectShared(replicas);
    for (const { child, err } of replicas) expect([child.exitCode, err]).toEqual([null, '']);
  });

  test('a certificate that is not trusted: doctor names the failed connection', async () => {
    expect(await doctor(group.url)).toMatch(/^ERROR +redis: /m);
  });
});

describeWithStoreGroup('conventions.md 12: Redis Cluster with TLS', () => {
  let cluster: RedisCluster;
  let replicas: [ServiceProcess, ServiceProcess];
  beforeAll(async () => {
    cluster = await RedisCluster.start(true, trusted);
    replicas = await startReplicas(cluster);
  });
  afterAll(async () => {
    await endProcesses();
    await cluster.close();
  });

  test('processes share limits, sessions resume on the other process, and keys are on every node', async () => {
    await expectShared(replicas);
    const sizes = await Promise.all((await cluster.primaries()).map(({ client }) => client.dbsize()));
    expect(sizes).toHaveLength(3);
  });

  test('a killed primary: the processes use its replica, without a restart', async () => {
    await cluster.whenOk();
    const [former] = await cluster.primaries();
    if (!former) throw new Error('no primary');
    await former.kill();
    await cluster.whenPromoted(former);
    await expectShared(replicas);
    for (const { child, err } of replicas) expect([child.exitCode, err]).toEqual([null, '']);
  });

  test('a certificate that is not trusted: doctor names the failed connection', async () => {
    expect(await doctor(cluster.url)).toMatch(/^ERROR +redis: /m);
  });
});
