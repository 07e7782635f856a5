import { LOCKED_DOWN } from '../../accounts/account.service.js';
import { ACCOUNT_FLAGS } from '../../accounts/account-facts.js';
import { MAX_TOTAL } from '../../accounts/account-records.service.js';
import type { Tx } from '../../platform/database/database.js';
import type { UserOrder, UserPosition, UserSort } from './user-list-cursor.js';

/** The number of accounts that one search may read. */
export const MAX_READ = 10_000;

const DISABLED = ACCOUNT_FLAGS.DISABLED | ACCOUNT_FLAGS.DISABLED_SUSPICIOUS_ACTIVITY;

/** An SQL condition for an account `a`. `scan` is the part that a partial index covers, in the order of that index. */
interface StateSql {
  readonly fits: string;
  readonly scan: string;
  readonly order?: string;
}

const RARE_STATES = {
  disabled: { fits: `a.flags & ${DISABLED} <> 0`, scan: `a.flags & ${DISABLED} <> 0` },
  suspended: { fits: 'a.banned AND (a.banned_until IS NULL OR a.banned_until > now())', scan: 'a.banned' },
  pending_approval: {
    fits: "a.traits @> ARRAY['registration_pending_approval']",
    scan: "a.traits @> ARRAY['registration_pending_approval']",
  },
  deletion_scheduled: {
    fits: 'a.deletion_at IS NOT NULL',
    scan: 'a.deletion_at IS NOT NULL AND a.deleted_at IS NULL',
    order: 'a.deletion_at',
  },
  locked: { fits: `a.traits @> ARRAY['${LOCKED_DOWN}']`, scan: `a.traits @> ARRAY['${LOCKED_DOWN}']` },
} as const satisfies Record<string, StateSql>;

type RareState = keyof typeof RARE_STATES;

const isRare = (state: string): state is RareState => Object.hasOwn(RARE_STATES, state);

export const USER_STATES = ['active', ...(Object.keys(RARE_STATES) as RareState[])] as const;

export type UserState = 'active' | RareState;

/** The condition of a state. No state includes accounts whose data is deleted. */
function stateSql(state: UserState): string {
  const { fits } = isRare(state)
    ? RARE_STATES[state]
    : {
        fits: Object.values(RARE_STATES)
          .map((rare) => `NOT (${rare.fits})`)
          .join(' AND '),
      };
  return `a.deleted_at IS NULL AND ${fits}`;
}

/** Looks up each account by index. The planner may turn an EXISTS into a read of the whole table. */
const hasRow = (table: string) => `(SELECT 1 FROM ${table} o WHERE o.account_id = a.id LIMIT 1) IS NOT NULL`;

const HAS_SECOND_FACTOR = `(a.totp_secret IS NOT NULL OR a.passkey_second_factor AND ${hasRow('passkey')})`;

const HAS_ACLS = "a.acls <> '{}'";

const NEVER = "'-infinity'::timestamptz";
const LAST_SEEN = `coalesce(a.last_active_at, ${NEVER})`;
const microseconds = (column: string) => `(extract(epoch FROM ${column}) * 1000000)::bigint::text`;
const timeAt = (value: string) => `timestamptz 'epoch' + ${value}::bigint * interval '1 microsecond'`;

/** Of each order: the indexed key, the key as text, and the key that a text stands for. */
const SORTS: Readonly<Record<UserSort, { key: string; text: string; parse: (value: string) => string }>> = {
  created: { key: 'a.created_at', text: microseconds('a.created_at'), parse: timeAt },
  last_seen: {
    key: LAST_SEEN,
    text: microseconds('a.last_active_at'),
    parse: (value) => `coalesce(${timeAt(value)}, ${NEVER})`,
  },
  username: { key: 'lower(a.username)', text: 'lower(a.username)', parse: (value) => `${value}::text` },
};

/** The highest code point of Unicode: appended to a prefix, it is an upper bound of all texts with this prefix. */
const LAST_CHARACTER = 'chr(1114111)';

/** What an administrator searches for. Times are inclusive, to the millisecond. */
export interface UserFilters {
  readonly state?: UserState | undefined;
  readonly emailVerified?: boolean | undefined;
  readonly secondFactor?: boolean | undefined;
  readonly hasAcls?: boolean | undefined;
  readonly provider?: string | undefined;
  readonly created?: TimeRange;
  readonly lastSeen?: TimeRange;
  readonly prefix?: { readonly text: string; readonly columns: readonly ('username' | 'global_name' | 'email')[] };
}

