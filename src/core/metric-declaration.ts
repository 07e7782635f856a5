import type { Aggregator } from 'prom-client';
import type { MetricType } from './names.js';

/** How the values of several workers are combined: `sum` if each worker has its own value. */
export type Aggregation = Extract<Aggregator, 'sum' | 'min' | 'max' | 'average'>;

/** All values of each label, so that none is an ID, an IP address or a secret. */
export type LabelValues = Readonly<Record<string, readonly string[] | 'any'>>;

interface DeclaredMetric<T extends MetricType> {
  readonly type: T;
  /** The description that Prometheus shows. */
  readonly help: string;
  /** The values of each label. `any` is only for built-in features. Default: no labels. */
  readonly labels?: LabelValues;
}

/** A metric of a feature. */
export type MetricDeclaration =
  | DeclaredMetric<'counter'>
  | (DeclaredMetric<'gauge'> & {
      /** How the values of several `WORKERS` are combined, such as `max` if all read it from the database. Default: `sum`. */
      readonly aggregation?: Aggregation;
    })
  | (DeclaredMetric<'histogram'> & {
      /** Upper bounds in ascending order, in the unit of the values. */
      readonly buckets: readonly number[];
    });

/** Every combination of one value per label. Empty if a label can have any value. */
export function labelCombinations(labels: LabelValues = {}): Readonly<Record<string, string>>[] {
  return Object.entries(labels).reduce<Readonly<Record<string, string>>[]>(
    (combinations, [name, values]) =>
      values === 'any' ? [] : combinations.flatMap((others) => values.map((value) => ({ ...others, [name]: value }))),
    [{}],
  );
}
