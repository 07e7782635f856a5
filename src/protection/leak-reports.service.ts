import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Log } from '../core/log.js';
import { Snowflakes } from '../core/snowflake.js';
import { type Changed, Database } from '../platform/database/database.js';
import { backOffSeconds, Drain } from '../platform/process/at-least-once.js';
import { Janitor } from '../platform/process/janitor.js';
import { type Claim, claimsIn, LeakedCredentials } from './leaked-credentials.service.js';

type WrittenClaim = Omit<Claim, 'digest'> & { readonly digest: string };

interface DueReport {
  readonly id: string;
  readonly request_id: string;
  readonly claims: readonly WrittenClaim[];
  readonly attempts: number;
}

/** Longer than a hundred credentials take. After that, the process that claimed the report counts as crashed. */
const LEASE_SECONDS = 120;
/** One report at a time, so that a reporter who sends many only delays their own. */
const LANES = 1;

const CLAIM_DUE_REPORT = `
  UPDATE leak_report SET attempts = attempts + 1, next_attempt_at = now() + interval '${LEASE_SECONDS} seconds'
  WHERE id = (SELECT id FROM leak_report WHERE next_attempt_at <= now()
              ORDER BY next_attempt_at LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING id, request_id, claims, attempts`;

const written = ({ digest, ...claim }: Claim): WrittenClaim => ({ ...claim, digest: digest.toString('base64') });
const read = ({ digest, ...claim }: WrittenClaim): Claim => ({ ...claim, digest: Buffer.from(digest, 'base64') });

/**
 * Queue of reports of leaked credentials (web.md section 6). A report is stored before the response and processed after
 * it, at least once. Therefore the response and its timing are the same whatever the report contains.
 */
@Injectable()
export class LeakReports implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly drain: Drain;

  constructor(
    private readonly database: Database,
    private readonly snowflakes: Snowflakes,
    private readonly leaked: LeakedCredentials,
    private readonly log: Log,
    janitor: Janitor,
  ) {
    this.drain = new Drain(
      () => this.workOffNext(),
      (error) => log.error('reports of leaked credentials cannot be read', { error }),
      LANES,
    );
    janitor.addExpiry('leak_report', 'id', "created_at < now() - interval '7 days'");
  }

  onApplicationBootstrap(): void {
    this.drain.start();
  }

  async take(found: readonly string[], requestId: string): Promise<void> {
    const claims = JSON.stringify(claimsIn(found).map(written));
    await this.database.manager.query<unknown[]>(
      'INSERT INTO leak_report (id, request_id, claims) VALUES ($1, $2, $3::jsonb)',
      [this.snowflakes.next(), requestId, claims],
    );
    this.drain.wake();
  }

  /** Processes the next due report. Returns false if none is due. */
  private async workOffNext(): Promise<boolean> {
    const [[report]] = await this.database.manager.query<Changed<DueReport>>(CLAIM_DUE_REPORT);
    if (!report) return false;
    if (await this.leaked.endAll(report.claims.map(read), report.request_id)) {
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
    await this.drain.stop();
  }
}
