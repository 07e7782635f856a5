import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { IsNull, QueryFailedError } from 'typeorm';
import { Clock } from '../clock.js';
import { invalid, Refusal } from '../errors.js';
import { Database, type Row, type Tx } from '../platform/database.js';
import { Replica } from '../platform/replica.js';
import { Snowflakes } from '../snowflake.js';
import { Account, AccountSettings } from './account.entities.js';
import { ACCOUNT_COLUMNS, ACCOUNT_FLAGS, type Account as AccountFacts, accountOf } from './account-facts.js';

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

/** All `null` where the address has no account. */
export interface PasswordOfAddress {
  readonly id: string | null;
  readonly bot: boolean | null;
  readonly epoch: number | null;
  readonly passwordHash: string | null;
}

/** Bits that the verification of an address clears: 0, 1, 4 to 7 (account.md section 7). */
export const EMAIL_REQUIREMENTS = 0b1111_0011;

/** Bits that the verification of a number clears: 2 to 7. */
export const PHONE_REQUIREMENTS = 0b1111_1100;

/** Reason code of a deletion (admin.md section 6). */
const USER_REQUESTED = 1;

/** A trait: the account cannot sign in until its address is verified (auth.md 4.1). */
export const PENDING_VERIFICATION = 'registration_pending_verification';

const UNIQUE_VIOLATION = '23505';

/** Whether a statement lost against a unique index of this name. */
export const violates = (error: unknown, constraint: string): boolean => {
  const driver =
    error instanceof QueryFailedError ? (error.driverError as { code?: string; constraint?: string }) : null;
  return driver?.code === UNIQUE_VIOLATION && driver.constraint === constraint;
};

/** Accounts: the only writer of the account tables. */
@Injectable()
export class AccountService {
  constructor(
    private readonly database: Database,
    private readonly snowflakes: Snowflakes,
    private readonly replica: Replica,
    private readonly clock: Clock,
  ) {}

  find(id: string, tx: Tx = this.database.manager): Promise<AccountFacts | null> {
    return this.read(tx, 'a.id = $1', id);
  }

  /** The account as it is, locked until `tx` ends: no other operation changes who it is or what it may do. */
  async lock(tx: Tx, id: string): Promise<AccountFacts | null> {
    // Two statements: the second one sees what others committed while the first one waited, passkeys included.
    await tx.query('SELECT 1 FROM account WHERE id = $1 FOR NO KEY UPDATE', [id]);
    return this.find(id, tx);
  }

  /**
   * The same for an account that the caller is signed in to.
   * @throws Refusal ACCESS_DENIED when it was erased meanwhile: nothing is written to what is left of it
   */
  async hold(tx: Tx, id: string): Promise<AccountFacts> {
    const account = await this.lock(tx, id);
    if (!account) throw new Error('a signed-in account must be there');
    if (account.deletedAt !== null) throw new Refusal('ACCESS_DENIED');
    return account;
  }

  /** Those of `ids` that exist, by id. */
  async findAll(ids: readonly string[], tx: Tx = this.database.manager): Promise<Map<string, AccountFacts>> {
    const rows: Row[] = await tx.query(`SELECT ${ACCOUNT_COLUMNS} FROM account a WHERE a.id = ANY ($1)`, [ids]);
    return new Map(rows.map((row) => [row.account_id, accountOf(row)]));
  }

  findByEmail(email: string, tx: Tx = this.database.manager): Promise<AccountFacts | null> {
    return this.read(tx, 'lower(a.email) = lower($1)', email);
  }

  private async read(tx: Tx, condition: string, value: string): Promise<AccountFacts | null> {
    const rows: Row[] = await tx.query(`SELECT ${ACCOUNT_COLUMNS} FROM account a WHERE ${condition}`, [value]);
    return rows[0] ? accountOf(rows[0]) : null;
  }

  /**
   * What a password login compares: one statement and one row, whether or not the address has an account. An account
   * that is gone has no password.
   */
  async passwordOf(email: string): Promise<PasswordOfAddress> {
    const [row] = await this.database.manager.query(
      `SELECT a.id, a.bot, a.epoch, CASE WHEN a.deleted_at IS NULL AND a.flags & $2::bigint = 0 THEN a.password_hash END
         AS "passwordHash"
       FROM (SELECT 1) one LEFT JOIN account a ON lower(a.email) = lower($1)`,
      [email, String(ACCOUNT_FLAGS.DELETED)],
    );
    return row;
  }

