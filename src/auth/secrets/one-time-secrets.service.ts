import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AccountSnapshot, type StoredEpochs } from '../../accounts/account-snapshot.js';
import type { SecretBinding, SecretPayload } from '../../core/names.js';
import { mintToken } from '../../core/secrets.js';
import { type ChangeResult, Database, type Tx } from '../../platform/database/database.js';
import { Cleanup } from '../../platform/jobs/cleanup.js';
import { FeatureRegistry } from '../../policy/feature-registry.js';
import { OneTimeSecret } from '../records/auth.entities.js';
import {
  type BoundColumns,
  boundColumns,
  isAccountBound,
  type OwnedPurpose,
  type Purpose,
  takeoverRevertingPurposes,
} from './purposes.js';

export type { Purpose } from './purposes.js';

/** The data stored with a secret. Only a digest of the secret is stored, which includes the purpose. */
export interface IssuedSecret<Payload = Record<string, unknown>> {
  readonly subject: string;
  readonly payload: Payload;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /**
   * Snapshot of the account from when the secret was bound to it. It is `null` without an account or if changes of the
   * account do not matter.
   */
  readonly seen: AccountSnapshot | null;
}

interface IssueOptions {
  readonly tx?: Tx | undefined;
  readonly secret?: string;
  /** The subject of the secret, if it is not the account. */
  readonly subject?: string;
}

const keyOf = (purpose: Purpose, secret: string): Buffer => hash('sha256', `${purpose}\0${secret}`, 'buffer');

const SECRET_COLUMNS = 's.subject, s.payload, s.created_at, s.expires_at, s.account_id, s.epoch';

interface IssuedFacts<Payload> {
  readonly subject: string;
  readonly payload: Payload;
  readonly created_at: Date;
  readonly expires_at: Date;
}

/** A row with an epoch also has an account. */
type IssuedRow<Payload> = IssuedFacts<Payload> &
  ({ account_id: string; epoch: number } | { account_id: string | null; epoch: null });

const toIssued = <Payload>(row: IssuedRow<Payload>): IssuedSecret<Payload> => ({
  subject: row.subject,
  payload: row.payload,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  seen: row.epoch === null ? null : AccountSnapshot.ofSecret({ id: row.account_id, epoch: row.epoch }),
});

/**
 * The condition that the account has not changed since the secret was bound to it. It stays true in a transaction that
 * holds the account.
 */
const ACCOUNT_UNCHANGED = `EXISTS (SELECT 1 FROM account a WHERE a.id = s.account_id
  AND (s.epoch IS NULL OR s.epoch = a.epoch) AND (s.address_epoch IS NULL OR s.address_epoch = a.address_epoch))`;

/**
 * The condition that the secret `$1` of the purpose `$2`, which has this binding, is valid. It has not expired, and its account has not changed
 * in a way that revokes pending secrets. If the purpose needs an account, a secret without one is invalid.
 */
const validSecret = (binding: SecretBinding): string =>
  `s.digest = $1 AND s.purpose = $2 AND s.expires_at > now()
   AND ${isAccountBound(binding) ? ACCOUNT_UNCHANGED : `(s.account_id IS NULL OR ${ACCOUNT_UNCHANGED})`}`;

/**
 * Stores everything that works once: tickets, codes, tokens, challenges, states. The clock of the database decides on
 * expiry. Of parallel consumers, exactly one gets the row. A change that raises the epoch of an account also revokes
 * its secrets (credentials.md section 7), so operations need not revoke them one by one.
 */
@Injectable()
export class OneTimeSecrets {
  constructor(
    private readonly database: Database,
    private readonly features: FeatureRegistry,
    cleanup: Cleanup,
  ) {
    cleanup.addExpiry('one_time_secret', 'digest', "expires_at < now() - interval '1 day'");
  }

  private bindingOf(purpose: string): SecretBinding {
    const binding = this.features.secrets.get(purpose);
    if (binding === undefined) throw new Error(`Unknown purpose ${purpose}. Declare it in secrets of a feature`);
    return binding;
  }

