import { Injectable } from '@nestjs/common';
import { Database, type Tx } from '../platform/database/database.js';
import type { Account, AccountRow, AdministratorColumns } from '../policy/account.js';
import { formatDiscriminator } from './account.views.js';
import { ACCOUNT_RECORD_SQL, toAccount } from './account-facts.js';

/** An account with data that only administrators see. */
export interface AccountRecord extends Account, AdministratorColumns {
  readonly ssoLinked: boolean;
}

/** Search condition; at most one member is set. */
export interface AccountSelector {
  readonly ids?: readonly string[];
  readonly username?: string;
  readonly phoneDigests?: readonly Buffer[];
  readonly sessionDigest?: Buffer;
  readonly tag?: { readonly username: string; readonly discriminator: number };
  readonly email?: string;
  readonly lastActiveIp?: string;
  readonly trait?: string;
}

/** Highest reachable row of the search. Matches beyond it are not counted. */
export const MAX_TOTAL = 100_200;

export interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** Account data in an audit entry. */
export interface AccountSummary {
  readonly id: string;
  readonly username: string;
  readonly discriminator: string;
  readonly global_name: string | null;
}

const RECORD_SQL = `${ACCOUNT_RECORD_SQL},
  EXISTS (SELECT 1 FROM sso_identity i WHERE i.account_id = a.id) AS "ssoLinked"`;

type RecordRow = AccountRow & AdministratorColumns & Pick<AccountRecord, 'ssoLinked'>;

interface SummaryRow {
  readonly id: string;
  readonly username: string;
  readonly discriminator: number;
  readonly global_name: string | null;
}

function conditionOf(selector: AccountSelector): [condition: string, values: unknown[]] {
  const { ids, tag, username, phoneDigests, sessionDigest, email, lastActiveIp, trait } = selector;
  if (ids) return ['a.id = ANY($1::bigint[])', [ids]];
  if (tag) return ['lower(a.username) = lower($1) AND a.discriminator = $2', [tag.username, tag.discriminator]];
  if (username !== undefined) return ['lower(a.username) = lower($1)', [username]];
  if (phoneDigests) return ['a.phone_digest = ANY($1) AND a.has_verified_phone', [phoneDigests]];
  if (sessionDigest) return ['a.id = (SELECT s.account_id FROM session s WHERE s.digest = $1)', [sessionDigest]];
  if (email !== undefined) return ['lower(a.email) = lower($1)', [email]];
  if (lastActiveIp !== undefined) return ['a.last_active_ip = $1', [lastActiveIp]];
  if (trait !== undefined) return ['a.traits @> ARRAY[$1]', [trait]];
  return ['true', []];
}

/** Administrators' access to accounts: find, search, lock. */
@Injectable()
export class AccountRecords {
  constructor(private readonly database: Database) {}

  async find(id: string, tx: Tx = this.database.manager): Promise<AccountRecord | null> {
    const rows = await tx.query<RecordRow[]>(`SELECT ${RECORD_SQL} FROM account a WHERE a.id = $1`, [id]);
    return rows[0] ? toAccount(rows[0]) : null;
  }

  /** Locks an account against changes until `tx` ends, and returns it. */
  async lock(tx: Tx, id: string): Promise<AccountRecord | null> {
    const locked = await tx.query<unknown[]>('SELECT 1 FROM account WHERE id = $1 FOR NO KEY UPDATE', [id]);
    return locked.length > 0 ? this.find(id, tx) : null;
  }

  /** Returns a page of matching accounts and the total number of matches, up to `MAX_TOTAL`. */
  async search(
    selector: AccountSelector,
    { limit, offset }: Page,
    order: 'newest' | 'oldest' = 'newest',
    tx: Tx = this.database.manager,
  ): Promise<{ records: AccountRecord[]; total: number }> {
    const [condition, values] = conditionOf(selector);
    const [count] = await tx.query<[{ total: number }]>(
      `SELECT count(*)::int AS total FROM (SELECT 1 FROM account a WHERE ${condition} LIMIT ${MAX_TOTAL}) counted`,
      values,
    );
    const direction = order === 'newest' ? 'DESC' : 'ASC';
    // Selects the page by ID first, so that only accounts on the page are read completely.
    const page = `SELECT a.id FROM account a WHERE ${condition}
      ORDER BY a.id ${direction} LIMIT ${Number(limit)} OFFSET ${Number(offset)}`;
    const rows = await tx.query<RecordRow[]>(
      `SELECT ${RECORD_SQL} FROM (${page}) page JOIN account a ON a.id = page.id ORDER BY a.id ${direction}`,
      values,
    );
    return { records: rows.map(toAccount), total: count.total };
  }

  /** Returns accounts in the order of their IDs in the list, without those that no longer exist. */
  async inOrder(ids: readonly string[], tx: Tx = this.database.manager): Promise<AccountRecord[]> {
    const rows = await tx.query<RecordRow[]>(
      `SELECT ${RECORD_SQL} FROM account a WHERE a.id = ANY ($1::bigint[]) ORDER BY array_position($1::bigint[], a.id)`,
      [ids],
    );
    return rows.map(toAccount);
  }

  /** Returns the summaries of existing accounts by ID. */
  async summaries(ids: readonly string[], tx: Tx = this.database.manager): Promise<Map<string, AccountSummary>> {
    const rows = await tx.query<SummaryRow[]>(
      `SELECT id, username, discriminator, CASE WHEN deleted_at IS NULL THEN global_name ELSE 'Deleted User' END
         AS global_name
       FROM account WHERE id = ANY($1::bigint[])`,
      [[...new Set(ids)]],
    );
    return new Map(
      rows.map(({ id, username, discriminator, global_name }) => [
        id,
        { id, username, discriminator: formatDiscriminator(discriminator), global_name },
      ]),
    );
  }

  /** Whether any account has the wildcard ACL, so that the instance has an administrator. */
  async hasAdministrator(tx: Tx = this.database.manager): Promise<boolean> {
    const rows = await tx.query<unknown[]>("SELECT 1 FROM account WHERE acls @> ARRAY['*'] LIMIT 1");
    return rows.length > 0;
  }
}
