import { Injectable } from '@nestjs/common';
import { AccountRecords, type AccountSelector } from '../../accounts/account-records.service.js';
import { ApiError, validationError } from '../../core/errors.js';
import { Database } from '../../platform/database/database.js';
import { DigestKeys } from '../../platform/keys/digest-keys.js';
import type { Operator } from '../audit/operator.js';
import { parseAccountName, type UsersQuery } from './admin-users.dto.js';
import { adminUserView, type FieldVisibility, FULL_VISIBILITY } from './admin-users.views.js';
import { type UserFilters, UserList } from './user-list.js';
import { cursorAt, positionOf } from './user-list-cursor.js';

export const visibilityFor = (by: Operator): FieldVisibility => ({
  email: by.holds('user:view:email'),
  ip: by.holds('user:view:ip'),
});

const FILTERS = [
  ...(['state', 'email_verified', 'second_factor', 'has_acls', 'provider', 'created_from'] as const),
  ...(['created_to', 'last_seen_from', 'last_seen_to', 'q', 'sort', 'order', 'cursor'] as const),
] as const;
const MAX_LISTED = 100;

const flag = (text: string | undefined): boolean | undefined => (text === undefined ? undefined : text === 'true');

function filtersOf(query: UsersQuery, searchesEmail: boolean): UserFilters {
  const { q, state, provider } = query;
  const columns = ['username', 'global_name', ...(searchesEmail ? (['email'] as const) : [])] as const;
  return {
    ...{ state, provider, emailVerified: flag(query.email_verified), secondFactor: flag(query.second_factor) },
    hasAcls: flag(query.has_acls),
    created: { from: query.created_from, to: query.created_to },
    lastSeen: { from: query.last_seen_from, to: query.last_seen_to },
    ...(q === undefined ? {} : { prefix: { text: q, columns } }),
  };
}

/** @throws ApiError FV(INVALID_FORMAT@root) if there is more than one selector */
function selectorOf(query: UsersQuery, digestsOf: (phone: string) => Buffer[]): AccountSelector {
  const { user_id, resolve, username, email, phone, session_id_hash, last_active_ip } = query;
  const given = [user_id, resolve, username, email, phone, session_id_hash, last_active_ip];
  if (given.filter((value) => value !== undefined).length > 1) {
    throw validationError('root', 'INVALID_FORMAT');
  }
  if (user_id !== undefined) return { ids: [user_id].flat() };
  if (resolve !== undefined) return parseAccountName(resolve);
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
    private readonly database: Database,
  ) {}

  /**
   * @throws ApiError MISSING_ACL if the operator lacks the ACL to read or change the searched member
   * @throws ApiError FV(INVALID_FORMAT@root) if a filter is combined with a selector or an offset
   */
  async search(by: Operator, query: UsersQuery) {
    const selector = selectorOf(query, (phone) => this.digestKeys.digestWithAllKeys('phone', phone));
    const visibility = visibilityFor(by);
    if (selector.email !== undefined && !visibility.email) throw new ApiError('MISSING_ACL');
    if (selector.lastActiveIp !== undefined && !visibility.ip) throw new ApiError('MISSING_ACL');
    if (selector.phoneDigests && !by.holds('user:update:phone')) throw new ApiError('MISSING_ACL');
    if (selector.sessionDigest && !by.holds('user:list:sessions')) throw new ApiError('MISSING_ACL');
    const { limit = 50, offset } = query;
    const isFiltered = FILTERS.some((name) => query[name] !== undefined);
    const isSelected = offset !== undefined || Object.keys(selector).length > 0;
    if (isFiltered && isSelected) throw validationError('root', 'INVALID_FORMAT');
    if (isFiltered && limit > MAX_LISTED) throw validationError('limit', 'INVALID_FORMAT');
    if (!isSelected) return this.list(by, query, limit);
    const page = { limit, offset: offset ?? 0 };
    // The hash of a session is looked up where credentials are.
    const { records, total } = selector.sessionDigest
      ? await this.records.search(selector, page)
      : await this.database.read((reader) => this.records.search(selector, page, 'newest', reader));
    return {
      users: records.map((record) => adminUserView(record, visibility)),
      total,
      next_cursor: null,
      truncated: false,
    };
  }

  private async list(by: Operator, query: UsersQuery, limit: number) {
    const visibility = visibilityFor(by);
    if (query.email_verified !== undefined && !visibility.email) throw new ApiError('MISSING_ACL');
    const { sort = 'created', order = sort === 'username' ? 'asc' : 'desc', cursor } = query;
    const after = cursor === undefined ? undefined : positionOf(sort, order, cursor);
    if (cursor !== undefined && !after) throw validationError('cursor', 'INVALID_FORMAT');
    const filters = filtersOf(query, by.holds('user:update:email'));
    const { ids, total, next, isTruncated } = await this.database.readTransaction((tx) =>
      new UserList(tx, filters, sort, order).page(limit, after),
    );
    const records = await this.database.read((reader) => this.records.inOrder(ids, reader));
    return {
      ...{ users: records.map((record) => adminUserView(record, visibility)), total },
      next_cursor: next && cursorAt(sort, order, next),
      truncated: isTruncated,
    };
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
