import { reportFailure } from '../../core/uncaught-errors.js';
import { isUncommitted } from './constraints.js';

interface PendingItem<I, O> {
  readonly item: I;
  readonly resolve: (response: O) => void;
  readonly reject: (error: unknown) => void;
}

interface BatchLimits<I> {
  /** Maximum number of items of a batch. */
  readonly maxSize?: number;
  /** Maximum number of batches at a time. Items that come in the meantime form the next batch. */
  readonly maxInFlight?: number;
  /** Items with the same name never share a batch. */
  readonly nameOf?: (item: I) => string;
}

/**
 * Batches work: all items that are submitted in one turn of the event loop become one call of `work`. If the database
 * rolls back a batch, the items are retried one by one, in order.
 * @param work performs the batch completely or not at all, and resolves to one result per item, in order
 */
export class Batcher<I, O> {
  private waiting: PendingItem<I, O>[] = [];
  private inFlight = 0;
  private isScheduled = false;

  constructor(
    private readonly work: (items: readonly I[]) => Promise<readonly O[]>,
    private readonly limits: BatchLimits<I> = {},
    private readonly onIdle: () => void = () => {},
  ) {}

  submit(item: I): Promise<O> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (this.isScheduled || this.isFull) return;
      this.isScheduled = true;
      setImmediate(() => this.flush());
    });
  }

  private get isFull(): boolean {
    return this.limits.maxInFlight !== undefined && this.inFlight >= this.limits.maxInFlight;
  }

  private flush(): void {
    this.isScheduled = false;
    while (this.waiting.length > 0 && !this.isFull) {
      this.inFlight++;
      this.finish(this.next())
        .finally(() => this.onBatchDone())
        .catch(reportFailure);
    }
  }

  private onBatchDone(): void {
    this.inFlight--;
    // Without a limit, items only wait for the end of their turn.
    if (this.limits.maxInFlight !== undefined) this.flush();
    if (this.inFlight === 0 && this.waiting.length === 0) this.onIdle();
  }

  private next(): PendingItem<I, O>[] {
    const { waiting } = this;
    const { maxSize = Number.POSITIVE_INFINITY, nameOf } = this.limits;
    this.waiting = [];
    if (!nameOf) {
      this.waiting = waiting.splice(maxSize);
      return waiting;
    }
    const batch = new Map<string, PendingItem<I, O>>();
    for (const one of waiting) {
      const name = nameOf(one.item);
      if (batch.size === maxSize || batch.has(name)) this.waiting.push(one);
      else batch.set(name, one);
    }
    return [...batch.values()];
  }

  private async finish(batch: readonly PendingItem<I, O>[]): Promise<void> {
    try {
      const responses = await this.work(batch.map(({ item }) => item));
      for (const [place, { resolve }] of batch.entries()) resolve(responses[place] as O);
    } catch (error) {
      if (batch.length > 1 && isUncommitted(error)) for (const one of batch) await this.finish([one]);
      else for (const { reject } of batch) reject(error);
    }
  }
}

/** One batcher per key. Batches of a key run one after the other. Different keys do not wait for each other. */
export class KeyedBatcher<I, O> {
  private readonly batchers = new Map<string, Batcher<I, O>>();

  constructor(
    private readonly work: (key: string, items: readonly I[]) => Promise<readonly O[]>,
    private readonly limits: BatchLimits<I>,
  ) {}

  submit(key: string, item: I): Promise<O> {
    const known = this.batchers.get(key);
    if (known) return known.submit(item);
    const created = new Batcher<I, O>(
      (items) => this.work(key, items),
      { ...this.limits, maxInFlight: 1 },
      () => this.batchers.delete(key),
    );
    this.batchers.set(key, created);
    return created.submit(item);
  }
}

/**
 * Batches lookups by ID. An ID that the read does not return resolves to `undefined`.
 * @param read receives each ID once
 */
export function batchById<T>(
  read: (ids: string[]) => Promise<ReadonlyMap<string, T>>,
): (id: string) => Promise<T | undefined> {
  const batcher = new Batcher<string, T | undefined>(async (ids) => {
    const found = await read([...new Set(ids)]);
    return ids.map((id) => found.get(id));
  });
  return (id) => batcher.submit(id);
}
