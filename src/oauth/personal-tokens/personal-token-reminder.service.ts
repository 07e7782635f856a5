import { Injectable } from '@nestjs/common';
import { AccountService } from '../../accounts/account.service.js';
import { isInactive } from '../../accounts/account-facts.js';
import { type ChangeResult, Database } from '../../platform/database/database.js';
import { Outbox } from '../../platform/mail/outbox.js';
import type { JobHandler } from '../../policy/jobs.js';

interface DueRow {
  readonly account_id: string;
  readonly name: string;
  readonly expires_at: Date;
}

/** Sends the email about a personal access token that expires soon (tokens.md section 1). */
@Injectable()
export class PersonalTokenReminder implements JobHandler<{ token_id: string }> {
  constructor(
    private readonly database: Database,
    private readonly accounts: AccountService,
    private readonly outbox: Outbox,
  ) {}

  async run({ token_id }: { token_id: string }): Promise<void> {
    await this.database.transaction(async (tx) => {
      const [rows] = await tx.query<ChangeResult<DueRow>>(
        `UPDATE personal_token p SET reminded_at = now() FROM oauth_token t
         WHERE p.id = $1 AND p.reminded_at IS NULL AND t.id = p.id AND t.expires_at > now()
         RETURNING t.account_id, p.name, t.expires_at`,
        [token_id],
      );
      const due = rows[0];
      if (!due) return;
      const owner = await this.accounts.find(due.account_id, tx);
      if (!owner?.email || !owner.emailVerified || isInactive(owner) || !this.outbox.canSend) return;
      const metadata = { name: due.name, expires_at: due.expires_at.toISOString() };
      await this.outbox.enqueue(tx, { type: 'access_token_expiring', to: owner.email, accountId: owner.id, metadata });
    });
  }
}