  /** Whether the account wants sign-ins from unknown addresses to wait for a confirmation. */
  async holdsUnknownIps(id: string): Promise<boolean> {
    return this.database.manager.existsBy(AccountSettings, { accountId: id, sessionIpAuthorization: true });
  }

  /**
   * Creates an account with a free discriminator.
   * @throws Refusal FV(EMAIL_ALREADY_IN_USE@email), FV(TOO_MANY_USERS_WITH_THIS_USERNAME@username)
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
        avatarColor: randomInt(0x1000000),
        suspiciousFlags: account.suspiciousFlags ?? 0,
        traits: account.traits ?? [],
        termsAgreedAt: account.termsAgreed ? now : null,
        registrationIp: account.ip ?? null,
        createdAt: now,
      });
      await tx.insert(AccountSettings, { accountId: id, ...(account.theme ? { theme: account.theme } : {}) });
    } catch (error) {
      if (violates(error, 'account_email')) throw invalid('email', 'EMAIL_ALREADY_IN_USE');
      if (violates(error, 'account_tag')) throw invalid('username', 'TOO_MANY_USERS_WITH_THIS_USERNAME');
      throw error;
    }
    const created = await this.find(id, tx);
    if (!created) throw new Error('a created account must be there');
    return created;
  }

  /**
   * A discriminator that nobody with this username has. The lock makes parallel registrations of one name wait.
   * @throws Refusal FV(TOO_MANY_USERS_WITH_THIS_USERNAME@username)
   */
  async freeDiscriminator(tx: Tx, username: string): Promise<number> {
    await tx.query('SELECT pg_advisory_xact_lock(hashtextextended(lower($1), 7))', [username]);
    const rows: Row[] = await tx.query(
      'SELECT discriminator FROM account WHERE lower(username) = lower($1) AND deleted_at IS NULL',
      [username],
    );
    const taken = new Set(rows.map(({ discriminator }) => discriminator as number));
    if (taken.size >= 9999) throw invalid('username', 'TOO_MANY_USERS_WITH_THIS_USERNAME');
    for (;;) {
      const candidate = randomInt(1, 10_000);
      if (!taken.has(candidate)) return candidate;
    }
  }

  async isTagTaken(tx: Tx, username: string, discriminator: number): Promise<boolean> {
    const rows: Row[] = await tx.query(
      'SELECT 1 FROM account WHERE lower(username) = lower($1) AND discriminator = $2 AND deleted_at IS NULL',
      [username, discriminator],
    );
    return rows.length > 0;
  }

  /**
   * A completed sign-in re-enables an account that its user had disabled or sent to deletion, and lifts a suspension
   * that has run out (auth.md section 2).
   */
  async welcomeBack(tx: Tx, { id, flags, banned, bannedUntil }: AccountFacts): Promise<void> {
    const left = ACCOUNT_FLAGS.DISABLED | ACCOUNT_FLAGS.SELF_DELETED;
    if (banned || ((flags & left) === 0n && bannedUntil === null)) return;
    await tx.query(
      `UPDATE account SET flags = flags & ~$2::bigint, banned = false, banned_until = NULL,
         deletion_at = CASE WHEN flags & $3::bigint <> 0 THEN NULL ELSE deletion_at END
       WHERE id = $1`,
      [id, String(left), String(ACCOUNT_FLAGS.SELF_DELETED)],
    );
    await this.announce(tx, id);
  }

  /**
   * Verifies an address, if it still is the account's, and clears what only that could clear (account.md section 7).
   * False: the account has another address by now.
   */
  async confirmEmail(tx: Tx, id: string, email: string): Promise<boolean> {
    const [, changed] = await tx.query(
      `UPDATE account SET email_verified = true, email_bounced = false, suspicious_flags = suspicious_flags & ~$3::int,
         traits = array_remove(traits, $4)
       WHERE id = $1 AND email = $2`,
      [id, email, EMAIL_REQUIREMENTS, PENDING_VERIFICATION],
    );
    if (changed !== 1) return false;
    await this.announce(tx, id);
    return true;
  }

