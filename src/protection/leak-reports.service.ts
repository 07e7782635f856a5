import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Log } from '../core/log.js';
import { Snowflakes } from '../core/snowflake.js';
import { type Changed, Database } from '../platform/database/database.js';
import { CleanupJobs } from '../platform/process/cleanup-jobs.js';
import { backOffSeconds, PollingWorker } from '../platform/process/polling-worker.js';
import { type CredentialClaim, LeakedCredentials, parseCredentials } from './leaked-credentials.service.js';

type SerializedClaim = Omit<CredentialClaim, 'digest'> & { readonly digest: string };

interface DueReport {
  readonly id: string;
  readonly request_id: string;
  readonly claims: readonly SerializedClaim[];
  readonly attempts: number;
}

/** Longer than a hundred credentials take. After that, the process that claimed the report counts as crashed. */
const LEASE_SECONDS = 120;
/** One report at a time, so that a reporter who sends many only delays their own. */
const REPORT_CONCURRENCY = 1;

const CLAIM_DUE_REPORT = `
  UPDATE leak_report SET attempts = attempts + 1, next_attempt_at = now() + interval '${LEASE_SECONDS} seconds'
  WHERE id = (SELECT id FROM leak_report WHERE next_attempt_at <= now()
              ORDER BY next_attempt_at LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING id, request_id, claims, attempts`;

const serializeClaim = ({ digest, ...claim }: CredentialClaim): SerializedClaim => ({
  ...claim,
  digest: digest.toString('base64'),
});
const parseClaim = ({ digest, ...claim }: SerializedClaim): CredentialClaim => ({
  ...claim,
  digest: Buffer.from(digest, 'base64'),
});

/**
 * Queue of reports of leaked credentials (web.md section 6). A report is stored before the response and processed after
 * it, at least once. Therefore the response and its timing are the same whatever the report contains.
 */
@Injectable()
export class LeakReports implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly worker: PollingWorker;

  constructor(
    private readonly database: Database,
    private readonly snowflakes: Snowflakes,
    private readonly leaked: LeakedCredentials,
    private readonly log: Log,
    cleanupJobs: CleanupJobs,
  ) {
    this.worker = new PollingWorker(
      () => this.processNext(),
      (error) => log.error('reports of leaked credentials cannot be read', { error }),
      REPORT_CONCURRENCY,
    );
    cleanupJobs.addExpiry('leak_report', 'id', "created_at < now() - interval '7 days'");
  }

  onApplicationBootstrap(): void {
    this.worker.start();
  }

  async enqueue(found: readonly string[], requestId: string): Promise<void> {
    const claims = JSON.stringify(parseCredentials(found).map(serializeClaim));
    await this.database.manager.query<unknown[]>(
      'INSERT INTO leak_report (id, request_id, claims) VALUES ($1, $2, $3::jsonb)',
      [this.snowflakes.next(), requestId, claims],
    );
    this.worker.wake();
  }

  /** Processes the next due report. Returns false if none is due. */
  private async processNext(): Promise<boolean> {
    const [[report]] = await this.database.manager.query<Changed<DueReport>>(CLAIM_DUE_REPORT);
    if (!report) return false;
    if (await this.leaked.revokeAll(report.claims.map(parseClaim), report.request_id)) {
      await this.database.manager.query<Changed>('DELETE FROM leak_report WHERE id = $1', [report.id]);
    } else await this.defer(report);
    return true;
  }

  private async defer({ id, attempts }: DueReport): Promise<void> {
    this.log.warn('leaked credentials could not be ended', { report: id, attempts });
    await this.database.manager.query<Changed>(
      'UPDATE leak_report SET next_attempt_at = now() + make_interval(secs => $2) WHERE id = $1',
      [id, backOffSeconds(attempts)],
    );
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.worker.stop();
  }
}
