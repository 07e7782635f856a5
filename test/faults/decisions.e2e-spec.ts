import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { emptyDatabase, query } from '../machine/databases.js';
import { describeOnPostgres } from '../machine/postgres.js';
import { endProcesses, ServiceProcess, until } from '../machine/service-process.js';
import { CuttableProxy } from '../support/cuttable-proxy.js';
import { type App, basic, newApp, type Persona, person, signIn } from '../support/index.js';
import { RevocationClient } from '../support/revocations.js';

const ROUNDS = Number(process.env.REPLICA_ROUNDS ?? 20);
/** The library counts the stream as lost after this time. */
const LOST_MS = 800;

const policyFile = (policies: object): string => {
  const path = join(mkdtempSync(join(tmpdir(), 'gatehouse-policies-')), 'policies.json');
  writeFileSync(path, JSON.stringify({ policies }));
  return path;
};
const POLICIES = { 'documents-read': { accepts: 'authenticated' } };

describeOnPostgres('forward-auth.md 3: three replicas', () => {
  let url: string;
  let proxy: CuttableProxy;
  let replicas: [ServiceProcess, ServiceProcess, ServiceProcess];
  let root: Persona;
  let alice: Persona;
  let app: App;

  const start = (DATABASE_URL: string, policies: object = POLICIES) =>
    ServiceProcess.ready({ DATABASE_URL, SERVICE_POLICIES_FILE: policyFile(policies) });

  beforeAll(async () => {
    url = await emptyDatabase();
    const way = await CuttableProxy.to(url, 5432);
    proxy = way.proxy;
    replicas = [await start(url), await start(url), await start(way.url)];
    root = await person(replicas[0], 'root');
    await query(url, `UPDATE account SET acls = '{*}' WHERE id = $1`, [root.id]);
    alice = await person(replicas[1], 'alice');
    app = await resource();
  });
  afterAll(async () => {
    await endProcesses();
    proxy.close();
  });

  async function resource(): Promise<App> {
    const created = await newApp(replicas[0], alice);
    const response = await replicas[0]
      .as(root)
      .patch(`/v1/admin/applications/${created.id}`, { resource_policies: Object.keys(POLICIES) });
    expect(response.status).toBe(200);
    return created;
  }
  const decide = async (replica: ServiceProcess, authorization: string) => {
    const { id, secret = '' } = app;
    const response = await replica
      .as(basic(id, secret))
      .post('/v1/decisions', { policy: 'documents-read', authorization });
    expect(response.status).toBe(200);
    return response.body;
  };
  const streamsOf = () => Promise.all(replicas.map((replica) => RevocationClient.open(replica, app)));
  const closeAll = (streams: readonly RevocationClient[]) => {
    for (const stream of streams) stream.close();
  };

  test('send the same tags, and a revocation to the streams of all of them', async () => {
    const streams = await streamsOf();
    await Promise.all(streams.map((stream) => stream.next('alive')));
    const lags: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const session = await signIn(replicas[0], alice);
      const decisions = await Promise.all(replicas.map((replica) => decide(replica, session)));
      expect(new Set(decisions.map(({ tags }) => tags.join())).size).toBe(1);
      const from = streams.map(({ events }) => events.length);
      await replicas[round % 3]?.as(session).post('/v1/auth/logout');
      const answeredAt = performance.now();
      const events = await Promise.all(streams.map((stream, n) => stream.revoked([decisions[0].tags[2]], from[n])));
      lags.push(...events.map(({ at }) => Math.max(0, at - answeredAt)));
      for (const replica of replicas) expect(await decide(replica, session)).toMatchObject({ status: 401 });
    }
    lags.sort((a, b) => a - b);
    const at = (share: number) => lags[Math.min(lags.length - 1, Math.floor(lags.length * share))] ?? 0;
    process.stdout.write(
      `revocation to event: median ${at(0.5).toFixed(1)} ms, p99 ${at(0.99).toFixed(1)} ms (${lags.length})\n`,
    );
    expect(at(1)).toBeLessThan(1000);
    closeAll(streams);
  });

  test('a change by SQL reaches all streams, because a trigger announces it', async () => {
    const streams = await streamsOf();
    const { tags } = await decide(replicas[0], alice.authorization);
    await Promise.all(streams.map((stream) => stream.next('alive')));
    await query(url, 'UPDATE account SET suspicious_flags = 4 WHERE id = $1', [alice.id]);
    await Promise.all(streams.map((stream) => stream.revoked(tags, 0, 1000)));
    await query(url, 'UPDATE account SET suspicious_flags = 0 WHERE id = $1', [alice.id]);
    closeAll(streams);
  });

  test('allow 20 streams of an application together', async () => {
    const own = await resource();
    const opened = await Promise.allSettled(
      Array.from({ length: 32 }, (_, n) => RevocationClient.open(replicas[n % 3] as ServiceProcess, own)),
    );
    const streams = opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    expect(streams).toHaveLength(20);
    closeAll(streams);
  });

  test.each([
    ['that is cut off from the database', () => proxy.stopForwarding(), () => proxy.restore()],
    ['whose database connections are cut', () => proxy.cut(), () => proxy.restore()],
    ['that is frozen', () => replicas[2].child.kill('SIGSTOP'), () => replicas[2].child.kill('SIGCONT')],
  ])(
    'a replica %s sends no heartbeat, and afterwards what it has missed',
    async (_what, cut, restore) => {
      const stream = await RevocationClient.open(replicas[2], app);
      const session = await signIn(replicas[0], alice);
      const { tags } = await decide(replicas[0], session);
      await stream.next('alive');
      cut();
      await delay(LOST_MS / 2);
      const silentFrom = stream.events.length;
      await replicas[0].as(session).post('/v1/auth/logout');
      await delay(2 * LOST_MS);
      expect(stream.events.slice(silentFrom)).toEqual([]);
      restore();
      const event = await stream.revoked([tags[2]], silentFrom, 20_000);
      const alive = await stream.next('alive', silentFrom, 20_000);
      expect(stream.events.indexOf(event)).toBeLessThan(stream.events.indexOf(alive));
      stream.close();
      await until(async () => (await replicas[2].anonymous.get('/health/ready')).status === 200);
    },
    60_000,
  );

  test('a start with another policy announces it, and replicas with the former one forbid to keep its decisions', async () => {
    const stream = await RevocationClient.open(replicas[0], app);
    await stream.next('alive');
    const before = await decide(replicas[0], alice.authorization);
    expect(before.expires_in).toBe(300);
    const changed = await start(url, { 'documents-read': { accepts: 'user' } });
    await stream.revoked([before.tags[0]], 0, 20_000);
    await until(async () => (await decide(replicas[0], alice.authorization)).expires_in === 0);
    const fresh = await decide(changed, alice.authorization);
    expect(fresh.expires_in).toBe(300);
    expect(fresh.tags[0]).not.toBe(before.tags[0]);
    const again = await start(url);
    await until(async () => (await decide(replicas[0], alice.authorization)).expires_in === 300);
    await Promise.all([changed.stop(), again.stop()]);
    stream.close();
  }, 60_000);

  test('a stream ends when its replica stops', async () => {
    const last = await start(url);
    const stream = await RevocationClient.open(last, app);
    await stream.next('alive');
    const stopped = last.stop();
    await stream.closed(2000);
    expect(await stopped).toBe(0);
  }, 60_000);

  test('a trigger that is disabled stops the start', async () => {
    await query(url, 'ALTER TABLE account DISABLE TRIGGER account_decision');
    const failed = ServiceProcess.start({ DATABASE_URL: url });
    await expect(failed.waitForBanner()).rejects.toThrow('no enabled trigger announces changes of account.banned');
    await query(url, 'ALTER TABLE account ENABLE TRIGGER account_decision');
  }, 60_000);

  test('a database that went back in time resets all streams', async () => {
    const streams = await streamsOf();
    const marks = await Promise.all(streams.map((stream) => stream.next('alive')));
    await query(url, `UPDATE journal SET origin = 'other' WHERE id = (SELECT max(id) FROM journal)`);
    await Promise.all(streams.map((stream) => stream.next('reset', 0, 10_000)));
    closeAll(streams);
    await query(url, 'VACUUM FULL journal');
    await delay(1500);
    const again = await RevocationClient.open(replicas[0], app, marks[0]?.id);
    await again.next('reset');
    again.close();
  }, 60_000);
});
