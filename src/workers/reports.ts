import type { MetricsReport } from '../core/workers/messages.js';

type Metric = MetricsReport[number];
type Value = Metric['values'][number] & { readonly metricName?: string };

const seriesKey = ({ metricName = '', labels }: Value): string => `${metricName} ${JSON.stringify(labels)}`;

/**
 * Accumulated counters of exited workers, so that totals never decrease. Prometheus would treat a decrease as a restart
 * from 0.
 */
export class ExitedWorkerMetrics {
  private readonly metrics = new Map<string, { readonly metric: Metric; readonly values: Map<string, Value> }>();

  add(report: MetricsReport): void {
    for (const metric of report) {
      // Gauges of an exited process no longer apply.
      const type = String(metric.type);
      if (type !== 'counter' && type !== 'histogram') continue;
      const known = this.metrics.get(metric.name) ?? { metric, values: new Map() };
      this.metrics.set(metric.name, known);
      for (const value of metric.values) {
        const before = known.values.get(seriesKey(value))?.value ?? 0;
        known.values.set(seriesKey(value), { ...value, value: before + value.value });
      }
    }
  }

  get report(): MetricsReport {
    return [...this.metrics.values()].map(({ metric, values }) => ({ ...metric, values: [...values.values()] }));
  }
}

const REPORT_TIMEOUT_MS = 2000;

/** One metrics request to all workers. A worker that does not answer in time counts with its last report. */
export class MetricsCollection {
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly pending: Set<number>,
    private readonly onComplete: () => void,
  ) {
    this.timer = setTimeout(onComplete, REPORT_TIMEOUT_MS);
  }

  /** The worker has answered or exited. */
  markAnswered(number: number): void {
    if (!this.pending.delete(number) || this.pending.size > 0) return;
    clearTimeout(this.timer);
    this.onComplete();
  }
}
