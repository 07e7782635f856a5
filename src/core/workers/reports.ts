import type { Report } from './messages.js';

type Metric = Report[number];
type Value = Metric['values'][number] & { readonly metricName?: string };

const keyOf = ({ metricName = '', labels }: Value): string => `${metricName} ${JSON.stringify(labels)}`;

/**
 * What workers that are gone have counted. Without it the sums of those that are there would fall whenever one ends, which
 * whoever reads them would take for a start from 0.
 */
export class Departed {
  private readonly metrics = new Map<string, { readonly metric: Metric; readonly values: Map<string, Value> }>();

  add(report: Report): void {
    for (const metric of report) {
      // What a gauge told of a process is over with it.
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

/** One question to all workers. Whoever is too busy to answer in time counts as it last did. */
export class Round {
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly awaited: Set<number>,
    private readonly over: () => void,
  ) {
    this.timer = setTimeout(over, PATIENCE_MS);
  }

  /** The worker has answered, or is gone. */
  heard(number: number): void {
    if (!this.awaited.delete(number) || this.awaited.size > 0) return;
    clearTimeout(this.timer);
    this.over();
  }
}
