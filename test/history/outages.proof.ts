import { writeFileSync } from 'node:fs';
import { jest } from '@jest/globals';
import { describeWithDedicatedServers } from '../machine/dedicated-server.js';
import { person } from '../support/index.js';
import { Cluster, type Replica } from './cluster.js';
import { pause } from './pause.js';
import { now } from './recorder.js';
import type { Service } from './services.js';

const SECONDS = Number(process.env.OUTAGE_SECONDS ?? 30);
/** The outage begins after this many seconds. */
const BEGIN = 5;
/** How long it lasts. */
const OUTAGE = Math.ceil(SECONDS / 3);
const REQUEST_PAUSE_MS = 100;

jest.setTimeout((SECONDS * 4 + 300) * 1000);

/** What a service returned to requests that began in one second. */
interface Second {
  readonly second: number;
  readonly isOutage: boolean;
  /** The number of requests with each status. */
  readonly statuses: Record<string, number>;
  /** Answered from the cache, and after a request to Gatehouse. */
  readonly hits: number;
  readonly misses: number;
}

describeWithDedicatedServers('forward-auth.md 4 in an outage', () => {
  let cluster: Cluster;
  let authorization: string;
  let killed: Replica;
  const figures: Record<string, readonly Second[]> = {};

  beforeAll(async () => {
    cluster = await Cluster.start();
    ({ authorization } = await person(cluster.replicas[0], 'caller'));
  });
  afterAll(async () => {
    if (process.env.OUTAGE_FIGURES) writeFileSync(process.env.OUTAGE_FIGURES, JSON.stringify(figures));
    await cluster.close();
  });

  /** Sends requests to a service. @returns what it returned, once all requests have ended */
  async function observe(service: Service, begin: () => unknown, end: () => unknown): Promise<readonly Second[]> {
    const rows: Second[] = [];
    const open = new Set<Promise<void>>();
    let former = await service.metrics();
    for (let second = 0; second < SECONDS; second++) {
      if (second === BEGIN) await begin();
      if (second === BEGIN + OUTAGE) await end();
      const statuses: Record<string, number> = {};
      for (const until = now() + 1000; now() < until; await pause(REQUEST_PAUSE_MS)) {
        const sent = service.present(authorization).then((status) => {
          statuses[status] = (statuses[status] ?? 0) + 1;
          open.delete(sent);
        });
        open.add(sent);
      }
      const present = await service.metrics();
      const [hits, misses] = ['hits', 'misses'].map((name) => Number(present[name]) - Number(former[name]));
      const isOutage = second >= BEGIN && second < BEGIN + OUTAGE;
      rows.push({ second, isOutage, statuses, hits: hits ?? 0, misses: misses ?? 0 });
      former = present;
    }
    await Promise.all(open);
    return rows;
  }

  /** Warms the cache of a service. */
  async function warm(service: Service): Promise<void> {
    const { hits } = await service.metrics();
    while ((await service.metrics()).hits === hits) {
      await service.present(authorization);
      await pause(REQUEST_PAUSE_MS);
    }
  }

  test.each<[string, (service: Service) => unknown, (service: Service) => unknown]>([
    [
      'the stream of revocations freezes',
      ({ balancer }) => balancer.freezeStreams(true),
      ({ balancer }) => balancer.freezeStreams(false),
    ],
    [
      'the replica that sends the stream is killed',
      ({ balancer }) => {
        killed = balancer.streaming;
        return killed.stop('SIGKILL');
      },
      () => void killed.start(),
    ],
    ['the database is away', () => cluster.postgres.pause(), () => cluster.postgres.resume()],
  ])('%s', async (name, begin, end) => {
    const [service] = cluster.services as [Service];
    await warm(service);
    const rows = await observe(
      service,
      () => begin(service),
      () => end(service),
    );
    figures[name] = rows;
    const before = rows.slice(0, BEGIN);
    expect(before.every(({ statuses }) => Object.keys(statuses).join() === '200')).toBe(true);
    expect(before.some(({ hits }) => hits > 0)).toBe(true);
    // The heartbeats of a killed replica are those of the next one.
    const lost = name.includes('killed') ? [] : rows.slice(BEGIN + 1, BEGIN + OUTAGE);
    expect(lost.map(({ hits }) => hits)).toEqual(lost.map(() => 0));
    expect(rows.at(-1)?.statuses).toEqual({ 200: expect.any(Number) });
  });
});
