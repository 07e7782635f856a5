import cluster from 'node:cluster';
import { type Order, PLACE, type Place, type Report, type Word } from './messages.js';

/** What a worker does when the primary says so. */
export interface Orders {
  end(): void;
  retire(): void;
  report(): Promise<Report>;
  /** Hears why an order could not be carried out. */
  failed(error: unknown): void;
}

/** This process as one of `WORKERS`, and its line to the primary. */
class OwnWorker {
  readonly number: number;
  readonly greets: boolean;
  private readonly gathering = new Map<number, (reports: readonly Report[]) => void>();
  private asked = 0;

  constructor({ number, greets }: Place) {
    this.number = number;
    this.greets = greets;
    cluster.worker?.once('disconnect', () => {
      for (const answered of this.gathering.values()) answered([]);
    });
  }

  /** From now on orders are taken; without a primary the process ends, as it would by an order. */
  obey(orders: Orders): void {
    process.on('message', (order: Order) => {
      if (order.gatehouse === 'gathered') this.gathering.get(order.id)?.(order.reports);
      else if (order.gatehouse === 'report') this.reportTo(orders, order.id).catch(orders.failed);
      else if (order.gatehouse === 'end') orders.end();
      else if (order.gatehouse === 'retire') orders.retire();
    });
    cluster.worker?.once('disconnect', () => {
      // Node would end the process here, whatever is running.
      if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
      orders.end();
    });
  }

  tell(word: 'started' | 'ready' | 'leaving'): Promise<void> {
    return this.send({ gatehouse: word });
  }

  private async reportTo(orders: Orders, id: number | undefined): Promise<void> {
    await this.report(await orders.report(), id);
  }

  report(report: Report, id?: number): Promise<void> {
    return this.send({ gatehouse: 'report', report, ...(id === undefined ? {} : { id }) });
  }

  /** The metrics of every worker, and what those that are gone have counted; none where nobody can say. */
  async gather(): Promise<readonly Report[]> {
    if (!process.connected) return [];
    const id = ++this.asked;
    const reports = new Promise<readonly Report[]>((resolve) => this.gathering.set(id, resolve));
    await this.send({ gatehouse: 'gather', id });
    return reports.finally(() => this.gathering.delete(id));
  }

  /** What does not arrive has nobody who would hear it. */
  private send(word: Word): Promise<void> {
    return new Promise((resolve) => {
      if (!process.connected) resolve();
      else process.send?.(word, undefined, undefined, () => resolve());
    });
  }
}

function read(): OwnWorker | undefined {
  const { [PLACE]: place } = process.env;
  delete process.env[PLACE];
  return place !== undefined && cluster.isWorker ? new OwnWorker(JSON.parse(place)) : undefined;
}

/** Undefined where the process is the only one, or is somebody else's worker. */
export const ownWorker = read();
