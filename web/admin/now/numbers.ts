import type { Answer, paths } from '@gatehouse-auth/client';

export type Statistics = Answer<paths, '/v1/admin/instance/statistics', 'get'>;
export type Replica = Statistics['replicas'][number];
export type Counts = Readonly<Record<string, number>>;

/** How long samples are kept. */
export const WINDOW_MS = 5 * 60_000;
/** Rates over a shorter time are not meaningful. */
const SHORTEST_SECONDS = 1;

/** Metrics of one replica, or of all. */
export interface Numbers {
  readonly requestsPerSecond: number;
  /** By code, since the previous request. */
  readonly refusals: Counts;
  /** Since the previous request. */
  readonly signIns: number;
  readonly sockets: number;
  readonly delayMs: number;
}

/** One response, compared with the previous ones. */
export interface Sample {
  /** By the clock of this device. */
  readonly at: number;
  readonly statistics: Statistics;
  readonly total: Numbers;
  readonly replicas: ReadonlyMap<number, Numbers>;
}

/** The last state of a replica. */
interface Known {
  readonly reading: Replica;
  /** The reading from which the rate is computed. */
  readonly base: Replica;
  readonly numbers: Numbers;
}

/** State kept between responses. */
export interface History {
  readonly known: ReadonlyMap<number, Known>;
  readonly samples: readonly Sample[];
}

export const NO_HISTORY: History = { known: new Map(), samples: [] };

const isSameRun = (reading: Replica, former: Replica | undefined): former is Replica =>
  former?.started_at === reading.started_at;
const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);
const secondsBetween = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / 1000;

export function sumCounts(counts: readonly Counts[]): Counts {
  const codes = new Set(counts.flatMap(Object.keys));
  return Object.fromEntries([...codes].map((code) => [code, sumOf(counts.map((of) => of[code] ?? 0))]));
}

const countIncrease = (now: Counts, before: Counts): Counts =>
  Object.fromEntries(
    Object.entries(now).flatMap(([code, count]) => {
      const more = count - (before[code] ?? 0);
      return more > 0 ? [[code, more]] : [];
    }),
  );

/**
 * The reading to compare with: the previous one, or zero if the replica has restarted. Null if its counts before the
 * first response are unknown.
 */
function formerOf(reading: Replica, known: Known | undefined, since: string | null): Replica | null {
  if (isSameRun(reading, known?.reading)) return known?.reading ?? null;
  const hasStarted = known !== undefined || (since !== null && reading.started_at > since);
  return hasStarted ? { ...reading, seen_at: reading.started_at, requests: 0, refusals: {}, sign_ins: 0 } : null;
}

function knownOf(reading: Replica, known: Known | undefined, since: string | null): Known {
  const former = formerOf(reading, known, since);
  const base = isSameRun(reading, known?.base) ? (known?.base ?? reading) : former;
  const seconds = base ? secondsBetween(base.seen_at, reading.seen_at) : 0;
  const isLong = base !== null && seconds >= SHORTEST_SECONDS;
  const rate = isLong ? (reading.requests - base.requests) / seconds : known?.numbers.requestsPerSecond;
  return {
    reading,
    base: base === null || isLong ? reading : base,
    numbers: {
      requestsPerSecond: rate ?? reading.requests_per_second,
      refusals: former ? countIncrease(reading.refusals, former.refusals) : {},
      signIns: former ? reading.sign_ins - former.sign_ins : 0,
      sockets: reading.gateway_sockets,
      delayMs: reading.event_loop_delay_ms,
    },
  };
}

/** The current time of the service: the latest time of its replicas. */
export const timeOf = ({ replicas }: Statistics): string =>
  replicas.map(({ seen_at }) => seen_at).reduce((latest, time) => (time > latest ? time : latest), '');

/** Adds a response to the history. */
export function addSample({ known, samples }: History, told: Statistics, at: number): History {
  const latest = samples.at(-1);
  const since = latest ? timeOf(latest.statistics) : null;
  const now = new Map(told.replicas.map((one) => [one.worker_id, knownOf(one, known.get(one.worker_id), since)]));
  const replicas = new Map([...now].map(([id, { numbers }]) => [id, numbers]));
  const all = [...replicas.values()];
  const total = {
    requestsPerSecond: sumOf(all.map(({ requestsPerSecond }) => requestsPerSecond)),
    refusals: sumCounts(all.map(({ refusals }) => refusals)),
    signIns: sumOf(all.map(({ signIns }) => signIns)),
    sockets: told.total.gateway_sockets,
    delayMs: told.total.event_loop_delay_ms,
  };
  return {
    known: new Map([...known, ...now]),
    samples: [...samples.filter((sample) => sample.at > at - WINDOW_MS), { at, statistics: told, total, replicas }],
  };
}

export const countOf = (counts: Counts): number => sumOf(Object.values(counts));