  /**
   * Stores a new secret for `ttlSeconds` and returns it. It cannot be read again. `owner` is the account that it is
   * bound to. For a secret without an account, `owner` is any text that becomes the subject.
   */
  async issue<P extends Purpose>(
    purpose: P,
    owner: P extends OwnedPurpose ? StoredEpochs : StoredEpochs | string,
    payload: SecretPayload<P>,
    ttlSeconds: number,
    { tx, secret = mintToken(), subject }: IssueOptions = {},
  ): Promise<string> {
    const {
      accountId = null,
      epoch = null,
      addressEpoch = null,
    }: BoundColumns = typeof owner === 'string' ? {} : boundColumns(this.bindingOf(purpose), owner);
    await (tx ?? this.database.manager).query(
      `INSERT INTO one_time_secret (digest, purpose, subject, payload, account_id, epoch, address_epoch, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, now() + $8 * interval '1 second')`,
      [
        ...[keyOf(purpose, secret), purpose, subject ?? (typeof owner === 'string' ? owner : owner.id)],
        ...[JSON.stringify(payload), accountId, epoch, addressEpoch, ttlSeconds],
      ],
    );
    return secret;
  }

  /** Reads a valid secret without spending it. */
  async peek<P extends Purpose>(
    purpose: P,
    secret: string,
    tx: Tx = this.database.manager,
  ): Promise<IssuedSecret<SecretPayload<P>> | null> {
    const [row] = await tx.query<IssuedRow<SecretPayload<P>>[]>(
      `SELECT ${SECRET_COLUMNS} FROM one_time_secret s WHERE ${validSecret(this.bindingOf(purpose))}`,
      [...[keyOf(purpose, secret), purpose]],
    );
    return row ? toIssued(row) : null;
  }

  /** Spends a valid secret. Exactly one caller gets the stored data, and every other caller gets `null`. */
  async consume<P extends Purpose>(
    purpose: P,
    secret: string,
    tx: Tx = this.database.manager,
  ): Promise<IssuedSecret<SecretPayload<P>> | null> {
    const [[row]] = await tx.query<ChangeResult<IssuedRow<SecretPayload<P>>>>(
      `DELETE FROM one_time_secret s WHERE ${validSecret(this.bindingOf(purpose))} RETURNING ${SECRET_COLUMNS}`,
      [...[keyOf(purpose, secret), purpose]],
    );
    return row ? toIssued(row) : null;
  }

  /**
   * Changes the state of a valid secret. If its payload contains `from`, merges `to` into it. With `ttlSeconds`, sets a
   * new lifetime. With `owner`, binds it to that account. Of parallel callers that leave the same state, exactly one
   * succeeds.
   */
  async change<P extends Purpose>(
    purpose: P,
    secret: string,
    [from, to]: readonly [from: Partial<SecretPayload<P>>, to: Partial<SecretPayload<P>>],
    options: { tx?: Tx; ttlSeconds?: number; owner?: StoredEpochs } = {},
  ): Promise<boolean> {
    const {
      accountId = null,
      epoch = null,
      addressEpoch = null,
    }: BoundColumns = options.owner ? boundColumns(this.bindingOf(purpose), options.owner) : {};
    const [, changed] = await (options.tx ?? this.database.manager).query<ChangeResult>(
      `UPDATE one_time_secret s
       SET payload = s.payload || $4::jsonb, expires_at = coalesce(now() + $5 * interval '1 second', s.expires_at),
         account_id = coalesce($6::bigint, s.account_id), epoch = coalesce($7::int, s.epoch),
         address_epoch = coalesce($8::int, s.address_epoch)
       WHERE ${validSecret(this.bindingOf(purpose))} AND s.payload @> $3::jsonb`,
      [
        ...[keyOf(purpose, secret), purpose, JSON.stringify(from), JSON.stringify(to), options.ttlSeconds ?? null],
        ...[accountId, epoch, addressEpoch],
      ],
    );
    return changed === 1;
  }

  /** Returns the seconds since a valid secret was issued, by the clock of the database. @internal */
  async ageOf(purpose: Purpose, secret: string): Promise<number | null> {
    const [row] = await this.database.manager.query<{ age: number }[]>(
      `SELECT extract(epoch FROM now() - s.created_at)::float8 AS age FROM one_time_secret s WHERE ${validSecret(this.bindingOf(purpose))}`,
      [keyOf(purpose, secret), purpose],
    );
    return row?.age ?? null;
  }

  /** Like `peek`, but locks the secret, so that other transactions cannot spend it until `tx` ends. */
  async lock<P extends Purpose>(
    purpose: P,
    secret: string,
    tx: Tx,
  ): Promise<(IssuedSecret<SecretPayload<P>> & { readonly readAt: Date }) | null> {
    const [row] = await tx.query<(IssuedRow<SecretPayload<P>> & { read_at: Date })[]>(
      `SELECT ${SECRET_COLUMNS}, now() AS read_at FROM one_time_secret s WHERE ${validSecret(this.bindingOf(purpose))} FOR UPDATE OF s`,
      [keyOf(purpose, secret), purpose],
    );
    return row ? { ...toIssued(row), readAt: row.read_at } : null;
  }

