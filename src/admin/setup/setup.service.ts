import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AccountService } from '../../accounts/account.service.js';
import { privateUserView } from '../../accounts/account.views.js';
import { isInactive } from '../../accounts/account-facts.js';
import { AccountRecords } from '../../accounts/account-records.service.js';
import { CallerGuard } from '../../auth/sessions/caller-guard.service.js';
import { Config } from '../../core/config/config.js';
import { ApiError } from '../../core/errors.js';
import { digest, mintToken } from '../../core/secrets.js';
import { type ChangeResult, Database, type Tx } from '../../platform/database/database.js';
import { AuditLog } from '../audit/audit.service.js';
import type { Operator } from '../audit/operator.js';

const SETTING_NAME = 'setup_token';
const NO_ADMINISTRATOR = "NOT EXISTS (SELECT 1 FROM account WHERE acls @> ARRAY['*'])";

const hexDigest = (token: string): string => digest(token).toString('hex');

/** The one-time token that creates the first administrator (admin.md section 3). Only its digest is stored. */
@Injectable()
export class SetupToken implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly config: Config,
    private readonly accounts: AccountService,
    private readonly records: AccountRecords,
    private readonly callerGuard: CallerGuard,
    private readonly audit: AuditLog,
  ) {}

  /** A preset token replaces any earlier token. A token that was spent stays spent. */
  async onModuleInit(): Promise<void> {
    const { setupToken } = this.config;
    if (setupToken !== undefined) {
      await this.database.manager.query(
        `INSERT INTO instance (name, value)
         SELECT '${SETTING_NAME}', jsonb_build_object('digest', $1::text, 'void', NOT (${NO_ADMINISTRATOR}))
         ON CONFLICT (name) DO UPDATE SET value = excluded.value, changed_at = now()
         WHERE instance.value->>'digest' <> excluded.value->>'digest'`,
        [hexDigest(setupToken)],
      );
    }
    if (await this.records.hasAdministrator()) await this.invalidate(this.database.manager);
  }

  /**
   * Returns a new token to print during startup if the instance has no administrator and no token, otherwise `null`. If
   * several processes start at the same time, one gets the token.
   */
  async issueIfNeeded(): Promise<string | null> {
    const token = mintToken();
    const rows = await this.database.manager.query<unknown[]>(
      `INSERT INTO instance (name, value)
       SELECT '${SETTING_NAME}', jsonb_build_object('digest', $1::text, 'void', false) WHERE ${NO_ADMINISTRATOR}
       ON CONFLICT (name) DO NOTHING RETURNING name`,
      [hexDigest(token)],
    );
    return rows.length > 0 ? token : null;
  }

  /**
   * Makes the caller an administrator. Of parallel calls, exactly one succeeds.
   * @throws ApiError MISSING_PERMISSIONS if the token is wrong, spent or void, or if the account is inactive
   */
  async redeem(by: Operator, token: string) {
    const user = await this.database.transaction(async (tx) => {
      if (by.identity) await this.callerGuard.lockCaller(tx, by.identity);
      const account = await this.records.lock(tx, by.accountId);
      if (!account || isInactive(account) || !(await this.spend(tx, token))) throw new ApiError('MISSING_PERMISSIONS');
      await this.accounts.update(tx, account.id, { acls: [...account.acls, '*'] });
      await this.audit.record(tx, by, { action: 'setup', target: { type: 'user', id: account.id } });
      return this.accounts.find(account.id, tx);
    });
    if (!user) throw new Error('The changed account was not found');
    return { user: privateUserView(user) };
  }

  private async spend(tx: Tx, token: string): Promise<boolean> {
    const [rows] = await tx.query<ChangeResult>(
      `UPDATE instance SET value = value || '{"void": true}', changed_at = now()
       WHERE name = '${SETTING_NAME}' AND value->>'digest' = $1 AND value->>'void' = 'false' AND ${NO_ADMINISTRATOR}
       RETURNING name`,
      [hexDigest(token)],
    );
    return rows.length > 0;
  }

  /** Invalidates the token permanently, because an account has the wildcard ACL now. */
  async invalidate(tx: Tx): Promise<void> {
    await tx.query(
      `UPDATE instance SET value = value || '{"void": true}', changed_at = now()
       WHERE name = '${SETTING_NAME}' AND value->>'void' = 'false'`,
    );
  }
}
