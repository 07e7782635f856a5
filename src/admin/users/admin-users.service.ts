import { Injectable } from '@nestjs/common';
import { AccountRecords, type AccountSelector } from '../../accounts/account-records.service.js';
import { ApiError, validationError } from '../../core/errors.js';
import { DigestKeys } from '../../platform/keys/digest-keys.js';
import type { Operator } from '../audit/operator.js';
import { resolved, type UsersQuery } from './admin-users.dto.js';
import { adminUserView, type FieldVisibility, FULL_VISIBILITY } from './admin-users.views.js';

export const visibilityFor = (by: Operator): FieldVisibility => ({
  email: by.holds('user:view:email'),
  ip: by.holds('user:view:ip'),
});

/** @throws ApiError FV(INVALID_FORMAT@root) if there is more than one selector */
function selectorOf(query: UsersQuery, digestsOf: (phone: string) => Buffer[]): AccountSelector {
  const { user_id, resolve, username, email, phone, session_id_hash, last_active_ip } = query;
  const given = [user_id, resolve, username, email, phone, session_id_hash, last_active_ip];
  if (given.filter((value) => value !== undefined).length > 1) {
    throw validationError('root', 'INVALID_FORMAT');
  }
  if (user_id !== undefined) return { ids: [user_id].flat() };
  if (resolve !== undefined) return resolved(resolve);
  if (username !== undefined) return { username };
  if (phone !== undefined) return { phoneDigests: digestsOf(phone) };
  if (session_id_hash !== undefined) return { sessionDigest: Buffer.from(session_id_hash, 'base64url') };
  if (email !== undefined) return { email };
  return last_active_ip === undefined ? {} : { lastActiveIp: last_active_ip };
}

/** Searches and shows accounts for administrators (admin.md 5.2). */
@Injectable()
export class AdminUsers {
  constructor(
    private readonly records: AccountRecords,
    private readonly digestKeys: DigestKeys,
  ) {}

  /** @throws ApiError MISSING_ACL if the operator lacks the ACL to read or change the searched member */
  async search(by: Operator, query: UsersQuery) {
    const selector = selectorOf(query, (phone) => this.digestKeys.digestWithAllKeys('phone', phone));
    const sight = visibilityFor(by);
    if (selector.email !== undefined && !sight.email) throw new ApiError('MISSING_ACL');
    if (selector.lastActiveIp !== undefined && !sight.ip) throw new ApiError('MISSING_ACL');
    if (selector.phoneDigests && !by.holds('user:update:phone')) throw new ApiError('MISSING_ACL');
    if (selector.sessionDigest && !by.holds('user:list:sessions')) throw new ApiError('MISSING_ACL');
    const { limit = 50, offset = 0 } = query;
    const { records, total } = await this.records.search(selector, { limit, offset });
    return { users: records.map((record) => adminUserView(record, sight)), total };
  }

  /** Returns the operator's own account without redaction. */
  async self(by: Operator) {
    const record = await this.records.find(by.accountId);
    if (!record) throw new ApiError('UNAUTHORIZED');
    return { user: adminUserView(record, FULL_VISIBILITY) };
  }

  /** Returns a list of one account or an empty list. */
  async show(by: Operator, id: string) {
    const record = await this.records.find(id);
    return { users: record ? [adminUserView(record, visibilityFor(by))] : [] };
  }
}
