import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity.js';
import { Clock } from '../core/clock.js';
import { validationError } from '../core/errors.js';
import { Snowflakes, UNASSIGNED_ID } from '../core/snowflake.js';
import { violatesConstraint } from '../platform/database/constraints.js';
import { type ChangeResult, Database, type Tx } from '../platform/database/database.js';
import { ReplicaBus } from '../platform/replicas/replica-bus.js';
import type { Account as AccountFacts, AccountRow, StoredAccount } from '../policy/account.js';
import { Account, AccountSettings } from './account.entities.js';
import { ACCOUNT_FLAGS, ACCOUNT_SQL, toAccount } from './account-facts.js';
import { AccountSnapshot } from './account-snapshot.js';
import { LifecycleEvents } from './events/lifecycle-events.service.js';

export interface NewAccount {
  readonly bot?: boolean;
  readonly id?: string;
  readonly username: string;
  readonly globalName?: string | null;
  readonly email?: string | null;
  readonly emailVerified?: boolean;
  readonly passwordHash?: string | null;
  readonly locale?: string;
  readonly theme?: AccountSettings['theme'];
  readonly termsAgreed?: boolean;
  readonly suspiciousFlags?: number;
  readonly traits?: string[];
  readonly ip?: string;
}

/** All `null` if the email address has no account. */
export interface PasswordLookup {
  readonly id: string | null;
  readonly bot: boolean | null;
  readonly epoch: number | null;
  readonly passwordHash: string | null;
  /** Password hash of the decoy account, which is verified if there is no account. */
  readonly decoyHash: string | null;
}

/** The same for an account that has a password. */
export interface AccountPassword {
  readonly id: string;
  readonly epoch: number;
  readonly passwordHash: string;
}

interface PasswordRow extends AccountPassword {
  readonly bot: boolean;
  readonly hasPassword: boolean;
  readonly decoyHash: string | null;
}

/** The account of an email address. */
export interface EmailHolder {
  readonly id: string;
  readonly bot: boolean;
  readonly email: string;
}

/**
 * Always selects one row `a`: the account of the email address `$1`, or the next one in alphabetical order. This way,
 * timing does not reveal whether the account exists. The second expression is true for an exact match.
 */
export const NEAREST_ACCOUNT_SQL = `(SELECT 1) one LEFT JOIN LATERAL
  (SELECT * FROM account WHERE lower(email) >= lower($1) ORDER BY lower(email) LIMIT 1) a ON true`;
export const IS_EXACT_MATCH_SQL = 'coalesce(lower(a.email) = lower($1), false)';

/**
 * Placeholder values if no account sorts at or after the email address. They are as long as real ones, so that timing
 * is the same.
 */
const PLACEHOLDER_ROW = { id: UNASSIGNED_ID, hash: '-'.repeat(97) };

type WithExistence<T> = T & { readonly isThere: boolean };

/** Number of possible random avatar colors. */
export const AVATAR_COLORS = 0x1000000;

/** Trait: the account cannot sign in until its email address is verified (auth.md 4.1). */
export const PENDING_VERIFICATION = 'registration_pending_verification';

/** Trait: the account was locked down by an emailed link and cannot sign in until its password is reset (web.md 5). */
export const LOCKED_DOWN = 'locked_down';

/** Reads and changes accounts. The only place that increments the epoch of an account. */
@Injectable()
export class AccountService {
  constructor(
    private readonly database: Database,
    private readonly snowflakes: Snowflakes,
    private readonly replicaBus: ReplicaBus,
    private readonly clock: Clock,
    private readonly lifecycle: LifecycleEvents,
  ) {}

  find(id: string, tx: Tx = this.database.manager): Promise<AccountFacts | null> {
    return this.read(tx, 'account-by-id', 'a.id = $1', id);
  }

  /**
   * Returns the account and locks it until `tx` ends, so that no other operation changes its identity or permissions.
   */
  async lock(tx: Tx, id: string): Promise<AccountFacts | null> {
    // A second statement is needed to see what others committed while the first one waited for the lock, including
    // passkeys.
    await tx.query('SELECT 1 FROM account WHERE id = $1 FOR NO KEY UPDATE', [id]);
    return this.find(id, tx);
  }

  /** Locks several accounts in ascending order, so that concurrent transactions cannot deadlock. */
  async lockAll(tx: Tx, ids: readonly string[]): Promise<void> {
    await tx.query('SELECT 1 FROM account WHERE id = ANY ($1::bigint[]) ORDER BY id FOR NO KEY UPDATE', [ids]);
  }

  /** Returns an account that must exist, as `tx` sees it. */
  async require(tx: Tx, id: string): Promise<AccountFacts> {
    const account = await this.find(id, tx);
    if (!account) throw new Error('The account was not found');
    return account;
  }

