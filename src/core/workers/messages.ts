import type { MetricObjectWithValues, MetricValue } from 'prom-client';

/** The metrics of a process, as they go from one to another. */
export type Report = readonly MetricObjectWithValues<MetricValue<string>>[];

/** What a worker is told of itself by its environment. */
export interface Place {
  /** The lowest number that no other worker has. */
  readonly number: number;
  /** Whether it shows what a newcomer needs. */
  readonly greets: boolean;
}

/** The variable that holds it, as JSON. */
export const PLACE = 'GATEHOUSE_WORKER';

/** What a worker tells the primary. */
export type Word =
  | { readonly gatehouse: 'started' | 'ready' | 'leaving' }
  | { readonly gatehouse: 'gather'; readonly id: number }
  /** `id`: of the order that it answers; the last one of a worker answers none. */
  | { readonly gatehouse: 'report'; readonly id?: number; readonly report: Report };

/** What the primary tells a worker. */
export type Order =
  /** The service ends: what single processes do on SIGTERM. */
  | { readonly gatehouse: 'end' }
  /** Another worker has taken this one's place. */
  | { readonly gatehouse: 'retire' }
  | { readonly gatehouse: 'report'; readonly id: number }
  | { readonly gatehouse: 'gathered'; readonly id: number; readonly reports: readonly Report[] };
