import { Injectable } from '@nestjs/common';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** What a request came to, in words of which there are few. */
export interface Served {
  readonly method: string;
  readonly route: string;
  readonly policy: string;
  readonly status: number;
}

/** Metrics in Prometheus' text format. No label holds an id, an address or a secret. */
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
  readonly shed = new Counter({
    name: 'gatehouse_shed_total',
    help: 'Work refused because a queue was full',
    labelNames: ['queue'],
    registers: [this.registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  private readonly series = new Map<string, { observe(seconds: number): void }>();

  request({ method, route, policy, status }: Served, seconds: number): void {
    const name = `${method} ${route} ${status}`;
    let series = this.series.get(name);
    if (!series) {
      series = this.requests.labels(method, route, policy, String(status));
      this.series.set(name, series);
    }
    series.observe(seconds);
  }

  refused(code: string): void {
    this.refusals.inc({ code });
  }

  /** A value that is read from elsewhere when somebody asks; what cannot be read keeps the value that it had. */
  gauge(name: string, help: string, read: () => Promise<number>): void {
    new Gauge({
      ...{ name, help },
      registers: [this.registry],
      async collect() {
        const value = await read().catch(() => undefined);
        if (value !== undefined) this.set(value);
      },
    });
  }

  text(): Promise<string> {
    return this.registry.metrics();
  }
}
