import type { Findings } from './run.js';

/** A number of things, by name. */
export type Counts = Readonly<Record<string, number>>;

/** The median, the 99th percentile and the maximum of durations, in milliseconds; null without any. */
export interface Quantiles {
  readonly count: number;
  readonly median: number | null;
  readonly p99: number | null;
  readonly max: number | null;
}

/** The figures of a run, from which `npm run proof -- histories` writes its report. */
export interface Figures {
  readonly findings: Counts;
  readonly counts: Counts;
  /** Outcomes of attempts, by kind. */
  readonly outcomes: Readonly<Record<string, Counts>>;
  /** Acknowledged revocations, by kind. */
  readonly revocations: Counts;
  readonly faults: Counts;
  /** How long sockets stayed open at undisturbed replicas after the response to a revocation. */
  readonly socketDelays: Quantiles;
  /** How long services admitted a credential after the response to its revocation. */
  readonly lags: Quantiles;
  /** The same while nothing was disturbed. */
  readonly calmLags: Quantiles;
}

function countBy<T>(entries: readonly T[], nameOf: (entry: T) => string): Counts {
  const counts = new Map<string, number>();
  for (const entry of entries) counts.set(nameOf(entry), (counts.get(nameOf(entry)) ?? 0) + 1);
  return Object.fromEntries([...counts].toSorted(([, a], [, b]) => b - a));
}

export function quantilesOf(values: readonly number[]): Quantiles {
  const sorted = values.toSorted((a, b) => a - b);
  const quantile = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? null;
  return { count: values.length, median: quantile(0.5), p99: quantile(0.99), max: quantile(1) };
}

export function figuresOf({ violations, history, check, faults }: Findings): Figures {
  const { uses, serviceUses, revocations, leakReports, rotations, writes, credentials, streams, tokens } = history;
  const outcomes = (some: readonly { readonly outcome: string }[]) => countBy(some, ({ outcome }) => outcome);
  return {
    findings: countBy(violations, ({ rule }) => rule),
    counts: {
      credentials: credentials.size,
      reads: history.reads.length,
      sockets: history.sockets.length,
      'events of the gateway': history.events.length,
      'forgotten gateway sessions': streams.filter(({ discarded }) => discarded !== null).length,
      'sign-ins to applications': history.logins.length,
      'logout tokens': tokens.filter(({ kind }) => kind === 'logout token').length,
      'key sets': history.keySets.length,
    },
    outcomes: {
      'uses of credentials': outcomes(uses),
      'uses at services': outcomes(serviceUses),
      revocations: outcomes(revocations),
      'reports of leaks': outcomes(leakReports),
      'resumed gateway sessions': outcomes(uses.filter(({ how }) => how === 'resume')),
      writes: outcomes(writes),
      'rotations of the signing keys': outcomes(rotations),
    },
    revocations: countBy(
      revocations.filter(({ outcome }) => outcome === 'ok'),
      ({ kind }) => kind,
    ),
    faults: Object.fromEntries([...faults].toSorted(([, a], [, b]) => b - a)),
    socketDelays: quantilesOf(check.delays),
    lags: quantilesOf(check.lags),
    calmLags: quantilesOf(check.calmLags),
  };
}