export interface TimeRange {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export interface UserPage {
  readonly ids: readonly string[];
  /** Matching accounts, up to `MAX_TOTAL`. A lower bound if the search is truncated. */
  readonly total: number;
  readonly next: UserPosition | null;
  readonly isTruncated: boolean;
}

/** Selects one account more than may be read, which shows that there are too many. */
const READ = MAX_READ + 1;

/** Selects the IDs of accounts from the index of a condition. */
const scanOf = (condition: string, order = 'a.id') =>
  `(SELECT a.id FROM account a WHERE ${condition} ORDER BY ${order} LIMIT ${READ})`;

const IDENTITIES = `(SELECT i.account_id AS id FROM sso_identity i ORDER BY i.account_id LIMIT ${READ})`;

/** Accounts that a filter selects. `scan` selects at least these from an index, if the filter has one. */
interface FilterSql {
  readonly condition: string;
  readonly scan?: string;
}

/** The ID of a connection is at most 32 characters of a fixed set, so it can be part of the text. */
function providerFilter(provider: string): FilterSql {
  if (provider !== 'sso') {
    const rows = `connection_identity i WHERE i.connection_id = '${provider}'`;
    return {
      condition: `EXISTS (SELECT 1 FROM ${rows} AND i.account_id = a.id)`,
      scan: `(SELECT i.account_id AS id FROM ${rows} LIMIT ${READ})`,
    };
  }
  return { condition: hasRow('sso_identity'), scan: IDENTITIES };
}

function stateFilter(state: UserState): FilterSql {
  const condition = stateSql(state);
  if (!isRare(state)) return { condition };
  const { scan, order }: StateSql = RARE_STATES[state];
  return { condition, scan: scanOf(scan, order) };
}

function aclFilter(hasAcls: boolean): FilterSql {
  return hasAcls ? { condition: HAS_ACLS, scan: scanOf(HAS_ACLS) } : { condition: `NOT (${HAS_ACLS})` };
}

function secondFactorFilter(isSet: boolean): FilterSql {
  if (!isSet) return { condition: `NOT ${HAS_SECOND_FACTOR}` };
  const scan = `${scanOf('a.totp_secret IS NOT NULL')} UNION ALL ${scanOf('a.passkey_second_factor')}`;
  return { condition: HAS_SECOND_FACTOR, scan };
}

/**
 * A list of accounts. If the index of a filter has at most `MAX_READ` accounts, exactly these are read. Otherwise
 * accounts are read in the order of the list, until the page is full or `MAX_READ` accounts were read.
 */
export class UserList {
  private readonly values: unknown[] = [];
  /** Conditions on the key of the order, which its index covers. */
  private readonly range: readonly string[];
  private readonly filters: readonly FilterSql[];

  constructor(
    /** A transaction of its own, because `page` changes settings of the planner. */
    private readonly tx: Tx,
    { state, emailVerified, secondFactor, hasAcls, provider, created, lastSeen, prefix }: UserFilters,
    private readonly sort: UserSort,
    private readonly order: UserOrder,
  ) {
    const times = { created: this.timesIn('created', created), last_seen: this.timesIn('last_seen', lastSeen) };
    this.range = sort === 'username' ? [] : times[sort];
    this.filters = [
      ...(prefix ? [this.prefixFilter(prefix)] : []),
      ...(provider === undefined ? [] : [providerFilter(provider)]),
      ...(state ? [stateFilter(state)] : []),
      ...(hasAcls === undefined ? [] : [aclFilter(hasAcls)]),
      ...(['created', 'last_seen'] as const).flatMap((name) => {
        if (name === sort || times[name].length === 0) return [];
        const condition = times[name].join(' AND ');
        return [{ condition, scan: scanOf(condition, `${SORTS[name].key}, a.id`) }];
      }),
      ...(secondFactor === undefined ? [] : [secondFactorFilter(secondFactor)]),
      ...(emailVerified === undefined ? [] : [{ condition: `a.email_verified = ${emailVerified}` }]),
    ];
  }

  async page(limit: number, after?: UserPosition): Promise<UserPage> {
    // Every scan has an index in its order, and the planner may underestimate how many rows another plan reads.
    await this.tx.query(
      "SELECT set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true)",
    );
    if (this.filters.length === 0) return this.wholePage(limit, after);
    for (const { scan } of this.filters) {
      if (scan === undefined) continue;
      const [{ read }] = await this.run<[{ read: number }]>(`SELECT count(*)::int AS read FROM (${limited(scan)}) s`);
      if (read <= MAX_READ) return this.pageOf(scan, limit, after);
    }
    return this.walkedPage(limit, after);
  }

  private param(value: unknown): string {
    return `$${this.values.push(value)}`;
  }

  private timesIn(sort: 'created' | 'last_seen', { from, to }: TimeRange = {}): string[] {
    const { key } = SORTS[sort];
    const bound = (ms: number) => timeAt(this.param(String(ms * 1000)));
    return [
      ...(from === undefined ? [] : [`${key} >= ${bound(Date.parse(from))}`]),
      ...(to === undefined ? [] : [`${key} < ${bound(Date.parse(to) + 1)}`]),
      ...(to !== undefined && sort === 'last_seen' ? [`${key} > ${NEVER}`] : []),
    ];
  }

  private prefixFilter({ text, columns }: NonNullable<UserFilters['prefix']>): FilterSql {
    const prefix = `lower(${this.param(text)}::text)`;
    const parts = columns.map((column) => {
      const indexed = `lower(a.${column})`;
      const condition = `a.${column} IS NOT NULL AND ${indexed} ~>=~ ${prefix}
        AND ${indexed} ~<~ (${prefix} || ${LAST_CHARACTER})`;
      return { condition, scan: scanOf(condition, `${indexed} USING ~<~`) };
    });
    return {
      condition: `(${parts.map(({ condition }) => `(${condition})`).join(' OR ')})`,
      scan: parts.map(({ scan }) => scan).join(' UNION ALL '),
    };
  }

