import type { Report } from './messages.js';

type Metric = Report[number];
type Value = Metric['values'][number] & { readonly metricName?: string };

const keyOf = ({ metricName = '', labels }: Value): string => `${metricName} ${JSON.stringify(labels)}`;

/**
 * Accumulated counters of exited workers, so that totals never decrease. Prometheus would treat a decrease as a restart
 * from 0.
 */
export class Departed {
  private readonly metrics = new Map<string, { readonly metric: Metric; readonly values: Map<string, Value> }>();

  add(report: Report): void {
    for (const metric of report) {
      // Gauges of an exited process no longer apply.
      const type = String(metric.type);
      if (type !== 'counter' && type !== 'histogram') continue;
      const known = this.metrics.get(metric.name) ?? { metric, values: new Map() };
      this.metrics.set(metric.name, known);
      for (const value of metric.values) {
        const before = known.values.get(keyOf(value))?.value ?? 0;
        known.values.set(keyOf(value), { ...value, value: before + value.value });
      }
    }
  }

  get report(): Report {
    return [...this.metrics.values()].map(({ metric, values }) => ({ ...metric, values: [...values.values()] }));
  }
}

const PATIENCE_MS = 2000;

/** One metrics request to all workers. A worker that does not answer in time counts with its last report. */
export class Round {
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly awaited: Set<number>,
    private readonly over: () => void,
  ) {
    this.timer = setTimeout(over, PATIENCE_MS);
  }

  /** The worker has answered or exited. */
  heard(number: number): void {
    if (!this.awaited.delete(number) || this.awaited.size > 0) return;
    clearTimeout(this.timer);
    this.over();
  }
}
