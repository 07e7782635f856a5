import type { ServerResponse } from 'node:http';

/** Unsent bytes at which the client counts as gone. It then continues after its last mark. */
const MAX_UNSENT_BYTES = 1024 * 1024;

/** A stream of revocations to one service, as server-sent events. */
export class RevocationStream {
  private readonly openedAt = performance.now();
  private aliveAt = Number.NEGATIVE_INFINITY;
  /** Events that occurred while former ones are being sent. */
  private waiting: string[] | undefined = [];

  /** The version of the application when it was authenticated. */
  version: string | undefined;

  constructor(
    readonly applicationId: string,
    private readonly res: ServerResponse,
  ) {}

  /** Sends the events that have waited. */
  start(): void {
    const { waiting } = this;
    this.waiting = undefined;
    for (const event of waiting ?? []) this.send(event);
  }

  /** Sends tags of revoked subjects, which wait until the stream has started. */
  revoke(tags: readonly string[], mark: string): void {
    this.queue(format('revoked', { tags }, mark));
  }

  /** Sends tags of subjects that were revoked before the stream was opened. */
  replay(tags: readonly string[], mark: string): void {
    this.send(format('revoked', { tags }, mark));
  }

  /** Makes the service drop all decisions that it keeps. */
  reset(mark: string): void {
    this.queue(format('reset', {}, mark));
  }

  /**
   * Sends a heartbeat if the last one is long enough ago.
   * @param readAt when the read of the journal began that proves that no revocation is missing
   */
  beat(readAt: number, intervalMs: number, mark: string): void {
    const now = performance.now();
    if (this.waiting || readAt <= Math.max(this.aliveAt, this.openedAt) || now - this.aliveAt < intervalMs) return;
    this.aliveAt = now;
    this.send(format('alive', {}, mark));
  }

  end(): void {
    this.res.end();
  }

  private queue(event: string): void {
    if (this.waiting) this.waiting.push(event);
    else this.send(event);
  }

  private send(event: string): void {
    if (this.res.writableLength > MAX_UNSENT_BYTES) this.res.destroy();
    else if (!this.res.writableEnded) this.res.write(event);
  }
}

const format = (event: string, data: object, mark: string): string =>
  `event: ${event}\nid: ${mark}\ndata: ${JSON.stringify(data)}\n\n`;