  /** Whether a secret of `owner` is invalid only because it expired, within the last day. @internal */
  async hasExpired(purpose: Purpose, secret: string, { id }: StoredEpochs, tx: Tx): Promise<boolean> {
    const [row] = await tx.query<unknown[]>(
      `SELECT 1 FROM one_time_secret s
       WHERE s.digest = $1 AND s.purpose = $2 AND s.expires_at <= now() AND s.account_id = $3 AND ${ACCOUNT_UNCHANGED}`,
      [keyOf(purpose, secret), purpose, id],
    );
    return row !== undefined;
  }

  /** Whether an unexpired secret of `owner` contains this payload, even if the secret is no longer valid. @internal */
  async hasPayload(purpose: Purpose, secret: string, mark: Record<string, unknown>, { id }: StoredEpochs, tx: Tx) {
    const [row] = await tx.query<unknown[]>(
      `SELECT 1 FROM one_time_secret s
       WHERE s.digest = $1 AND s.purpose = $2 AND s.expires_at > now() AND s.account_id = $3 AND s.payload @> $4::jsonb`,
      [keyOf(purpose, secret), purpose, id, JSON.stringify(mark)],
    );
    return row !== undefined;
  }

  /** Counts an attempt before it is verified. Returns `null` if `limit` attempts were already made. */
  async chargeAttempt<P extends Purpose>(
    purpose: P,
    secret: string,
    limit: number,
    tx: Tx = this.database.manager,
  ): Promise<IssuedSecret<SecretPayload<P>> | null> {
    const [[row]] = await tx.query<ChangeResult<IssuedRow<SecretPayload<P>>>>(
      `UPDATE one_time_secret s
       SET payload = s.payload || jsonb_build_object('attempts', coalesce((s.payload->>'attempts')::int, 0) + 1)
       WHERE ${validSecret(this.bindingOf(purpose))} AND coalesce((s.payload->>'attempts')::int, 0) < $3
       RETURNING ${SECRET_COLUMNS}`,
      [keyOf(purpose, secret), purpose, limit],
    );
    return row ? toIssued(row) : null;
  }

  /** Revokes all secrets of one purpose with this subject. */
  async revokeAll(purpose: Purpose, subject: string, tx: Tx = this.database.manager): Promise<void> {
    await tx.createQueryBuilder().delete().from(OneTimeSecret).where({ purpose, subject }).execute();
  }

  /** Deletes the pending secrets of an account, except those that revert a takeover. @internal */
  async revokePending(tx: Tx, accountId: string): Promise<void> {
    await tx.query('DELETE FROM one_time_secret WHERE account_id = $1 AND purpose <> ALL ($2)', [
      ...[accountId, takeoverRevertingPurposes(this.features.secrets)],
    ]);
  }

  /** Deletes all secrets that are bound to an account or have it as their subject. @internal */
  async deleteAll(tx: Tx, accountId: string): Promise<void> {
    await tx.query('DELETE FROM one_time_secret WHERE account_id = $1::bigint OR subject = $1::text', [accountId]);
  }

  /** Revokes the secrets with this purpose and subject that were issued with the given one or after it. @internal */
  async revokeSince(purpose: Purpose, { subject, createdAt }: IssuedSecret<unknown>, tx: Tx): Promise<void> {
    // A JavaScript Date has a resolution of milliseconds.
    await tx.query(
      `DELETE FROM one_time_secret
       WHERE purpose = $1 AND subject = $2 AND date_trunc('milliseconds', created_at) >= $3`,
      [purpose, subject, createdAt],
    );
  }

  /** Claims an external value, such as a captcha token, for `ttlSeconds`. Returns true for exactly one caller. */
  async claim(purpose: Purpose, value: string, ttlSeconds: number): Promise<boolean> {
    const claimed = await this.database.manager.query<unknown[]>(
      `INSERT INTO one_time_secret (digest, purpose, subject, expires_at)
       VALUES ($1, $2, '', now() + $3 * interval '1 second') ON CONFLICT DO NOTHING RETURNING 1`,
      [keyOf(purpose, value), purpose, ttlSeconds],
    );
    return claimed.length > 0;
  }
}