  /** Conditions of the accounts behind a position. */
  private behind(after: UserPosition | undefined): string[] {
    if (!after) return [];
    const { key, parse } = SORTS[this.sort];
    const position = `(${parse(this.param(after.key))}, ${this.param(after.id)}::bigint)`;
    return [`(${key}, a.id) ${this.order === 'asc' ? '>' : '<'} ${position}`];
  }

  private get ordered(): string {
    return `ORDER BY ${SORTS[this.sort].key} ${this.order}, a.id ${this.order}`;
  }

  private get listed(): string {
    return `a.id, ${SORTS[this.sort].text} AS key`;
  }

  /** Runs a statement with the values that it mentions. */
  private run<R>(text: string): Promise<R> {
    const used: string[] = [];
    const numbered = text.replace(/\$\d+/g, (name) => {
      if (!used.includes(name)) used.push(name);
      return `$${used.indexOf(name) + 1}`;
    });
    return this.tx.query<R>(
      numbered,
      used.map((name) => this.values[Number(name.slice(1)) - 1]),
    );
  }

  /** A page of all accounts in the range, which the index of the order counts. */
  private async wholePage(limit: number, after?: UserPosition): Promise<UserPage> {
    const order = this.range.length > 0 ? this.ordered : '';
    const [{ total }] = await this.run<[{ total: number }]>(
      `SELECT count(*)::int AS total
       FROM (SELECT 1 FROM account a ${where(this.range)} ${order} LIMIT ${MAX_TOTAL}) counted`,
    );
    const rows = await this.run<UserPosition[]>(
      `SELECT ${this.listed} FROM account a ${where([...this.range, ...this.behind(after)])}
       ${this.ordered} LIMIT ${limit + 1}`,
    );
    return { ...cut(rows, limit), total, isTruncated: false };
  }

  /** A page of the accounts that a scan selects. */
  private async pageOf(scan: string, limit: number, after?: UserPosition): Promise<UserPage> {
    // The planner does not see the number of accounts, so each account is looked up by its ID.
    const from = `FROM (SELECT DISTINCT s.id FROM (${limited(scan)}) s) found
      CROSS JOIN LATERAL (SELECT a.* FROM account a WHERE a.id = found.id OFFSET 0) a`;
    const conditions = [...this.range, ...this.filters.map(({ condition }) => condition)];
    const [{ total }] = await this.run<[{ total: number }]>(
      `SELECT count(*)::int AS total ${from} ${where(conditions)}`,
    );
    const rows = await this.run<UserPosition[]>(
      `SELECT ${this.listed} ${from} ${where([...conditions, ...this.behind(after)])}
       ${this.ordered} LIMIT ${limit + 1}`,
    );
    return { ...cut(rows, limit), total, isTruncated: false };
  }

  /** A page of accounts that are read in the order of the list. */
  private async walkedPage(limit: number, after?: UserPosition): Promise<UserPage> {
    const walk = (conditions: readonly string[], count: number) =>
      `(SELECT a.*, ${SORTS[this.sort].key} AS sort_key FROM account a ${where(conditions)} ${this.ordered} LIMIT ${count}) a`;
    const fits = this.filters.map(({ condition }) => condition).join(' AND ');
    const [{ total, read }] = await this.run<[{ total: number; read: number }]>(
      `SELECT least(count(*) FILTER (WHERE ${fits}), ${MAX_READ})::int AS total, count(*)::int AS read
       FROM ${walk(this.range, READ)}`,
    );
    const rest = [...this.range, ...this.behind(after)];
    const rows = await this.run<UserPosition[]>(
      `SELECT ${this.listed} FROM ${walk(rest, MAX_READ)} WHERE ${fits}
       ORDER BY a.sort_key ${this.order}, a.id ${this.order} LIMIT ${limit + 1}`,
    );
    const page = cut(rows, limit);
    const isTruncated = read > MAX_READ;
    if (page.next || !isTruncated) return { ...page, total, isTruncated };
    // The page has room, so the search goes on behind the last account that was read.
    const [last, more] = await this.run<UserPosition[]>(
      `SELECT ${this.listed} FROM ${walk(rest, READ)} OFFSET ${MAX_READ - 1} LIMIT 2`,
    );
    return { ...page, next: last && more ? last : null, total, isTruncated };
  }
}

const limited = (scan: string) => `SELECT s.id FROM (${scan}) s LIMIT ${READ}`;

const where = (conditions: readonly string[]) => (conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '');

/** Cuts one page from its rows, of which there is one more if the list goes on. */
function cut(rows: readonly UserPosition[], limit: number): Pick<UserPage, 'ids' | 'next'> {
  const page = rows.slice(0, limit);
  return { ids: page.map(({ id }) => id), next: rows.length > limit ? (page.at(-1) ?? null) : null };
}
