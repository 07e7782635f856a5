import { jest } from '@jest/globals';
import { migratedDatabase } from '../machine/databases.js';
import { SentinelGroup } from '../machine/redis-groups.js';
import {
  describeWithStoreGroup,
  expectNoSilentLoss,
  NumberedEvents,
  numbersOf,
  sharesLimits,
} from '../machine/redis-load.js';
import { ResumingClient } from '../machine/resuming-client.js';
import { endProcesses, ServiceProcess, until } from '../machine/service-process.js';
import { person } from '../support/index.js';

jest.setTimeout(120_000);

const CLIENTS = 6;

describeWithStoreGroup('conventions.md 12 and gateway 13: Redis behind Sentinel, with access rules', () => {
  let group: SentinelGroup;
  let replicas: [ServiceProcess, ServiceProcess];

  beforeAll(async () => {
    group = await SentinelGroup.start();
    const env = {
      ...(await migratedDatabase()),
      REDIS_URL: group.url,
      RATE_LIMITS: 'on',
      RATE_LIMIT_OVERRIDES: NumberedEvents.LIMITS,
      GATEWAY_NUMBERS: NumberedEvents.GATEWAY_NUMBERS,
    };
    const first = await ServiceProcess.ready(env);
    replicas = [first, await ServiceProcess.ready(env)];
  });
  afterAll(async () => {
    await endProcesses();
    await group.close();
  });

  test('processes share limits, and sessions resume on the other process', async () => {
    const [first, second] = replicas;
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
  });

  test.each([
    ['killed', async (at: SentinelGroup) => (await at.primary()).kill()],
    ['demoted by a planned failover', (at: SentinelGroup) => at.failOver()],
    ['unresponsive', async (at: SentinelGroup) => (await at.primary()).pause()],
  ])('a primary that is %s: no restart, no error, and no event is lost without op 9', async (how, fail) => {
    const [first, second] = replicas;
    await group.whenReplicated();
    const who = await person(first);
    const events = await NumberedEvents.start(first, who);
    const clients = Array.from(
      { length: CLIENTS },
      (_, n) => new ResumingClient(who.authorization, () => replicas[n % 2] as ServiceProcess, ['SESSIONS_REPLACE']),
    );
    await Promise.all(clients.map((client) => client.start()));
    await events.pass(10);
    const former = await group.primary();
    const failedAt = performance.now();
    await fail(group);
    await until(async () => (await group.primary()) !== former);
    const promotedAt = performance.now();
    for (const client of clients.slice(0, CLIENTS / 2)) client.drop();
    await until(() => sharesLimits(first, second));
    const sharedAt = performance.now();
    const late = new ResumingClient(who.authorization, () => second);
    await late.start();
    const startedAt = performance.now();
    await events.pass(10);
    const last = await events.stop();
    await until(() => clients.every(({ isOpen, isAttached }) => isOpen && isAttached));
    await until(() => clients.every((client) => numbersOf(client).at(-1) === last));
    for (const client of clients) expectNoSilentLoss(client);
    const invalidated = clients.reduce((sum, { invalidations }) => sum + invalidations, 0);
    const ms = (from: number, to: number) => `${(to - from).toFixed(0)} ms`;
    process.stdout.write(
      `primary ${how}: promoted after ${ms(failedAt, promotedAt)}, limits shared ${ms(promotedAt, sharedAt)} later, ` +
        `sessions start ${ms(promotedAt, startedAt)} later; ${last} events, ${invalidated} of ${clients.length} sessions started again\n`,
    );
    for (const client of [...clients, late]) client.close();
    await former.revive();
    for (const { child, err } of replicas) expect([child.exitCode, err]).toEqual([null, '']);
  });
});
