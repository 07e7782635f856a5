import { Injectable } from '@nestjs/common';
import { Counter, Histogram } from 'prom-client';
import { type Aggregation, Metrics } from './metrics.js';

/** The labels of a metric with all allowed values of each. */
export type Labels = Readonly<Record<string, readonly string[]>>;
type Chosen<L extends Labels> = { readonly [Name in keyof L]: L[Name][number] };

const RESERVED_PREFIXES = ['gatehouse_', 'nodejs_', 'process_'];
const MAX_SERIES = 1000;

/** Every combination of one value per label. */
function labelCombinations(labels: Labels): Record<string, string>[] {
  return Object.entries(labels).reduce<Record<string, string>[]>(
    (chosen, [name, values]) => chosen.flatMap((others) => values.map((value) => ({ ...others, [name]: value }))),
    [{}],
  );
}

/**
 * Metrics of an extension, next to the built-in ones on `/metrics`. Label values are few and known in advance, so that
 * none is an ID, an IP address or a secret.
 */
@Injectable()
export class TeamMetrics {
  constructor(private readonly metrics: Metrics) {}

  /** Creates a counter. Each of its series starts at 0. */
  counter<const L extends Labels>(name: string, help: string, labels: L = {} as L) {
    const choices = this.checkMetric(name, labels);
    const registers = [this.metrics.registry];
    const counter = new Counter({ name, help, labelNames: Object.keys(labels), registers });
    for (const chosen of choices) counter.inc(chosen, 0);
    return {
      add: (chosen: Chosen<L>, count = 1): void => {
        assertLabels(name, labels, chosen);
        counter.inc(chosen as Record<string, string>, count);
      },
    };
  }

  /**
   * Creates a histogram, for example of durations.
   * @param buckets upper bounds, in the unit of the values
   */
  histogram<const L extends Labels>(name: string, help: string, buckets: readonly number[], labels: L = {} as L) {
    this.checkMetric(name, labels);
    const registers = [this.metrics.registry];
    const labelNames = Object.keys(labels);
    const histogram = new Histogram({ name, help, labelNames, buckets: [...buckets], registers });
    return {
      observe: (chosen: Chosen<L>, value: number): void => {
        assertLabels(name, labels, chosen);
        histogram.observe(chosen as Record<string, string>, value);
      },
    };
  }

  /**
   * Creates a gauge whose value is read on each scrape. If reading fails, it keeps its last value.
   * @param together how the values of several `WORKERS` are combined, such as `max` if all read the same database value
   */
  gauge(name: string, help: string, read: () => Promise<number>, together: Aggregation = 'sum'): void {
    this.checkMetric(name, {});
    this.metrics.gauge(name, help, read, together);
  }

  private checkMetric(name: string, labels: Labels): Record<string, string>[] {
    const isNamed =
      /^[a-z][a-z0-9]*(?:_[a-z0-9]+)+$/.test(name) && !RESERVED_PREFIXES.some((prefix) => name.startsWith(prefix));
    if (!isNamed)
      throw new Error(`the metric ${name} needs a name that begins with that of its module: notes_written_total`);
    if (this.metrics.registry.getSingleMetric(name)) throw new Error(`the metric ${name} exists`);
    const choices = labelCombinations(labels);
    if (choices.length > MAX_SERIES) throw new Error(`the metric ${name} has more than ${MAX_SERIES} series`);
    return choices;
  }
}

function assertLabels(metric: string, labels: Labels, chosen: Readonly<Record<string, string>>): void {
  for (const [label, values] of Object.entries(labels)) {
    if (!values.includes(chosen[label] as string)) throw new Error(`${metric} has no such value of its label ${label}`);
  }
  const unknown = Object.keys(chosen).find((label) => !Object.hasOwn(labels, label));
  if (unknown !== undefined) throw new Error(`${metric} has no label ${unknown}`);
}