  /** Returns the existing accounts by ID. */
  async findAll(ids: readonly string[], tx: Tx = this.database.manager): Promise<Map<string, AccountFacts>> {
    const rows = await tx.query<AccountRow[]>(`SELECT ${ACCOUNT_SQL} FROM account a WHERE a.id = ANY ($1)`, [ids]);
    return new Map(rows.map((row) => [row.id, toAccount(row)]));
  }

  findByEmail(email: string, tx: Tx = this.database.manager): Promise<AccountFacts | null> {
    return this.read(tx, 'account-by-email', 'lower(a.email) = lower($1)', email);
  }

  /** Deleted accounts are not found. */
  findByUsername(
    username: string,
    discriminator: number,
    tx: Tx = this.database.manager,
  ): Promise<AccountFacts | null> {
    const condition = 'lower(a.username) = lower($1) AND a.discriminator = $2 AND a.deleted_at IS NULL';
    return this.read(tx, 'account-by-username', condition, username, discriminator);
  }

  private async read(tx: Tx, name: string, condition: string, ...values: unknown[]): Promise<AccountFacts | null> {
    const text = `SELECT ${ACCOUNT_SQL} FROM account a WHERE ${condition}`;
    const rows = await this.database.statement<AccountRow>(name, text, values, tx);
    return rows[0] ? toAccount(rows[0]) : null;
  }

  /**
   * Finds the account of an email address without a timing side channel: one statement and one row, whether or not the
   * account exists. Read further data only after the response.
   */
  async findEmailHolder(email: string, tx: Tx = this.database.manager): Promise<EmailHolder | null> {
    const [{ isThere, ...holder }] = await tx.query<[WithExistence<EmailHolder>]>(
      `SELECT ${IS_EXACT_MATCH_SQL} AS "isThere", coalesce(a.id, $2) AS id, coalesce(a.bot, false) AS bot,
         coalesce(a.email, $1) AS email
       FROM ${NEAREST_ACCOUNT_SQL}`,
      [email, PLACEHOLDER_ROW.id],
    );
    return isThere ? holder : null;
  }

  /**
   * Reads what a password login compares: one statement and one row, whether or not the account exists. A deleted
   * account has no password.
   */
  async findPassword(email: string, decoyId: string | null): Promise<PasswordLookup> {
    const [{ isThere, hasPassword, id, bot, epoch, passwordHash, decoyHash }] = await this.database.manager.query<
      [WithExistence<PasswordRow>]
    >(
      `SELECT ${IS_EXACT_MATCH_SQL} AS "isThere", coalesce(a.id, $4) AS id, coalesce(a.bot, false) AS bot,
         coalesce(a.epoch, 0) AS epoch,
         coalesce(a.deleted_at IS NULL AND a.flags & $2::bigint = 0 AND a.password_hash IS NOT NULL, false) AS "hasPassword",
         coalesce(a.password_hash, $5) AS "passwordHash",
         (SELECT d.password_hash FROM account d WHERE d.id = $3) AS "decoyHash"
       FROM ${NEAREST_ACCOUNT_SQL}`,
      [email, String(ACCOUNT_FLAGS.DELETED), decoyId, PLACEHOLDER_ROW.id, PLACEHOLDER_ROW.hash],
    );
    return {
      id: isThere ? id : null,
      bot: isThere ? bot : null,
      epoch: isThere ? epoch : null,
      passwordHash: isThere && hasPassword ? passwordHash : null,
      decoyHash,
    };
  }

  /**
   * Creates an account with a free discriminator.
   * @throws ApiError FV(EMAIL_ALREADY_IN_USE@email), FV(TOO_MANY_USERS_WITH_THIS_USERNAME@username)
   */
  async create(tx: Tx, account: NewAccount): Promise<AccountFacts> {
    const id = account.id ?? this.snowflakes.next();
    const now = this.clock.date();
    try {
      await tx.insert(Account, {
        id,
        bot: account.bot ?? false,
        username: account.username,
        discriminator: await this.freeDiscriminator(tx, account.username),
        globalName: account.globalName ?? null,
        email: account.email ?? null,
        emailVerified: account.emailVerified ?? false,
        passwordHash: account.passwordHash ?? null,
        passwordChangedAt: account.passwordHash ? now : null,
        locale: account.locale ?? 'en-US',
        avatarColor: randomInt(AVATAR_COLORS),
        suspiciousFlags: account.suspiciousFlags ?? 0,
        traits: account.traits ?? [],
        termsAgreedAt: account.termsAgreed ? now : null,
        registrationIp: account.ip ?? null,
        createdAt: now,
      });
      await tx.insert(AccountSettings, { accountId: id, ...(account.theme ? { theme: account.theme } : {}) });
    } catch (error) {
      if (violatesConstraint(error, 'account_email')) throw validationError('email', 'EMAIL_ALREADY_IN_USE');
      if (violatesConstraint(error, 'account_tag'))
        throw validationError('username', 'TOO_MANY_USERS_WITH_THIS_USERNAME');
      throw error;
    }
    const created = await this.find(id, tx);
    if (!created) throw new Error('The created account was not found');
    if (!account.bot) await this.lifecycle.emit(tx, 'registered', [{ account_id: id }]);
    return created;
  }

