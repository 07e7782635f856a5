import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { Clock } from '../clock.js';
import { invalid, Refusal } from '../errors.js';
import { violates } from '../platform/constraints.js';
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

/** A trait: the account cannot sign in until its address is verified (auth.md 4.1). */
export const PENDING_VERIFICATION = 'registration_pending_verification';

/** Accounts: who they are. Only this file, their contact and their state write the account tables. */
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

  async acceptTerms(tx: Tx, id: string): Promise<void> {
    await tx.query('UPDATE account SET terms_agreed_at = now() WHERE id = $1', [id]);
    await this.announce(tx, id);
  }

  /** Sets the password of an account whose owner is signed in; sudo proofs die. */
  async setPassword(tx: Tx, id: string, passwordHash: string): Promise<void> {
    await tx.query(
      'UPDATE account SET password_hash = $2, password_changed_at = now(), epoch = epoch + 1 WHERE id = $1',
      [id, passwordHash],
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
