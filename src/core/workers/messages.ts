import type { MetricObjectWithValues, MetricValue } from 'prom-client';

/** The metrics of a process, as sent between processes. */
export type MetricsReport = readonly MetricObjectWithValues<MetricValue<string>>[];

/** The slot of a worker, passed in its environment. */
export interface WorkerSlot {
  /** The lowest number that no other worker uses. */
  readonly number: number;
  /** Which of the shares of a limit it counts, from 0. Only the worker that replaces it has the same. */
  readonly share: number;
  /** Whether this worker prints the startup banner. */
  readonly printsBanner: boolean;
}

/** The environment variable with the slot, as JSON. */
export const SLOT_VARIABLE = 'GATEHOUSE_WORKER';

/** Messages from a worker to the primary. */
export type WorkerMessage =
  | { readonly gatehouse: 'started' | 'ready' | 'leaving' }
  | { readonly gatehouse: 'gather'; readonly id: number }
  /** `id` is the ID of the request. The final report of a worker has none. */
  | { readonly gatehouse: 'report'; readonly id?: number; readonly report: MetricsReport };

/** Signals that end the service. */
export type EndSignal = 'SIGTERM' | 'SIGINT';

/** Messages from the primary to a worker. */
export type PrimaryMessage =
  /** The service shuts down, as a single process does on this signal. */
  | { readonly gatehouse: 'end'; readonly signal: EndSignal }
  /** Another worker has replaced this one. */
  | { readonly gatehouse: 'retire' }
  | { readonly gatehouse: 'report'; readonly id: number }
  | { readonly gatehouse: 'gathered'; readonly id: number; readonly reports: readonly MetricsReport[] };
