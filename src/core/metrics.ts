import { Injectable } from '@nestjs/common';
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { type LabelValues, labelCombinations, type MetricDeclaration } from './metric-declaration.js';
import type { MetricLabels, MetricName } from './names.js';
import type { MetricsReport } from './workers/messages.js';
import { ownWorker } from './workers/own-worker.js';

type Labels = Readonly<Record<string, string>>;

/** The value of a gauge, or one value for each combination of its labels. */
export type Reading<L extends Labels = Labels> = number | readonly { readonly labels: L; readonly value: number }[];

interface Series {
  inc(value: number): void;
  set(value: number): void;
  observe(value: number): void;
}

interface DefinedMetric {
  readonly declaration: MetricDeclaration;
  readonly labelNames: readonly string[];
  readonly metric: Counter | Gauge | Histogram;
  readonly series: Map<string, Series>;
  observations: number;
}

function assertLabels(name: string, declared: LabelValues, labels: Labels): void {
  for (const [label, values] of Object.entries(declared)) {
    const value = labels[label];
    if (value === undefined || (values !== 'any' && !values.includes(value)))
      throw new Error(`The label ${label} of the metric ${name} does not have this value. Declare all values`);
  }
  const unknown = Object.keys(labels).find((label) => !Object.hasOwn(declared, label));
  if (unknown !== undefined)
    throw new Error(`The metric ${name} has no label ${unknown}. Declare it in metrics of a feature`);
}

/** Records the metrics that features declare. No label contains an ID, an IP address or a secret. */
@Injectable()
export class Metrics {
  private readonly metrics = new Map<string, DefinedMetric>();
  private readonly readings = new Map<string, () => Promise<Reading>>();

  constructor(
    declarations: ReadonlyMap<string, MetricDeclaration>,
    private readonly registry: Registry,
  ) {
    collectDefaultMetrics({ register: registry });
    for (const [name, declaration] of declarations) this.define(name, declaration);
  }

  private define(name: string, declaration: MetricDeclaration): void {
    const { help, labels = {} } = declaration;
    const labelNames = Object.keys(labels);
    const options = { name, help, labelNames, registers: [this.registry] };
    const metric =
      declaration.type === 'counter'
        ? new Counter(options)
        : declaration.type === 'histogram'
          ? new Histogram({ ...options, buckets: [...declaration.buckets] })
          : new Gauge({ ...options, aggregator: declaration.aggregation ?? 'sum', collect: () => this.read(name) });
    this.metrics.set(name, { declaration, labelNames, metric, series: new Map(), observations: 0 });
    if (declaration.type === 'counter') this.startSeries(name, labels);
  }

  private startSeries(name: string, labels: LabelValues): void {
    for (const combination of labelCombinations(labels)) this.seriesOf(name, combination).inc(0);
  }

  private metricOf(name: string): DefinedMetric {
    const metric = this.metrics.get(name);
    if (!metric) throw new Error(`Unknown metric ${name}. Declare it in metrics of a feature`);
    return metric;
  }

  /** The labels of a series are checked when it is first used. */
  private seriesOf(name: string, labels: Labels): Series {
    const { declaration, labelNames, metric, series } = this.metricOf(name);
    let key = '';
    for (const label of labelNames) key += `${labels[label]}\n`;
    let known = series.get(key);
    if (!known) {
      assertLabels(name, declaration.labels ?? {}, labels);
      // Which methods it has depends on the type of the metric, which the parameters of the methods below ensure.
      known = metric.labels(labels) as Series;
      series.set(key, known);
    }
    return known;
  }

  /** Adds to a counter. */
  add<M extends MetricName<'counter'>>(name: M, labels: MetricLabels<M>, count = 1): void {
    this.seriesOf(name, labels).inc(count);
  }

  /** Starts series of a counter at 0. `values` lists the values of labels that are declared as `any`. @internal */
  startAtZero(name: MetricName<'counter'>, values: LabelValues): void {
    this.startSeries(name, { ...this.metricOf(name).declaration.labels, ...values });
  }

  /** Sets a gauge. */
  set<M extends MetricName<'gauge'>>(name: M, labels: MetricLabels<M>, value: number): void {
    this.seriesOf(name, labels).set(value);
  }

  /** Adds a value to a histogram, for example a duration. */
  observe<M extends MetricName<'histogram'>>(name: M, labels: MetricLabels<M>, value: number): void {
    this.seriesOf(name, labels).observe(value);
    this.metricOf(name).observations++;
  }

  /** Reads a gauge on each scrape. If reading fails, it keeps its last value. */
  measure<M extends MetricName<'gauge'>>(name: M, read: () => Promise<Reading<MetricLabels<M>>>): void {
    this.readings.set(name, read);
  }

  /** The number of values of a histogram since the start of this process. @internal */
  observations(name: MetricName<'histogram'>): number {
    return this.metricOf(name).observations;
  }

  private async read(name: string): Promise<void> {
    const reading = await this.readings
      .get(name)?.()
      .catch(() => undefined);
    if (reading === undefined) return;
    const values = typeof reading === 'number' ? [{ labels: {}, value: reading }] : reading;
    for (const { labels, value } of values) this.seriesOf(name, labels).set(value);
  }
}

/** Reads the metrics of this process and of the other workers, in the format of Prometheus. */
@Injectable()
export class MetricsReader {
  constructor(private readonly registry: Registry) {}

  get contentType(): string {
    return this.registry.contentType;
  }

  /** Metrics of all workers combined, or of this process if it is the only one. */
  async text(): Promise<string> {
    const reports = (await ownWorker?.collectReports()) ?? [];
    if (reports.length === 0) return this.registry.metrics();
    return AggregatorRegistry.aggregate([...reports] as object[]).metrics();
  }

  /** Metrics of this process only. */
  report(): Promise<MetricsReport> {
    return this.registry.getMetricsAsJSON();
  }

  /** The series of a metric of this process. */
  async series(name: string): Promise<readonly { readonly labels: Labels; readonly value: number }[]> {
    const found = await this.registry.getSingleMetric(name)?.get();
    return (found?.values ?? []) as { labels: Labels; value: number }[];
  }

  /** The sum of the series of a metric of this process. */
  async total(name: string): Promise<number> {
    return (await this.series(name)).reduce((sum, { value }) => sum + value, 0);
  }
}
