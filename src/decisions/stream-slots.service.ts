import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { ApiError } from '../core/errors.js';
import { Log } from '../core/log.js';
import { Snowflakes } from '../core/snowflake.js';
import { Database } from '../platform/database/database.js';
import { Cleanup } from '../platform/jobs/cleanup.js';

/** Open streams of an application, on all replicas together. */
const MAX_STREAMS = 20;
const RENEWAL_INTERVAL_MS = 3000;
/** A slot that was not renewed for this long is free. Its replica has crashed or does not respond. */
const EXPIRY_SECONDS = 10;

/** Takes a slot if one is free. The lock makes parallel requests of an application wait for each other. */
const TAKE = `
  INSERT INTO decision_stream (id, application_id)
  SELECT $1, $2 WHERE (
    SELECT count(*) FROM decision_stream
    WHERE application_id = $2 AND seen_at > now() - interval '${EXPIRY_SECONDS} seconds') < ${MAX_STREAMS}
  RETURNING id`;

/** Limits the streams of each application on all replicas together. */
@Injectable()
export class StreamSlots implements BeforeApplicationShutdown {
  private readonly taken = new Set<string>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly database: Database,
    private readonly snowflakes: Snowflakes,
    private readonly log: Log,
    cleanup: Cleanup,
  ) {
    cleanup.addExpiry('decision_stream', 'id', `seen_at < now() - interval '${EXPIRY_SECONDS} seconds'`);
  }

  /**
   * Takes a slot and returns its ID.
   * @throws ApiError RATE_LIMITED if the application has the maximum number of streams
   */
  async take(applicationId: string): Promise<string> {
    const id = this.snowflakes.next();
    const rows = await this.database.transaction(async (tx) => {
      await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('decision streams/' || $1, 0))`, [applicationId]);
      return tx.query<unknown[]>(TAKE, [id, applicationId]);
    });
    if (rows.length === 0) {
      throw new ApiError('RATE_LIMITED', { global: false, retry_after: EXPIRY_SECONDS }).withHeaders({
        'Retry-After': String(EXPIRY_SECONDS),
      });
    }
    this.taken.add(id);
    this.timer ??= setInterval(() => this.renew(), RENEWAL_INTERVAL_MS).unref();
    return id;
  }

  /** Frees a slot. If the statement fails, the slot expires. */
  free(id: string): void {
    if (!this.taken.delete(id)) return;
    if (this.taken.size === 0) this.stop();
    this.run('DELETE FROM decision_stream WHERE id = ANY ($1::bigint[])', [id]).catch(this.reportFailure);
  }

  private renew(): void {
    this.run('UPDATE decision_stream SET seen_at = now() WHERE id = ANY ($1::bigint[])', [...this.taken]).catch(
      this.reportFailure,
    );
  }

  private async run(text: string, ids: readonly string[]): Promise<void> {
    await this.database.manager.query(text, [ids]);
  }

  private readonly reportFailure = (error: unknown): void =>
    this.log.warn('writing the open revocation streams failed', { error });

  private stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  beforeApplicationShutdown(): void {
    this.stop();
  }
}
