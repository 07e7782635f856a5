import { Checker, type CheckResult, type Promises, type Rule, type Violation } from './checker.js';
import { type Cluster, UNCHECKED_MS } from './cluster.js';
import { History } from './history.js';
import { Nemesis } from './nemesis.js';
import { pause } from './pause.js';
import { Pool } from './pool.js';
import { Random } from './random.js';
import { now, Recorder } from './recorder.js';
import { over, Workload } from './workload.js';

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
  // A replica that is killed has the job of a report for two minutes.
  reported: 130_000 + ALLOWANCE_MS,
  dropped: 1000,
  lost: 1000,
};

/** Pause between rotations of the signing keys. Two of them are needed to find a key set that is too old. */
const ROTATION_MS = 8000;
const PLANTED_ROTATION_MS = 2000;
/** A run of this duration has time for long faults. */
const LONG_SECONDS = 60;

export interface Findings {
  readonly violations: readonly Violation[];
  readonly history: History;
  readonly check: CheckResult;
  readonly faults: ReadonlyMap<string, number>;
}

/** A planted fault, and the finding that it causes. */
export interface Planted<Name extends string> {
  readonly name: Name;
  readonly rule: Rule;
  /** Distinguishes the finding from those of other faults that break the same rule. */
  readonly what?: RegExp;
}

/** Runs clients and a nemesis for this time, waits until all replicas have recovered, and checks the history. */
export async function run(cluster: Cluster, seed: number, seconds: number): Promise<Findings> {
  const isOver = over(seconds);
  const random = new Random(seed);
  const history = new History();
  const recorder = new Recorder(history);
  const pool = new Pool(random.fork());
  const workload = new Workload({ cluster, recorder, pool, isOver, rotationMs: ROTATION_MS }, random.fork());
  const nemesis = new Nemesis(cluster, history, random.fork(), seconds >= LONG_SECONDS);
  let isObserved = true;
  const watching = nemesis.probe(() => !isObserved);
  await Promise.all([workload.run(), nemesis.run(isOver)]);
  await cluster.isWhole();
  await workload.recheckRevoked();
  await settled(cluster, recorder);
  recorder.finish();
  isObserved = false;
  await watching;
  const check = Checker.check(history, PROMISES);
  return { violations: check.violations, history, check, faults: nemesis.counts };
}

const LOOK_EVERY_MS = 1000;

/** Effects that follow a response, without a time limit. */
const IMMEDIATE: Promises = { ...PROMISES, told: 0, unchecked: 0, loggedOut: 0, reported: 0 };

/**
 * Waits until sockets are closed, all logout tokens have arrived and all leaked credentials have ended, or until one of
 * these effects is certainly missing.
 */
async function settled({ receiver, replicas }: Cluster, recorder: Recorder): Promise<void> {
  const { history } = recorder;
  for (const replica of replicas) await recorder.readKeys(replica);
  const isPending = async (promises: Promises): Promise<boolean> => {
    const [replica] = replicas;
    await Promise.all(recorder.reported.map((presented) => recorder.use(replica, presented)));
    recorder.hear(receiver);
    history.end = now();
    const { violations } = Checker.check(history, promises);
    return violations.some((one) => one.isPending);
  };
  while ((await isPending(IMMEDIATE)) && !(await isPending(PROMISES))) await pause(LOOK_EVERY_MS);
}

/**
 * Runs clients, with only the planted faults, until all of them are found or `isOver`.
 * @returns the names of the faults that are found
 */
export async function runUntilFound<Name extends string>(
  cluster: Cluster,
  seed: number,
  planted: readonly Planted<Name>[],
  isOver: () => boolean,
): Promise<{ found: readonly Name[]; check: CheckResult }> {
  // Nothing is disturbed, so logout tokens do not wait for a host, and reports not for a job of a killed replica.
  const promises = { ...PROMISES, loggedOut: ALLOWANCE_MS, reported: ALLOWANCE_MS };
  const random = new Random(seed);
  const history = new History();
  const recorder = new Recorder(history);
  let check = Checker.check(history, promises);
  const found = () =>
    planted.filter(({ rule, what }) =>
      check.violations.some((one) => one.rule === rule && (!what || what.test(one.what))),
    );
  const isEnough = () => found().length === planted.length || isOver();
  const pool = new Pool(random.fork());
  const pauses = { rotationMs: PLANTED_ROTATION_MS };
  const workload = new Workload({ cluster, recorder, pool, isOver: isEnough, ...pauses }, random.fork());
  const looking = setInterval(() => {
    recorder.hear(cluster.receiver);
    history.end = now();
    check = Checker.check(history, promises);
  }, LOOK_EVERY_MS);
  await workload.run();
  clearInterval(looking);
  recorder.finish();
  check = Checker.check(history, promises);
  return { found: found().map(({ name }) => name), check };
}