  /**
   * Gives the account another, verified address, which clears what only a verification could clear.
   * @throws Refusal FV(EMAIL_ALREADY_IN_USE@member)
   */
  async changeEmail(tx: Tx, id: string, email: string, member: string): Promise<void> {
    try {
      await tx.query(
        `UPDATE account SET email = $2, email_verified = true, email_bounced = false,
           suspicious_flags = suspicious_flags & ~$3::int, traits = array_remove(traits, $4)
         WHERE id = $1`,
        [id, email, EMAIL_REQUIREMENTS, PENDING_VERIFICATION],
      );
    } catch (error) {
      if (violates(error, 'account_email')) throw invalid(member, 'EMAIL_ALREADY_IN_USE');
      throw error;
    }
    await this.announce(tx, id);
  }

  /** A mail server refused the address for good: it is verified no longer. Nothing, if the account has another. */
  async markBounced(tx: Tx, id: string, email: string): Promise<void> {
    const [, changed] = await tx.query(
      'UPDATE account SET email_bounced = true, email_verified = false WHERE id = $1 AND lower(email) = lower($2)',
      [id, email],
    );
    if (changed === 1) await this.announce(tx, id);
  }

  /** Takes a number as verified and clears what only that could clear: bits 2 to 7 (account.md section 7). */
  async confirmPhone(tx: Tx, id: string, phoneDigest: Buffer): Promise<void> {
    await tx.query(
      `UPDATE account SET phone_digest = $2, has_verified_phone = true, suspicious_flags = suspicious_flags & ~$3::int
       WHERE id = $1`,
      [id, phoneDigest, PHONE_REQUIREMENTS],
    );
    await this.announce(tx, id);
  }

  /** How many other accounts have verified the number with one of these digests. */
  async countPhone(tx: Tx, id: string, digests: readonly Buffer[]): Promise<number> {
    const [row] = await tx.query(
      `SELECT count(*)::int AS count FROM account
       WHERE phone_digest = ANY($2) AND has_verified_phone AND deleted_at IS NULL AND id <> $1`,
      [id, digests],
    );
    return row.count;
  }

  async acceptTerms(tx: Tx, id: string): Promise<void> {
    await tx.query('UPDATE account SET terms_agreed_at = now() WHERE id = $1', [id]);
    await this.announce(tx, id);
  }

  /** Sends the account to its deletion; sudo proofs die. Answers when it will be deleted. */
  async scheduleDeletion(tx: Tx, id: string, hours: number): Promise<Date> {
    const [[row]] = await tx.query(
      `UPDATE account SET flags = flags | $2::bigint, deletion_at = now() + $3 * interval '1 hour',
         deletion_reason_code = $4, epoch = epoch + 1
       WHERE id = $1 RETURNING deletion_at`,
      [id, String(ACCOUNT_FLAGS.SELF_DELETED), hours, USER_REQUESTED],
    );
    return row.deletion_at;
  }

