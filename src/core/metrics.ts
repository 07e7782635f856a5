import { Injectable } from '@nestjs/common';
import {
  type Aggregator,
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  Registry,
} from 'prom-client';
import type { MetricsReport } from './workers/messages.js';
import { ownWorker } from './workers/own-worker.js';

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The metric labels of a finished request. */
export interface RequestLabels {
  readonly method: string;
  readonly route: string;
  readonly policy: string;
  readonly status: number;
}

/** A summary of this process's metrics, counted from its start. */
export interface ProcessSummary {
  readonly requests: number;
  /** Number of error responses by code. */
  readonly refusals: Readonly<Record<string, number>>;
  readonly signIns: number;
  readonly gatewaySockets: number;
  /** The 99th percentile since the last call. */
  readonly eventLoopDelayMs: number;
}

/** How the values of several workers are combined: `sum` if each worker has its own value. */
export type Aggregation = Extract<Aggregator, 'sum' | 'min' | 'max' | 'average'>;

const LOOP_DELAY_METRIC = 'nodejs_eventloop_lag';

/** Metrics in Prometheus text format. No label contains an ID, an IP address or a secret. */
@Injectable()
export class Metrics {
  readonly registry = new Registry();
  private readonly requests = new Histogram({
    name: 'gatehouse_http_request_seconds',
    help: 'Duration of HTTP requests by route template and policy',
    labelNames: ['method', 'route', 'policy', 'status'],
    buckets: BUCKETS,
    registers: [this.registry],
  });
  private readonly refusals = new Counter({
    name: 'gatehouse_refusals_total',
    help: 'Refused requests by error code',
    labelNames: ['code'],
    registers: [this.registry],
  });
  readonly signIns = new Counter({
    name: 'gatehouse_sign_ins_total',
    help: 'Sessions that were begun by signing in, by method',
    labelNames: ['method'],
    registers: [this.registry],
  });
  readonly abuse = new Counter({
    name: 'gatehouse_abuse_signals_total',
    help: 'What speaks against addresses: refused answers, rejected credentials, bans that follow',
    labelNames: ['signal'],
    registers: [this.registry],
  });
  readonly sockets = new Gauge({
    name: 'gatehouse_gateway_sockets',
    help: 'Open gateway connections',
    registers: [this.registry],
  });
  readonly healthChecks = new Gauge({
    name: 'gatehouse_health_check',
    help: 'Whether a health check of a module passed when it was last made: 1 or 0',
    labelNames: ['check'],
    aggregator: 'min',
    registers: [this.registry],
  });
  readonly shed = new Counter({
    name: 'gatehouse_shed_total',
    help: 'Work refused because a queue was full',
    labelNames: ['queue'],
    registers: [this.registry],
  });

  readonly countCorrections = new Counter({
    name: 'gatehouse_request_count_corrections_total',
    help: 'Request counts that differed from the live requests and were corrected',
    labelNames: ['count'],
    registers: [this.registry],
  });

  constructor() {
    this.gauge('gatehouse_workers', 'Processes of this service that answer', async () => 1);
    collectDefaultMetrics({ register: this.registry });
  }

  private requestCount = 0;
  private readonly series = new Map<string, { observe(seconds: number): void }>();

  recordRequest({ method, route, policy, status }: RequestLabels, seconds: number): void {
    const name = `${method} ${route} ${status}`;
    let series = this.series.get(name);
    if (!series) {
      series = this.requests.labels(method, route, policy, String(status));
      this.series.set(name, series);
    }
    series.observe(seconds);
    this.requestCount++;
  }

  countError(code: string): void {
    this.refusals.inc({ code });
  }

  /**
   * A gauge whose value is read on each scrape. If reading fails, it keeps its last value.
   * @param together how the values of several workers are combined
   */
  gauge(name: string, help: string, read: () => Promise<number>, together: Aggregation = 'sum'): void {
    new Gauge({
      ...{ name, help, aggregator: together },
      registers: [this.registry],
      async collect() {
        const value = await read().catch(() => undefined);
        if (value !== undefined) this.set(value);
      },
    });
  }

  /** Returns the summary of the metrics. */
  async summary(): Promise<ProcessSummary> {
    const [refusals, signIns, sockets] = await Promise.all([
      this.refusals.get(),
      this.signIns.get(),
      this.sockets.get(),
    ]);
    // Reading the mean updates the percentiles.
    await this.registry.getSingleMetric(`${LOOP_DELAY_METRIC}_seconds`)?.get();
    const delay = await this.registry.getSingleMetric(`${LOOP_DELAY_METRIC}_p99_seconds`)?.get();
    const sum = (values: readonly { readonly value: number }[]) => values.reduce((all, { value }) => all + value, 0);
    return {
      requests: this.requestCount,
      refusals: Object.fromEntries(refusals.values.map(({ labels, value }) => [String(labels.code), value])),
      signIns: sum(signIns.values),
      gatewaySockets: sum(sockets.values),
      eventLoopDelayMs: Math.round((delay?.values[0]?.value ?? 0) * 10_000) / 10,
    };
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
}