  /**
   * Returns a free discriminator for a username. An advisory lock serializes concurrent registrations of the same name.
   * @throws ApiError FV(TOO_MANY_USERS_WITH_THIS_USERNAME@username)
   */
  async freeDiscriminator(tx: Tx, username: string): Promise<number> {
    await tx.query('SELECT pg_advisory_xact_lock(hashtextextended(lower($1), 7))', [username]);
    const rows = await tx.query<{ discriminator: number }[]>(
      'SELECT discriminator FROM account WHERE lower(username) = lower($1) AND deleted_at IS NULL',
      [username],
    );
    const taken = new Set(rows.map(({ discriminator }) => discriminator));
    if (taken.size >= 9999) throw validationError('username', 'TOO_MANY_USERS_WITH_THIS_USERNAME');
    for (;;) {
      const candidate = randomInt(1, 10_000);
      if (!taken.has(candidate)) return candidate;
    }
  }

  async isTagTaken(tx: Tx, username: string, discriminator: number): Promise<boolean> {
    const rows = await tx.query<unknown[]>(
      'SELECT 1 FROM account WHERE lower(username) = lower($1) AND discriminator = $2 AND deleted_at IS NULL',
      [username, discriminator],
    );
    return rows.length > 0;
  }

  async acceptTerms(tx: Tx, id: string): Promise<void> {
    await tx.query('UPDATE account SET terms_agreed_at = now() WHERE id = $1', [id]);
    await this.announceUpdate(tx, id);
  }

  /** Sets the password of an account whose owner is signed in. */
  async setPassword(tx: Tx, id: string, passwordHash: string): Promise<void> {
    await tx.query('UPDATE account SET password_hash = $2, password_changed_at = now() WHERE id = $1', [
      ...[id, passwordHash],
    ]);
    await this.announceUpdate(tx, id);
  }

  async addTrait(tx: Tx, id: string, trait: string): Promise<void> {
    await tx.query('UPDATE account SET traits = array_append(array_remove(traits, $2), $2) WHERE id = $1', [id, trait]);
    await this.announceUpdate(tx, id);
  }

  async removeTrait(tx: Tx, id: string, trait: string): Promise<void> {
    await tx.query('UPDATE account SET traits = array_remove(traits, $2) WHERE id = $1', [id, trait]);
    await this.announceUpdate(tx, id);
  }

  /** Stores the encrypted TOTP secret of an account that has none. Returns false if it got one in the meantime. */
  async setTotpSecret(tx: Tx, id: string, secret: Buffer): Promise<boolean> {
    const { affected } = await tx.update(Account, { id, totpSecret: IsNull() }, { totpSecret: secret });
    if (affected !== 1) return false;
    await this.announceUpdate(tx, id);
    return true;
  }

  async removeTotpSecret(tx: Tx, id: string): Promise<void> {
    await this.update(tx, id, { totpSecret: null });
  }

  /**
   * Invalidates all sudo proofs and pending operations of the account (credentials.md sections 6 and 7). To end
   * sessions as well, use `SessionService.revokeAll`.
   */
  async incrementEpoch(tx: Tx, id: string): Promise<AccountSnapshot> {
    const [[row]] = await tx.query<ChangeResult<{ id: string; epoch: number }>>(
      'UPDATE account SET epoch = epoch + 1 WHERE id = $1 RETURNING id, epoch',
      [id],
    );
    if (!row) throw new Error('The account to change was not found');
    return AccountSnapshot.ofNewEpoch(row);
  }

  /** The same for several accounts, which are locked in ascending order. */
  async incrementEpochs(tx: Tx, ids: readonly string[]): Promise<void> {
    await this.lockAll(tx, ids);
    await tx.query('UPDATE account SET epoch = epoch + 1 WHERE id = ANY ($1::bigint[])', [ids]);
  }

  /** Updates members of one account, if any, and notifies its gateway sessions. */
  async update(tx: Tx, id: string, changes: QueryDeepPartialEntity<StoredAccount>): Promise<void> {
    if (Object.keys(changes).length > 0) await tx.update(Account, { id }, changes);
    await this.announceUpdate(tx, id);
  }

  async announceUpdate(tx: Tx, id: string): Promise<void> {
    await this.replicaBus.announceEvent(tx, { type: 'USER_UPDATE', account_id: id });
  }
}
