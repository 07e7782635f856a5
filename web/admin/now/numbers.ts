import type { paths, ResponseBody } from '@gatehouse-auth/client';

export type Statistics = ResponseBody<paths, '/v1/admin/instance/statistics', 'get'>;
export type Replica = Statistics['replicas'][number];
export type Counts = Readonly<Record<string, number>>;

export const MINUTE_MS = 60_000;
/** How long minutes are kept. */
export const WINDOW_MS = 60 * MINUTE_MS;
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

/** Metrics of a minute: sums of counts, the mean rate, the longest delay, and the last number of sockets. */
export interface MinuteNumbers extends Numbers {
  /** Number of responses. */
  readonly samples: number;
}

export interface Minute {
  /** The start of the minute by the clock of this device. */
  readonly at: number;
  readonly mail: number;
  readonly total: MinuteNumbers;
  readonly replicas: ReadonlyMap<number, MinuteNumbers>;
}

/** The last state of a replica. */
export interface Known {
  readonly reading: Replica;
  /** The reading from which the rate is computed. */
  readonly base: Replica;
  readonly numbers: Numbers;
}

/** State kept between responses. */
export interface History {
  readonly known: ReadonlyMap<number, Known>;
  /** The time of the first response. */
  readonly since: number | null;
  readonly latest: Sample | null;
  /** Oldest first. A minute without responses is missing. */
  readonly minutes: readonly Minute[];
}

export const NO_HISTORY: History = { known: new Map(), since: null, latest: null, minutes: [] };

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

/** Adds the numbers of a response to those of its minute. */
function merge(minute: MinuteNumbers | undefined, next: Numbers): MinuteNumbers {
  if (!minute) return { ...next, samples: 1 };
  const samples = minute.samples + 1;
  return {
    samples,
    requestsPerSecond: minute.requestsPerSecond + (next.requestsPerSecond - minute.requestsPerSecond) / samples,
    refusals: sumCounts([minute.refusals, next.refusals]),
    signIns: minute.signIns + next.signIns,
    sockets: next.sockets,
    delayMs: Math.max(minute.delayMs, next.delayMs),
  };
}

function addToMinutes(minutes: readonly Minute[], { at, statistics, total, replicas }: Sample): Minute[] {
  const start = at - (at % MINUTE_MS);
  const current = minutes.find((minute) => minute.at === start);
  const merged = [...replicas].map(([id, numbers]) => [id, merge(current?.replicas.get(id), numbers)] as const);
  const next: Minute = {
    at: start,
    mail: statistics.mail_waiting,
    total: merge(current?.total, total),
    replicas: new Map([...(current?.replicas ?? []), ...merged]),
  };
  return [...withinWindow(minutes, at).filter((minute) => minute.at < start), next];
}

/** The minutes that are not too old. */
export const withinWindow = (minutes: readonly Minute[], now: number): readonly Minute[] =>
  minutes.filter(({ at }) => at > now - WINDOW_MS);

/** Adds a response to the history. */
export function addSample(history: History, statistics: Statistics, at: number): History {
  const { known, latest, minutes } = history;
  const since = latest ? timeOf(latest.statistics) : null;
  const now = new Map(statistics.replicas.map((one) => [one.worker_id, knownOf(one, known.get(one.worker_id), since)]));
  const replicas = new Map([...now].map(([id, { numbers }]) => [id, numbers]));
  const all = [...replicas.values()];
  const total = {
    requestsPerSecond: sumOf(all.map(({ requestsPerSecond }) => requestsPerSecond)),
    refusals: sumCounts(all.map(({ refusals }) => refusals)),
    signIns: sumOf(all.map(({ signIns }) => signIns)),
    sockets: statistics.total.gateway_sockets,
    delayMs: statistics.total.event_loop_delay_ms,
  };
  const sample: Sample = { at, statistics, total, replicas };
  const kept = addToMinutes(minutes, sample);
  // Responses before the first minute that is kept are forgotten.
  const first = Math.max(history.since ?? at, kept[0]?.at ?? at);
  return { known: new Map([...known, ...now]), since: first, latest: sample, minutes: kept };
}

export const countOf = (counts: Counts): number => sumOf(Object.values(counts));
