import { Injectable } from '@nestjs/common';
import { AccountRecords, type AccountSelector } from '../../accounts/account-records.service.js';
import { invalid, Refusal } from '../../core/errors.js';
import type { Operator } from '../audit/operator.js';
import { resolved, type UsersQuery } from './admin-users.dto.js';
import { adminUserView, FULL_SIGHT, type Sight } from './admin-users.views.js';

export const sightOf = (by: Operator): Sight => ({
  email: by.holds('user:view:email'),
  ip: by.holds('user:view:ip'),
});

/** @throws Refusal FV(INVALID_FORMAT@root) for several selectors */
function selectorOf({ user_id, resolve, email, last_active_ip }: UsersQuery): AccountSelector {
  if ([user_id, resolve, email, last_active_ip].filter((value) => value !== undefined).length > 1) {
    throw invalid('root', 'INVALID_FORMAT');
  }
  if (user_id !== undefined) return { ids: [user_id].flat() };
  if (resolve !== undefined) return resolved(resolve);
  if (email !== undefined) return { email };
  return last_active_ip === undefined ? {} : { lastActiveIp: last_active_ip };
}

/** Accounts as administrators read them (admin.md 5.2). */
@Injectable()
export class AdminUsers {
  constructor(private readonly records: AccountRecords) {}

  /** @throws Refusal MISSING_ACL for an e-mail or address selector without the ACL to see what it asks for */
  async search(by: Operator, query: UsersQuery) {
    const selector = selectorOf(query);
    const sight = sightOf(by);
    if (selector.email !== undefined && !sight.email) throw new Refusal('MISSING_ACL');
    if (selector.lastActiveIp !== undefined && !sight.ip) throw new Refusal('MISSING_ACL');
    const { limit = 50, offset = 0 } = query;
    const { records, total } = await this.records.search(selector, { limit, offset });
    return { users: records.map((record) => adminUserView(record, sight)), total };
  }

  /** The operator's own account, unredacted. */
  async self(by: Operator) {
    const record = await this.records.find(by.accountId);
    if (!record) throw new Refusal('UNAUTHORIZED');
    return { user: adminUserView(record, FULL_SIGHT) };
  }

  /** A list of one or of none. */
  async show(by: Operator, id: string) {
    const record = await this.records.find(id);
    return { users: record ? [adminUserView(record, sightOf(by))] : [] };
  }
}
