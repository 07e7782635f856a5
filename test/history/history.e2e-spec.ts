import { randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { describeWithDedicatedServers } from '../machine/dedicated-server.js';
import { Cluster } from './cluster.js';
import { figuresOf } from './figures.js';
import { type Fault, Plant } from './plant.js';
import { type Planted, run, runUntilFound } from './run.js';
import type { ServiceFault } from './service-plant.js';
import { over } from './workload.js';

const SECONDS = Number(process.env.HISTORY_SECONDS ?? 15);
const SEED = Number(process.env.HISTORY_SEED ?? randomInt(2 ** 31));
/** Time limit for the planted faults, which are normally found much earlier. */
const PLANTED_SECONDS = 240;

jest.setTimeout((SECONDS * 2 + 600) * 1000);

type DatabaseFault = 'a session that ends without its logout token' | 'an expiration that is discarded';

/** Faults that cause findings of many kinds. */
const CACHES: readonly Planted<Fault>[] = [
  { name: 'cache', rule: 'used after its end', what: /^(?!personal)/ },
  { name: 'cached access tokens', rule: 'used after its end', what: /^personal/ },
];

/** Faults whose findings are different. */
const FAULTS: readonly Planted<Fault>[] = [
  { name: 'remembered client', rule: 'used after its end', what: /^client secret/ },
  { name: 'second use of a code', rule: 'redeemed twice', what: /^(TOTP|backup) code/ },
  { name: 'second redemption', rule: 'redeemed twice', what: /token/ },
  { name: 'lost write', rule: 'an acknowledged change was lost', what: /^bio/ },
  { name: 'lost replay', rule: 'an event was passed over' },
  { name: 'old key set', rule: 'a key set without the key of a token' },
  { name: 'deaf sockets', rule: 'a socket outlived its credential', what: /^session/ },
  { name: 'discarded leak reports', rule: 'a leaked credential stayed valid' },
  { name: 'kept bot tokens', rule: 'used after its end', what: /^bot token .* the deletion of a bot token/ },
  { name: 'bot tokens that end together', rule: 'refused without a cause', what: /^bot token/ },
];
const DATABASE_FAULTS: readonly Planted<DatabaseFault>[] = [
  { name: 'a session that ends without its logout token', rule: 'a session ended without its logout token' },
  { name: 'an expiration that is discarded', rule: 'used after its end', what: /^personal .* expiration/ },
];
/** The revocations that these names exclude have no effect at the replicas either. */
const SERVICE_FAULTS = (
  [
    'a heartbeat that is sent without a journal read',
    'a cache that outlives a reset',
    'a tag that is not announced',
    'a decision in flight while its tag is revoked',
  ] as const
).map(
  (name, service): Planted<ServiceFault> => ({
    name,
    rule: 'admitted by a service after its end',
    what: new RegExp(`at service ${service},(?!.* (expiration|the deletion of a bot token) )`),
  }),
);

const namesOf = <Name extends string>(planted: readonly Planted<Name>[]): Name[] => planted.map(({ name }) => name);

describeWithDedicatedServers(`credentials.md 7 over the history of a run (HISTORY_SEED=${SEED})`, () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await Cluster.start();
  });
  afterAll(() => cluster.close());

  describe('with planted faults', () => {
    const found = new Set<string>();

    let plants: readonly Plant[];

    /** `some` of the faults are in front of each replica. */
    async function plant(all: readonly Planted<string>[], some: (replica: number) => readonly Fault[]) {
      for (const [replica, one] of plants.entries()) one.faults = new Set(some(replica));
      const result = await runUntilFound(cluster, SEED, all, over(PLANTED_SECONDS));
      for (const name of result.found) found.add(name);
    }

    // All run at the same time, because their findings are different. This saves most of the CPU time.
    beforeAll(async () => {
      plants = await Promise.all(cluster.replicas.map((replica) => Plant.before(replica)));
      // The first key set becomes old during both runs.
      await plant(CACHES, () => [...namesOf(CACHES), 'old key set']);
      const all = [...FAULTS, ...DATABASE_FAULTS, ...SERVICE_FAULTS];
      // These two change the response to the same request.
      const [kept, together] = ['kept bot tokens', 'bot tokens that end together'];
      const some = (replica: number) => namesOf(FAULTS).filter((name) => name !== (replica === 2 ? kept : together));
      await cluster.withFaultyServices(namesOf(SERVICE_FAULTS), () =>
        cluster.withFaultyDatabase(() => plant(all, some)),
      );
    });
    afterAll(() => {
      for (const one of plants) one.close();
    });

    test.each(namesOf([...CACHES, ...FAULTS]))('a planted fault in front of the replicas is found: %s', (fault) =>
      expect([...found]).toContain(fault),
    );

    test.each(namesOf(DATABASE_FAULTS))('a planted fault in the database is found: %s', (fault) =>
      expect([...found]).toContain(fault),
    );

    test.each(namesOf(SERVICE_FAULTS))('a planted fault of a service is found: %s', (fault) =>
      expect([...found]).toContain(fault),
    );
  });

  test(`${SECONDS} s of revocations while replicas and servers are killed, halted and disconnected: no violation is found`, async () => {
    const findings = await run(cluster, SEED, SECONDS);
    const { violations, history } = findings;
    const figures = JSON.stringify({ seed: SEED, seconds: SECONDS, ...figuresOf(findings) }, undefined, 2);
    if (process.env.HISTORY_FIGURES) writeFileSync(process.env.HISTORY_FIGURES, figures);
    else process.stdout.write(`${figures}\n`);
    if (violations.length > 0) {
      const path = join(tmpdir(), `gatehouse-history-${SEED}.jsonl`);
      writeFileSync(path, [...history.lines(), ''].join('\n'));
      process.stdout.write(`the history: ${path}\n`);
    }
    expect(violations).toEqual([]);
    // A run without revocations, rotations and disturbances proves nothing.
    expect(history.revocations.filter(({ outcome }) => outcome === 'ok').length).toBeGreaterThan(0);
    expect(history.rotations.filter(({ outcome }) => outcome === 'ok').length).toBeGreaterThan(0);
    expect(history.disturbances.length).toBeGreaterThan(0);
  });
});