  /** Ids of accounts whose time has come, locked until `tx` ends; those that a sign-in holds are left for later. */
  async findDueForDeletion(tx: Tx, limit: number): Promise<string[]> {
    const rows: Row[] = await tx.query(
      `SELECT id FROM account WHERE deletion_at <= now() AND deleted_at IS NULL
       ORDER BY deletion_at LIMIT $1 FOR UPDATE SKIP LOCKED`,
      [limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Leaves of an account what others refer to: its id and that it is deleted. */
  async erase(tx: Tx, id: string): Promise<void> {
    await tx.query(
      `UPDATE account SET username = 'DeletedUser', discriminator = 0, global_name = NULL, email = NULL,
         email_verified = false, email_bounced = false, phone_digest = NULL, has_verified_phone = false,
         password_hash = NULL, password_changed_at = NULL, totp_secret = NULL, totp_last_step = 0,
         passkey_second_factor = false, bio = NULL, pronouns = NULL, accent_color = NULL, avatar = NULL, avatar_color = NULL, banner = NULL,
         locale = 'en-US', flags = $2, traits = '{}', acls = '{}', deletion_public_reason = NULL,
         suspicious_flags = 0, epoch = epoch + 1, terms_agreed_at = NULL, registration_ip = NULL,
         last_active_at = NULL, last_active_ip = NULL, deleted_at = now()
       WHERE id = $1`,
      [id, String(ACCOUNT_FLAGS.DELETED)],
    );
    await tx.delete(AccountSettings, { accountId: id });
  }

  /** Sets the password of an account whose owner is signed in; sudo proofs die. */
  async setPassword(tx: Tx, id: string, passwordHash: string): Promise<void> {
    await tx.query(
      'UPDATE account SET password_hash = $2, password_changed_at = now(), epoch = epoch + 1 WHERE id = $1',
      [id, passwordHash],
    );
    await this.announce(tx, id);
  }

  /** Sets a password by recovery, which also ends a lock for suspicious activity; sudo proofs die. */
  async recover(tx: Tx, id: string, passwordHash: string): Promise<void> {
    await tx.query(
      `UPDATE account SET password_hash = $2, password_changed_at = now(), epoch = epoch + 1,
         flags = flags & ~$3::bigint
       WHERE id = $1`,
      [id, passwordHash, String(ACCOUNT_FLAGS.DISABLED_SUSPICIOUS_ACTIVITY)],
    );
    await this.announce(tx, id);
  }

  /**
   * Gives the account back to the owner of a former address: it is verified, the password is new, no second factor is
   * left, sudo proofs die.
   * @throws Refusal FV(EMAIL_ALREADY_IN_USE@token)
   */
  async restore(tx: Tx, id: string, email: string, passwordHash: string): Promise<void> {
    try {
      await tx.query(
        `UPDATE account SET email = $2, email_verified = true, email_bounced = false, password_hash = $3,
           password_changed_at = now(), totp_secret = NULL, passkey_second_factor = false, epoch = epoch + 1
         WHERE id = $1`,
        [id, email, passwordHash],
      );
    } catch (error) {
      if (violates(error, 'account_email')) throw invalid('token', 'EMAIL_ALREADY_IN_USE');
      throw error;
    }
    await this.announce(tx, id);
  }

  /**
   * Hands an account over to the proven owner of its address, which nobody had verified: whatever signed in before
   * signs in no longer, sudo proofs die.
   */
  async handOver(tx: Tx, id: string): Promise<void> {
    await tx.query(
      `UPDATE account SET email_verified = true, email_bounced = false, password_hash = NULL,
         password_changed_at = NULL, totp_secret = NULL, passkey_second_factor = false, epoch = epoch + 1,
         suspicious_flags = suspicious_flags & ~$2::int, traits = array_remove(traits, $3)
       WHERE id = $1`,
      [id, EMAIL_REQUIREMENTS, PENDING_VERIFICATION],
    );
    await this.announce(tx, id);
  }

  async addTrait(tx: Tx, id: string, trait: string): Promise<void> {
    await tx.query('UPDATE account SET traits = array_append(array_remove(traits, $2), $2) WHERE id = $1', [id, trait]);
    await this.announce(tx, id);
  }

  async removeTrait(tx: Tx, id: string, trait: string): Promise<void> {
    await tx.query('UPDATE account SET traits = array_remove(traits, $2) WHERE id = $1', [id, trait]);
    await this.announce(tx, id);
  }

  async setFlags(tx: Tx, id: string, flags: bigint): Promise<void> {
    await tx.query('UPDATE account SET flags = flags | $2::bigint WHERE id = $1', [id, String(flags)]);
  }

  /** Stores the encrypted TOTP secret of an account that has none. False if it got one meanwhile. */
  async setTotpSecret(tx: Tx, id: string, secret: Buffer): Promise<boolean> {
    const { affected } = await tx.update(Account, { id, totpSecret: IsNull() }, { totpSecret: secret });
    if (affected !== 1) return false;
    await this.announce(tx, id);
    return true;
  }

  async removeTotpSecret(tx: Tx, id: string): Promise<void> {
    await this.update(tx, id, { totpSecret: null });
  }

  /** Kills every sudo proof of the account (credentials.md section 6). */
  async raiseEpoch(tx: Tx, id: string): Promise<void> {
    await tx.increment(Account, { id }, 'epoch', 1);
  }

  /** Writes members of one account, if there are any, and tells its gateway sessions. */
  async update(tx: Tx, id: string, changes: Partial<Account>): Promise<void> {
    if (Object.keys(changes).length > 0) await tx.update(Account, { id }, changes as never);
    await this.announce(tx, id);
  }

  async announce(tx: Tx, id: string): Promise<void> {
    await this.replica.announce(tx, { topic: 'event', data: { type: 'USER_UPDATE', account_id: id } });
  }
}
