import { reportFailure } from '../../core/uncaught-errors.js';
import { isUncommitted } from './constraints.js';

interface PendingItem<I, O> {
  readonly item: I;
  readonly resolve: (answer: O) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Batches changes by key. While a batch of a key runs, new items of that key wait and form the next batch. Different
 * keys do not wait for each other. If the database rolls back a batch, each item is retried alone, in order.
 * @param work performs the batch of a key completely or not at all; resolves to one result per item, in order
 * @param nameOf items with the same name never share a batch
 */
export class KeyedBatcher<I, O> {
  private readonly waiting = new Map<string, PendingItem<I, O>[]>();

  constructor(
    private readonly work: (key: string, items: readonly I[]) => Promise<readonly O[]>,
    private readonly nameOf: (item: I) => string,
    private readonly maxBatchSize: number,
  ) {}

  submit(key: string, item: I): Promise<O> {
    return new Promise((resolve, reject) => {
      const waiting = this.waiting.get(key);
      if (waiting) return void waiting.push({ item, resolve, reject });
      this.waiting.set(key, [{ item, resolve, reject }]);
      this.run(key).catch(reportFailure);
    });
  }

  private async run(key: string): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    for (let batch = this.next(key); batch.length > 0; batch = this.next(key)) await this.finish(key, batch);
    this.waiting.delete(key);
  }

  private next(key: string): PendingItem<I, O>[] {
    const batch = new Map<string, PendingItem<I, O>>();
    const later: PendingItem<I, O>[] = [];
    for (const one of this.waiting.get(key) ?? []) {
      const name = this.nameOf(one.item);
      if (batch.size === this.maxBatchSize || batch.has(name)) later.push(one);
      else batch.set(name, one);
    }
    this.waiting.set(key, later);
    return [...batch.values()];
  }

  private async finish(key: string, batch: readonly PendingItem<I, O>[]): Promise<void> {
    try {
      const answers = await this.work(
        key,
        batch.map(({ item }) => item),
      );
      for (const [place, { resolve }] of batch.entries()) resolve(answers[place] as O);
    } catch (error) {
      if (batch.length > 1 && isUncommitted(error)) for (const one of batch) await this.finish(key, [one]);
      else for (const { reject } of batch) reject(error);
    }
  }
}
