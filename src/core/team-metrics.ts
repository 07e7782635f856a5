import { Injectable } from '@nestjs/common';
import { Counter, Histogram } from 'prom-client';
import { Metrics, type Together } from './metrics.js';

/** The labels of a metric with every value that each may have. */
export type Labels = Readonly<Record<string, readonly string[]>>;
type Chosen<L extends Labels> = { readonly [Name in keyof L]: L[Name][number] };

const OURS = ['gatehouse_', 'nodejs_', 'process_'];
const MAX_SERIES = 1000;

/** Every choice of one value for each label. */
function choicesOf(labels: Labels): Record<string, string>[] {
  return Object.entries(labels).reduce<Record<string, string>[]>(
    (chosen, [name, values]) => chosen.flatMap((others) => values.map((value) => ({ ...others, [name]: value }))),
    [{}],
  );
}

/**
 * Metrics of a team, beside ours on `/metrics`. The values of labels are few and known beforehand, so that none is an id, an
 * address or a secret.
 */
@Injectable()
export class TeamMetrics {
  constructor(private readonly metrics: Metrics) {}

  /** Counts what happens; each of its series begins at 0. */
  counter<const L extends Labels>(name: string, help: string, labels: L = {} as L) {
    const choices = this.demand(name, labels);
    const registers = [this.metrics.registry];
    const counter = new Counter({ name, help, labelNames: Object.keys(labels), registers });
    for (const chosen of choices) counter.inc(chosen, 0);
    return {
      add: (chosen: Chosen<L>, count = 1): void => {
        demandChosen(name, labels, chosen);
        counter.inc(chosen as Record<string, string>, count);
      },
    };
  }

  /** Tells how values are spread, such as seconds. `buckets`: upper bounds, in the unit of the values. */
  histogram<const L extends Labels>(name: string, help: string, buckets: readonly number[], labels: L = {} as L) {
    this.demand(name, labels);
    const registers = [this.metrics.registry];
    const labelNames = Object.keys(labels);
    const histogram = new Histogram({ name, help, labelNames, buckets: [...buckets], registers });
    return {
      observe: (chosen: Chosen<L>, value: number): void => {
        demandChosen(name, labels, chosen);
        histogram.observe(chosen as Record<string, string>, value);
      },
    };
  }

  /**
   * A value that is read when somebody asks for metrics; what cannot be read keeps the value that it had. Each of several
   * `WORKERS` reads its own: `together` says what is told of them, such as `max` for what all read from the database.
   */
  gauge(name: string, help: string, read: () => Promise<number>, together: Together = 'sum'): void {
    this.demand(name, {});
    this.metrics.gauge(name, help, read, together);
  }

  private demand(name: string, labels: Labels): Record<string, string>[] {
    const isNamed = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)+$/.test(name) && !OURS.some((prefix) => name.startsWith(prefix));
    if (!isNamed)
      throw new Error(`the metric ${name} needs a name that begins with that of its module: notes_written_total`);
    if (this.metrics.registry.getSingleMetric(name)) throw new Error(`the metric ${name} exists`);
    const choices = choicesOf(labels);
    if (choices.length > MAX_SERIES) throw new Error(`the metric ${name} has more than ${MAX_SERIES} series`);
    return choices;
  }
}

function demandChosen(metric: string, labels: Labels, chosen: Readonly<Record<string, string>>): void {
  for (const [label, values] of Object.entries(labels)) {
    if (!values.includes(chosen[label] as string)) throw new Error(`${metric} has no such value of its label ${label}`);
  }
  const unknown = Object.keys(chosen).find((label) => !Object.hasOwn(labels, label));
  if (unknown !== undefined) throw new Error(`${metric} has no label ${unknown}`);
}
