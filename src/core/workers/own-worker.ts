import cluster from 'node:cluster';
import { type Order, PLACE, type Place, type Report, type Word } from './messages.js';

/** Handlers for orders of the primary. */
export interface Orders {
  end(): void;
  retire(): void;
  report(): Promise<Report>;
  /** Called with the error if an order fails. */
  failed(error: unknown): void;
}

/** This process as one of `WORKERS`, with its channel to the primary. */
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

  /** Starts to handle orders. If the primary exits, the process shuts down. */
  obey(orders: Orders): void {
    process.on('message', (order: Order) => {
      if (order.gatehouse === 'gathered') this.gathering.get(order.id)?.(order.reports);
      else if (order.gatehouse === 'report') this.reportTo(orders, order.id).catch(orders.failed);
      else if (order.gatehouse === 'end') orders.end();
      else if (order.gatehouse === 'retire') orders.retire();
    });
    cluster.worker?.once('disconnect', () => {
      // Otherwise Node would exit here without a shutdown.
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

  /** The metrics of all workers, including the counters of exited workers. Empty if the primary is gone. */
  async gather(): Promise<readonly Report[]> {
    if (!process.connected) return [];
    const id = ++this.asked;
    const reports = new Promise<readonly Report[]>((resolve) => this.gathering.set(id, resolve));
    await this.send({ gatehouse: 'gather', id });
    return reports.finally(() => this.gathering.delete(id));
  }

  /** A message that cannot be delivered needs no handling, because the primary is gone. */
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

/** Undefined if the process is the only one or a worker of another program. */
export const ownWorker = read();
