import cluster from 'node:cluster';
import {
  type EndSignal,
  type MetricsReport,
  type PrimaryMessage,
  SLOT_VARIABLE,
  type WorkerMessage,
  type WorkerSlot,
} from './messages.js';

/** Handlers for orders of the primary. */
export interface OrderHandlers {
  end(signal: EndSignal): void;
  retire(): void;
  report(): Promise<MetricsReport>;
  /** Called with the error if an order fails. */
  failed(error: unknown): void;
}

/** This process as one of `WORKERS`, with its channel to the primary. */
class OwnWorker {
  readonly number: number;
  readonly share: number;
  readonly printsBanner: boolean;
  private readonly pendingCollections = new Map<number, (reports: readonly MetricsReport[]) => void>();
  private lastCollectionId = 0;

  constructor({ number, share, printsBanner }: WorkerSlot) {
    this.number = number;
    this.share = share;
    this.printsBanner = printsBanner;
    cluster.worker?.once('disconnect', () => {
      for (const answered of this.pendingCollections.values()) answered([]);
    });
  }

  /** Starts to handle orders. If the primary exits, the process shuts down. */
  handleOrders(orders: OrderHandlers): void {
    process.on('message', (order: PrimaryMessage) => {
      this.handle(orders, order).catch(orders.failed);
    });
    cluster.worker?.once('disconnect', () => {
      // Otherwise Node would exit here without a shutdown.
      if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
      this.handle(orders, { gatehouse: 'end', signal: 'SIGINT' }).catch(orders.failed);
    });
  }

  /** Rejects if a handler throws, because an exception in the event handler itself would end the process. */
  private async handle(orders: OrderHandlers, order: PrimaryMessage): Promise<void> {
    if (order.gatehouse === 'gathered') this.pendingCollections.get(order.id)?.(order.reports);
    else if (order.gatehouse === 'report') await this.sendReport(await orders.report(), order.id);
    else if (order.gatehouse === 'end') orders.end(order.signal);
    else if (order.gatehouse === 'retire') orders.retire();
  }

  notify(word: 'started' | 'ready' | 'leaving'): Promise<void> {
    return this.send({ gatehouse: word });
  }

  sendReport(report: MetricsReport, id?: number): Promise<void> {
    return this.send({ gatehouse: 'report', report, ...(id === undefined ? {} : { id }) });
  }

  /** The metrics of all workers, including the counters of exited workers. Empty if the primary is gone. */
  async collectReports(): Promise<readonly MetricsReport[]> {
    if (!process.connected) return [];
    const id = ++this.lastCollectionId;
    const reports = new Promise<readonly MetricsReport[]>((resolve) => this.pendingCollections.set(id, resolve));
    await this.send({ gatehouse: 'gather', id });
    return reports.finally(() => this.pendingCollections.delete(id));
  }

  /** A message that cannot be delivered needs no handling, because the primary is gone. */
  private send(word: WorkerMessage): Promise<void> {
    return new Promise((resolve) => {
      if (!process.connected) resolve();
      else process.send?.(word, undefined, undefined, () => resolve());
    });
  }
}

function createOwnWorker(): OwnWorker | undefined {
  const { [SLOT_VARIABLE]: place } = process.env;
  delete process.env[SLOT_VARIABLE];
  return place !== undefined && cluster.isWorker ? new OwnWorker(JSON.parse(place)) : undefined;
}

/** Undefined if the process is the only one or a worker of another program. */
export const ownWorker = createOwnWorker();
