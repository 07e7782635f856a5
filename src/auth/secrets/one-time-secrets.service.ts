import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type Begun, Seen } from '../../accounts/seen.js';
import { mintToken } from '../../core/secrets.js';
import { type Changed, Database, type Tx } from '../../platform/database/database.js';
import { Janitor } from '../../platform/process/janitor.js';
import { OneTimeSecret } from '../records/auth.entities.js';
import { isAccountBound, OUTLASTING, type OwnedPurpose, type Purpose, partsOf } from './purposes.js';

export type { Purpose } from './purposes.js';

/** What was stored with a secret. Only its digest, bound to the purpose, is at rest. */
export interface Issued {
  readonly subject: string;
  readonly payload: Record<string, unknown>;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** The account that it is bound to, as it was then; `null` if it is bound to none, or whatever becomes of it. */
  readonly seen: Seen | null;
}

interface IssueOptions {
  readonly tx?: Tx | undefined;
  readonly secret?: string;
  /** What it was issued for, if that is not the account. */
  readonly subject?: string;
}

const keyOf = (purpose: Purpose, secret: string): Buffer => hash('sha256', `${purpose}\0${secret}`, 'buffer');

const SECRET_COLUMNS = 's.subject, s.payload, s.created_at, s.expires_at, s.account_id, s.epoch';

interface IssuedFacts {
  readonly subject: string;
  readonly payload: Record<string, unknown>;
  readonly created_at: Date;
  readonly expires_at: Date;
}

/** What has an epoch has an account. */
type IssuedRow = IssuedFacts & ({ account_id: string; epoch: number } | { account_id: string | null; epoch: null });

const issued = (row: IssuedRow): Issued => ({
  subject: row.subject,
  payload: row.payload,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  seen: row.epoch === null ? null : Seen.ofSecret({ id: row.account_id, epoch: row.epoch }),
});

/** What a secret is bound to is still so. In a transaction that holds the account it stays so. */
const STILL_HOLDS = `EXISTS (SELECT 1 FROM account a WHERE a.id = s.account_id
  AND (s.epoch IS NULL OR s.epoch = a.epoch) AND (s.address_epoch IS NULL OR s.address_epoch = a.address_epoch))`;

/**
 * The secret `$1` of the purpose `$2` works: neither expired nor begun before a change of its account that ends
 * everything pending. One that should be bound to an account and is not does nothing.
 */
const live = (purpose: Purpose): string =>
  `s.digest = $1 AND s.purpose = $2 AND s.expires_at > now()
   AND ${isAccountBound(purpose) ? STILL_HOLDS : `(s.account_id IS NULL OR ${STILL_HOLDS})`}`;

/**
 * The one mechanism for everything that works once: tickets, codes, tokens, challenges, states. Expiry is judged by
 * the database's clock; of parallel consumers exactly one gets the row. What is bound to an account dies with the epoch
 * at which it was begun (credentials.md section 7): no operation has to know what it voids.
 */
@Injectable()
export class OneTimeSecrets {
  constructor(
    private readonly database: Database,
    janitor: Janitor,
  ) {
    janitor.addExpiry('one_time_secret', 'digest', "expires_at < now() - interval '1 day'");
  }

  /**
   * Stores a fresh secret for `ttlSeconds` and returns it; this is the only time that it is seen. `owner` is the account
   * with which it begins, or, for what belongs to none, any word to find it by.
   */
  async issue<P extends Purpose>(
    purpose: P,
    owner: P extends OwnedPurpose ? Begun : Begun | string,
    payload: Record<string, unknown>,
    ttlSeconds: number,
    { tx, secret = mintToken(), subject }: IssueOptions = {},
  ): Promise<string> {
    await (tx ?? this.database.manager)
      .createQueryBuilder()
      .insert()
      .into(OneTimeSecret)
      .values({
        digest: keyOf(purpose, secret),
        purpose,
        subject: subject ?? (typeof owner === 'string' ? owner : owner.id),
        ...(typeof owner === 'string' ? {} : partsOf(purpose, owner)),
        payload: payload as never,
        expiresAt: () => `now() + interval '${Number(ttlSeconds)} seconds'`,
      })
      .execute();
    return secret;
  }

  /** Reads a live secret without spending it. */
  async peek(purpose: Purpose, secret: string, tx: Tx = this.database.manager): Promise<Issued | null> {
    const [row] = await tx.query<IssuedRow[]>(
      `SELECT ${SECRET_COLUMNS} FROM one_time_secret s WHERE ${live(purpose)}`,
      [...[keyOf(purpose, secret), purpose]],
    );
    return row ? issued(row) : null;
  }

  /** Spends a live secret: exactly one caller gets what was stored, every other one `null`. */
  async consume(purpose: Purpose, secret: string, tx: Tx = this.database.manager): Promise<Issued | null> {
    const [[row]] = await tx.query<Changed<IssuedRow>>(
      `DELETE FROM one_time_secret s WHERE ${live(purpose)} RETURNING ${SECRET_COLUMNS}`,
      [...[keyOf(purpose, secret), purpose]],
    );
    return row ? issued(row) : null;
  }

