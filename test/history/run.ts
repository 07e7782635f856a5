import { Checker, type Promises, type Rule, type Violation } from './checker.js';
import { type Cluster, UNCHECKED_MS } from './cluster.js';
import { History } from './history.js';
import { Nemesis } from './nemesis.js';
import { pause } from './pause.js';
import { Pool } from './pool.js';
import { Random } from './random.js';
import { now, Recorder } from './recorder.js';
import { Workload } from './workload.js';

/** Tolerance for a busy machine, in milliseconds. It does not hide a notification that never arrives. */
const ALLOWANCE_MS = 5000;
/** After this time without notifications, a replica detects that it receives none. */
const UNHEARD_MS = 3000;

/** The time limits of credentials.md section 7 and gateway.md section 9. */
export const PROMISES: Promises = {
  told: 1000 + ALLOWANCE_MS,
  unchecked: UNHEARD_MS + UNCHECKED_MS + ALLOWANCE_MS,
  recovery: 10_000,
  wakeup: 2000,
  // A host is claimed for 60 s, and then gets 10 logout tokens per second.
  loggedOut: 90_000 + ALLOWANCE_MS,
  dropped: 1000,
  lost: 1000,
};

export interface Findings {
  readonly violations: readonly Violation[];
  readonly history: History;
  /** The figures of the run as text. */
  readonly told: string;
}

function summed(
  history: History,
  delays: readonly number[],
  lags: readonly number[],
  faults: ReadonlyMap<string, number>,
): string {
  const {
    credentials,
    uses,
    serviceUses,
    revocations,
    writes,
    reads,
    sockets,
    events,
    streams,
    logins,
    tokens,
    keySets,
    rotations,
  } = history;
  const resumes = uses.filter(({ how }) => how === 'resume');
  const forgotten = streams.filter((stream) => stream.discarded !== null);
  const outcomes = (some: readonly { outcome: string }[]) =>
    ['ok', 'refused', 'unknown']
      .map((one) => `${some.filter(({ outcome }) => outcome === one).length} ${one}`)
      .join(', ');
  const byKind = new Map<string, number>();
  for (const { kind, outcome } of revocations) if (outcome === 'ok') byKind.set(kind, (byKind.get(kind) ?? 0) + 1);
  const list = (counts: ReadonlyMap<string, number>) =>
    [...counts].map(([what, count]) => `${count} ${what}`).join(', ');
  const quantiles = (values: readonly number[]) => {
    const sorted = values.toSorted((a, b) => a - b);
    const quantile = (share: number) => sorted[Math.floor((sorted.length - 1) * share)]?.toFixed(0);
    return `median ${quantile(0.5)} ms, p99 ${quantile(0.99)} ms, max ${quantile(1)} ms`;
  };
  return [
    `${credentials.size} credentials; ${uses.length} uses (${outcomes(uses)})`,
    `${revocations.length} revocations (${outcomes(revocations)}): ${list(byKind)}`,
    `${resumes.length} resumes (${outcomes(resumes)}), ${forgotten.length} sessions forgotten; ${events.length} events`,
    `${logins.length} logins, ${tokens.filter(({ kind }) => kind === 'logout token').length} logout tokens, ` +
      `${keySets.length} key sets, ${rotations.length} key rotations (${outcomes(rotations)})`,
    `${writes.length} writes (${outcomes(writes)}), ${reads.length} reads; ${sockets.length} sockets, of which ${delays.length} were ` +
      `closed at undisturbed replicas: ${quantiles(delays)} after the answer`,
    `${serviceUses.length} uses at services (${outcomes(serviceUses)}); they kept ${lags.length} revoked credentials: ` +
      `${quantiles(lags)} after the answer`,
    `faults: ${list(faults) || 'none'}`,
  ].join('\n');
}

/** Runs clients and a nemesis until `isOver`, waits until all replicas have recovered, and checks the history. */
export async function run(cluster: Cluster, seed: number, isOver: () => boolean): Promise<Findings> {
  const random = new Random(seed);
  const history = new History();
  const recorder = new Recorder(history);
  const pool = new Pool(random.fork());
  const workload = new Workload({ cluster, recorder, pool, isOver }, random.fork());
  const nemesis = new Nemesis(cluster, history, random.fork());
  let isObserved = true;
  const watching = nemesis.probe(() => !isObserved);
  await Promise.all([workload.run(), nemesis.run(isOver)]);
  await cluster.isWhole();
  await workload.recheckRevoked();
  // Give the last replica that was notified its time to close sockets.
  await pause(PROMISES.told + 500);
  await loggedOut(cluster, recorder);
  recorder.finish();
  isObserved = false;
  await watching;
  const { violations, delays, lags } = Checker.check(history, PROMISES);
  return { violations, history, told: summed(history, delays, lags, nemesis.counts) };
}

const LOOK_EVERY_MS = 1000;

/** Waits until all logout tokens have arrived, or until one is certainly missing. */
async function loggedOut({ receiver, replicas }: Cluster, recorder: Recorder): Promise<void> {
  const { history } = recorder;
  for (const replica of replicas) await recorder.readKeys(replica);
  const isMissing = (within: number): boolean => {
    recorder.hear(receiver);
    history.end = now();
    const { violations } = Checker.check(history, { ...PROMISES, loggedOut: within });
    return violations.some(({ rule }) => rule === 'a session ended without its logout token');
  };
  while (isMissing(0) && !isMissing(PROMISES.loggedOut)) await pause(LOOK_EVERY_MS);
}

/** Runs clients, with only the planted fault, until it is found or `isOver`. Returns the rules that were violated. */
export async function runUntilFound(
  cluster: Cluster,
  seed: number,
  rule: Rule,
  isOver: () => boolean,
): Promise<Rule[]> {
  // Nothing is disturbed, so logout tokens do not wait for a host.
  const promises = { ...PROMISES, loggedOut: ALLOWANCE_MS };
  const random = new Random(seed);
  const history = new History();
  const recorder = new Recorder(history);
  let found: Rule[] = [];
  const isEnough = () => found.includes(rule) || isOver();
  const pool = new Pool(random.fork());
  const workload = new Workload({ cluster, recorder, pool, isOver: isEnough }, random.fork());
  const looking = setInterval(() => {
    recorder.hear(cluster.receiver);
    history.end = now();
    found = Checker.check(history, promises).violations.map((one) => one.rule);
  }, LOOK_EVERY_MS);
  await workload.run();
  clearInterval(looking);
  recorder.finish();
  return [...new Set(found)];
}
