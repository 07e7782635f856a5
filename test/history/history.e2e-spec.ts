import { randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { describeWithDedicatedServers } from '../machine/dedicated-server.js';
import type { Rule } from './checker.js';
import { Cluster } from './cluster.js';
import { type Fault, Plant } from './plant.js';
import { run, runUntilFound } from './run.js';
import { over } from './workload.js';

const SECONDS = Number(process.env.HISTORY_SECONDS ?? 60);
const SEED = Number(process.env.HISTORY_SEED ?? randomInt(2 ** 31));
/** Time limit for a planted fault, which is normally found much earlier. */
const PLANTED_SECONDS = 480;

jest.setTimeout((SECONDS * 2 + 600) * 1000);

describeWithDedicatedServers(`credentials.md 7 over the history of a run (HISTORY_SEED=${SEED})`, () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await Cluster.start();
  });
  afterAll(() => cluster.close());

  test.each<[Fault, Rule]>([
    ['cache', 'used after its end'],
    ['cached access tokens', 'used after its end'],
    ['remembered client', 'used after its end'],
    ['second use of a code', 'redeemed twice'],
    ['second redemption', 'redeemed twice'],
    ['lost write', 'an acknowledged change was lost'],
    ['lost replay', 'an event was passed over'],
    ['old key set', 'a key set without the key of a token'],
    ['deaf sockets', 'a socket outlived its credential'],
  ])('a planted fault in front of the replicas is found: %s', async (fault, rule) => {
    const plants = await Promise.all(cluster.replicas.map((replica) => Plant.before(replica, fault)));
    try {
      expect(await runUntilFound(cluster, SEED, rule, over(PLANTED_SECONDS))).toContain(rule);
    } finally {
      for (const plant of plants) plant.close();
    }
  });

  test('a session that ends without its logout token is found', async () => {
    const rule = 'a session ended without its logout token';
    await cluster.rememberLogouts(false);
    try {
      expect(await runUntilFound(cluster, SEED, rule, over(PLANTED_SECONDS))).toContain(rule);
    } finally {
      await cluster.rememberLogouts(true);
    }
  });

  test(`${SECONDS} s of revocations while replicas and servers are killed, halted and disconnected: no violation is found`, async () => {
    const { violations, history, told } = await run(cluster, SEED, over(SECONDS));
    process.stdout.write(`HISTORY_SEED=${SEED}\n${told}\n`);
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