  /**
   * Moves a live secret on: where its payload holds `from`, `to` is merged into it, from now on it lives for
   * `ttlSeconds` if they are given, and is bound to the account of `owner`, as that is now, if there is one. Of parallel
   * callers that leave the same state exactly one succeeds.
   */
  async change(
    purpose: Purpose,
    secret: string,
    [from, to]: readonly [from: Record<string, unknown>, to: Record<string, unknown>],
    options: { tx?: Tx; ttlSeconds?: number; owner?: Begun } = {},
  ): Promise<boolean> {
    const {
      accountId = null,
      epoch = null,
      addressEpoch = null,
    } = options.owner ? partsOf(purpose, options.owner) : {};
    const [, changed] = await (options.tx ?? this.database.manager).query<Changed>(
      `UPDATE one_time_secret s
       SET payload = s.payload || $4::jsonb, expires_at = coalesce(now() + $5 * interval '1 second', s.expires_at),
         account_id = coalesce($6::bigint, s.account_id), epoch = coalesce($7::int, s.epoch),
         address_epoch = coalesce($8::int, s.address_epoch)
       WHERE ${live(purpose)} AND s.payload @> $3::jsonb`,
      [
        ...[keyOf(purpose, secret), purpose, JSON.stringify(from), JSON.stringify(to), options.ttlSeconds ?? null],
        ...[accountId, epoch, addressEpoch],
      ],
    );
    return changed === 1;
  }

  /** Seconds since a live secret was issued, by the database's clock. */
  async ageOf(purpose: Purpose, secret: string): Promise<number | null> {
    const [row] = await this.database.manager.query<{ age: number }[]>(
      `SELECT extract(epoch FROM now() - s.created_at)::float8 AS age FROM one_time_secret s WHERE ${live(purpose)}`,
      [keyOf(purpose, secret), purpose],
    );
    return row?.age ?? null;
  }

  /** Like `peek`, and keeps every other transaction from spending the secret until `tx` ends. */
  async hold(purpose: Purpose, secret: string, tx: Tx): Promise<(Issued & { readonly readAt: Date }) | null> {
    const [row] = await tx.query<(IssuedRow & { read_at: Date })[]>(
      `SELECT ${SECRET_COLUMNS}, now() AS read_at FROM one_time_secret s WHERE ${live(purpose)} FOR UPDATE OF s`,
      [keyOf(purpose, secret), purpose],
    );
    return row ? { ...issued(row), readAt: row.read_at } : null;
  }

  /** Whether a secret is void for `owner` because of nothing but its age: it expired within the last day. */
  async hasExpired(purpose: Purpose, secret: string, { id }: Begun, tx: Tx): Promise<boolean> {
    const [row] = await tx.query<unknown[]>(
      `SELECT 1 FROM one_time_secret s
       WHERE s.digest = $1 AND s.purpose = $2 AND s.expires_at <= now() AND s.account_id = $3 AND ${STILL_HOLDS}`,
      [keyOf(purpose, secret), purpose, id],
    );
    return row !== undefined;
  }

  /** Whether an unexpired secret of `owner` holds this, even one that does nothing any more. */
  async isMarked(purpose: Purpose, secret: string, mark: Record<string, unknown>, { id }: Begun, tx: Tx) {
    const [row] = await tx.query<unknown[]>(
      `SELECT 1 FROM one_time_secret s
       WHERE s.digest = $1 AND s.purpose = $2 AND s.expires_at > now() AND s.account_id = $3 AND s.payload @> $4::jsonb`,
      [keyOf(purpose, secret), purpose, id, JSON.stringify(mark)],
    );
    return row !== undefined;
  }

  /** Counts an attempt at what a live secret guards, before it is examined; `null` once `limit` are spent. */
  async attempt(
    purpose: Purpose,
    secret: string,
    limit: number,
    tx: Tx = this.database.manager,
  ): Promise<Issued | null> {
    const [[row]] = await tx.query<Changed<IssuedRow>>(
      `UPDATE one_time_secret s
       SET payload = s.payload || jsonb_build_object('attempts', coalesce((s.payload->>'attempts')::int, 0) + 1)
       WHERE ${live(purpose)} AND coalesce((s.payload->>'attempts')::int, 0) < $3
       RETURNING ${SECRET_COLUMNS}`,
      [keyOf(purpose, secret), purpose, limit],
    );
    return row ? issued(row) : null;
  }

  /** Voids every secret of one purpose that was issued to `subject`. */
  async revokeAll(purpose: Purpose, subject: string, tx: Tx = this.database.manager): Promise<void> {
    await tx.createQueryBuilder().delete().from(OneTimeSecret).where({ purpose, subject }).execute();
  }

  /** Ends everything that waits for an account, but what undoes the deeds of a thief. */
  async endAll(tx: Tx, accountId: string): Promise<void> {
    await tx.query('DELETE FROM one_time_secret WHERE account_id = $1 AND purpose <> ALL ($2)', [
      ...[accountId, OUTLASTING],
    ]);
  }

  /** Forgets every secret of an account: those that are bound to it, and those that were issued for it. */
  async forget(tx: Tx, accountId: string): Promise<void> {
    await tx.query('DELETE FROM one_time_secret WHERE account_id = $1::bigint OR subject = $1::text', [accountId]);
  }

  /** Voids the secrets of one purpose that `subject` got together with a certain one or after it. */
  async revokeSince(purpose: Purpose, { subject, createdAt }: Issued, tx: Tx): Promise<void> {
    // A Date knows no more than milliseconds.
    await tx.query(
      `DELETE FROM one_time_secret
       WHERE purpose = $1 AND subject = $2 AND date_trunc('milliseconds', created_at) >= $3`,
      [purpose, subject, createdAt],
    );
  }

  /** Claims a foreign value, such as a captcha token, for `ttlSeconds`. True for exactly one caller. */
  async claim(purpose: Purpose, value: string, ttlSeconds: number): Promise<boolean> {
    const claimed = await this.database.manager.query<unknown[]>(
      `INSERT INTO one_time_secret (digest, purpose, subject, expires_at)
       VALUES ($1, $2, '', now() + $3 * interval '1 second') ON CONFLICT DO NOTHING RETURNING 1`,
      [keyOf(purpose, value), purpose, ttlSeconds],
    );
    return claimed.length > 0;
  }
}
