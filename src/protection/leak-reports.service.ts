import { Injectable } from '@nestjs/common';
import { Snowflakes } from '../core/snowflake.js';
import { Database } from '../platform/database/database.js';
import { Cleanup } from '../platform/jobs/cleanup.js';
import { Jobs } from '../platform/jobs/jobs.service.js';
import type { JobHandler } from '../policy/jobs.js';
import { type CredentialClaim, LeakedCredentials, parseCredentials } from './leaked-credentials.service.js';

type SerializedClaim = Omit<CredentialClaim, 'digest'> & { readonly digest: string };

interface Report {
  readonly request_id: string;
  readonly claims: readonly SerializedClaim[];
}

const serializeClaim = ({ digest, ...claim }: CredentialClaim): SerializedClaim => ({
  ...claim,
  digest: digest.toString('base64'),
});
const parseClaim = ({ digest, ...claim }: SerializedClaim): CredentialClaim => ({
  ...claim,
  digest: Buffer.from(digest, 'base64'),
});

/**
 * Queue of reports of leaked credentials (web.md section 6). A report is stored before the response, and a job
 * processes it afterwards. Therefore the response and its timing are the same whatever the report contains.
 */
@Injectable()
export class LeakReports implements JobHandler<{ report_id: string }> {
  constructor(
    private readonly database: Database,
    private readonly snowflakes: Snowflakes,
    private readonly jobs: Jobs,
    private readonly leaked: LeakedCredentials,
    cleanup: Cleanup,
  ) {
    cleanup.addExpiry('leak_report', 'id', "created_at < now() - interval '7 days'");
  }

  async enqueue(found: readonly string[], requestId: string): Promise<void> {
    const claims = JSON.stringify(parseCredentials(found).map(serializeClaim));
    const id = this.snowflakes.next();
    await this.database.transaction(async (tx) => {
      await tx.query<unknown[]>('INSERT INTO leak_report (id, request_id, claims) VALUES ($1, $2, $3::jsonb)', [
        id,
        requestId,
        claims,
      ]);
      await this.jobs.enqueue(tx, 'protection:revoke_leaked', { report_id: id }, { key: id });
    });
  }

  /** @throws Error if some credentials could not be revoked, so that the job is tried again */
  async run({ report_id }: { report_id: string }): Promise<void> {
    const { manager } = this.database;
    const [report] = await manager.query<Report[]>('SELECT request_id, claims FROM leak_report WHERE id = $1', [
      report_id,
    ]);
    if (!report) return;
    if (!(await this.leaked.revokeAll(report.claims.map(parseClaim), report.request_id)))
      throw new Error('Revoking some leaked credentials failed');
    await manager.query<unknown>('DELETE FROM leak_report WHERE id = $1', [report_id]);
  }
}
