import { Injectable } from '@nestjs/common';
import { AccountRecords } from '../../accounts/account-records.service.js';
import { ApiError } from '../../core/errors.js';
import { PersonalTokens } from '../../oauth/personal-tokens/personal-tokens.service.js';
import { Database } from '../../platform/database/database.js';
import { AuditLog } from '../audit/audit.service.js';
import type { Operator } from '../audit/operator.js';
import { UserChanges } from './user-changes.service.js';

/** Personal access tokens of accounts (tokens.md section 1). */
@Injectable()
export class UserTokens {
  constructor(
    private readonly records: AccountRecords,
    private readonly tokens: PersonalTokens,
    private readonly changes: UserChanges,
    private readonly audit: AuditLog,
    private readonly database: Database,
  ) {}

  /** @throws ApiError UNKNOWN_USER */
  async list(by: Operator, id: string) {
    if (!(await this.records.find(id))) throw new ApiError('UNKNOWN_USER');
    const tokens = await this.tokens.list(id);
    const target = { type: 'user', id } as const;
    const metadata = { token_count: tokens.length };
    await this.database.transaction((tx) =>
      this.audit.record(tx, by, { action: 'list_access_tokens', target, metadata }),
    );
    return { tokens };
  }

  /** @throws ApiError UNKNOWN_USER, MISSING_ACL, UNKNOWN_TOKEN */
  async delete(by: Operator, id: string, tokenId: string): Promise<void> {
    await this.changes.apply(by, id, {
      action: 'delete_access_token',
      make: async (tx, target) => {
        const name = await this.tokens.deleteOf(tx, target, tokenId, { by: 'administrator' });
        return { token_id: tokenId, name };
      },
    });
  }
}
