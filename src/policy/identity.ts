import { Injectable } from '@nestjs/common';
import { snowflakeFault } from '../input.js';
import { Database } from '../platform/database.js';
import { digest, matches } from '../secrets.js';
import type { Credential, CredentialKind } from './credential.js';

/** Bits of `account.flags` (admin.md 5.1). */
export const ACCOUNT_FLAGS = {
  STAFF: 1n << 0n,
  HIGH_GLOBAL_RATE_LIMIT: 1n << 33n,
  DELETED: 1n << 34n,
  DISABLED_SUSPICIOUS_ACTIVITY: 1n << 35n,
  SELF_DELETED: 1n << 36n,
  DISABLED: 1n << 38n,
  RATE_LIMIT_BYPASS: 1n << 47n,
  NOT_SUSPICIOUS: 1n << 62n,
} as const;

/** The account behind a credential, with everything that guards and the private user object need. */
export interface Account {
  readonly id: string;
  readonly bot: boolean;
  readonly system: boolean;
  readonly username: string;
  readonly discriminator: number;
  readonly globalName: string | null;
  readonly email: string | null;
  readonly emailVerified: boolean;
  readonly emailBounced: boolean;
  readonly hasVerifiedPhone: boolean;
  readonly hasPassword: boolean;
  readonly hasTotp: boolean;
  readonly passkeys: number;
  readonly passkeySecondFactor: boolean;
  /** ISO 8601, as it is shown; so are the other times of an account. */
  readonly passwordChangedAt: string | null;
  readonly bio: string | null;
  readonly pronouns: string | null;
  readonly accentColor: number | null;
  readonly avatar: string | null;
  readonly avatarColor: number | null;
  readonly banner: string | null;
  readonly locale: string;
  readonly flags: bigint;
  readonly traits: readonly string[];
  readonly acls: readonly string[];
  /** Effective bits (account.md section 7), computed at every resolution. */
  readonly suspicious: number;
  readonly epoch: number;
  readonly termsAgreedAt: string | null;
  readonly banned: boolean;
  readonly bannedUntil: Date | null;
  readonly deletedAt: string | null;
  readonly createdAt: string;
}

interface Held {
  readonly account: Account;
}
export type SessionIdentity = Held & { readonly via: 'session'; readonly sessionId: string; readonly digest: Buffer };
export type BotIdentity = Held & { readonly via: 'bot'; readonly applicationId: string; readonly digest: Buffer };
export type BearerIdentity = Held & {
  readonly via: 'bearer';
  readonly applicationId: string;
  readonly tokenId: string;
  readonly scopes: readonly string[];
  readonly expiresAt: Date;
};
export type AdminKeyIdentity = Held & {
  readonly via: 'admin-key';
  readonly keyId: string;
  readonly acls: readonly string[];
};

/** Who the caller is. Handlers never see a raw token (credentials.md section 5). */
export type Identity = SessionIdentity | BotIdentity | BearerIdentity | AdminKeyIdentity;

const INACTIVE =
  ACCOUNT_FLAGS.DELETED |
  ACCOUNT_FLAGS.SELF_DELETED |
  ACCOUNT_FLAGS.DISABLED |
  ACCOUNT_FLAGS.DISABLED_SUSPICIOUS_ACTIVITY;

/** Deleted, disabled or banned: the states in which operations that ask refuse an account (source.md 5.9). */
export const isInactive = (account: Account): boolean =>
  account.deletedAt !== null || account.banned || (account.flags & INACTIVE) !== 0n;

/** The opposite of `isInactive`, as a condition on an account `a`. */
export const IS_ACTIVE = `(a.deleted_at IS NULL AND a.flags & ${INACTIVE} = 0
  AND NOT (a.banned AND (a.banned_until IS NULL OR a.banned_until > now())))`;

/** Stored bits 0-7 without those whose standing state holds (account.md section 7). */
export function effectiveSuspicion(stored: number, verifiedEmail: boolean, verifiedPhone: boolean): number {
  let met = 0;
  if (verifiedEmail) met |= 1 | 16 | 64;
  if (verifiedPhone) met |= 4 | 16 | 32;
  return stored & 0xff & ~met;
}

/** A time as the contract writes it: the database formats what would otherwise be parsed and formatted again. */
const iso = (column: string, name: string): string =>
  `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS ${name}`;

/** Columns of an account `a`, named once for every place that reads accounts by SQL. */
export const ACCOUNT_COLUMNS = `
  a.id AS account_id, a.bot, a.system, a.username, a.discriminator, a.global_name, a.email, a.email_verified,
  a.email_bounced, a.has_verified_phone, a.password_hash IS NOT NULL AS has_password,
  a.totp_secret IS NOT NULL AS has_totp,
  (SELECT count(*)::int FROM passkey p WHERE p.account_id = a.id) AS passkeys, a.passkey_second_factor,
  a.bio, a.pronouns, a.accent_color, a.avatar, a.avatar_color, a.banner, a.locale, a.flags, a.traits, a.acls,
  a.suspicious_flags, a.epoch, a.banned_until,
  a.banned AND (a.banned_until IS NULL OR a.banned_until > now()) AS banned,
  ${iso('a.password_changed_at', 'password_changed_at')}, ${iso('a.terms_agreed_at', 'terms_agreed_at')},
  ${iso('a.deleted_at', 'deleted_at')}, ${iso('a.created_at', 'account_created_at')}`;

// biome-ignore lint/suspicious/noExplicitAny: a row of the statements below, whose columns the driver types
export type AccountRow = Record<string, any>;

export function accountOf(row: AccountRow): Account {
  return {
    id: row.account_id,
    bot: row.bot,
    system: row.system,
    username: row.username,
    discriminator: row.discriminator,
    globalName: row.global_name,
    email: row.email,
    emailVerified: row.email_verified,
    emailBounced: row.email_bounced,
    hasVerifiedPhone: row.has_verified_phone,
    hasPassword: row.has_password,
    hasTotp: row.has_totp,
    passkeys: row.passkeys,
    passkeySecondFactor: row.passkey_second_factor,
    passwordChangedAt: row.password_changed_at,
    bio: row.bio,
    pronouns: row.pronouns,
    accentColor: row.accent_color,
    avatar: row.avatar,
    avatarColor: row.avatar_color,
    banner: row.banner,
    locale: row.locale,
    flags: BigInt(row.flags),
    traits: row.traits,
    acls: row.acls,
    suspicious: effectiveSuspicion(
      row.suspicious_flags,
      row.email !== null && row.email_verified && !row.email_bounced,
      row.has_verified_phone,
    ),
    epoch: row.epoch,
    termsAgreedAt: row.terms_agreed_at,
    banned: row.banned,
    bannedUntil: row.banned_until,
    deletedAt: row.deleted_at,
    createdAt: row.account_created_at,
  };
}

/** `held-session`: by the session's id, for a credential that stays in use and may be rotated meanwhile. */
type Lookup = CredentialKind | 'held-session';

// 5.9: deleted and disabled accounts still resolve; each operation decides.
const STATEMENTS = {
  session: `SELECT s.digest AS key, s.id AS session_id, ${ACCOUNT_COLUMNS}
    FROM session s JOIN account a ON a.id = s.account_id
    WHERE s.digest = ANY($1::bytea[]) AND s.revoked_at IS NULL`,
  bot: `SELECT t.bot_digest AS key, t.id AS application_id, ${ACCOUNT_COLUMNS}
    FROM application t JOIN account a ON a.id = t.id
    WHERE t.bot_digest = ANY($1::bytea[])`,
  bearer: `SELECT t.digest AS key, t.id AS token_id, t.application_id, t.scopes, t.expires_at, ${ACCOUNT_COLUMNS}
    FROM oauth_token t JOIN account a ON a.id = t.account_id
    WHERE t.digest = ANY($1::bytea[]) AND t.kind = 'access' AND t.expires_at > now()`,
  'admin-key': `SELECT k.digest AS key, k.id AS key_id, k.acls AS key_acls, ${ACCOUNT_COLUMNS}
    FROM admin_key k JOIN account a ON a.id = k.owner_id
    WHERE k.id = ANY($1::bigint[]) AND (k.expires_at IS NULL OR k.expires_at > now())`,
  'held-session': `SELECT s.id AS key, s.digest, s.id AS session_id, ${ACCOUNT_COLUMNS}
    FROM session s JOIN account a ON a.id = s.account_id
    WHERE s.id = ANY($1::bigint[]) AND s.revoked_at IS NULL`,
} as const satisfies Record<Lookup, string>;

const MAX_IN_FLIGHT = 2;

interface Waiting {
  readonly key: Buffer | string;
  readonly id: string;
  resolve(row: AccountRow | undefined): void;
  reject(reason: unknown): void;
}

/**
 * Lookups of one kind that wait in the same turn of the event loop go out as one named statement. At once when nothing
 * is in flight; at most two statements in flight. Nothing is cached, so nothing can be stale.
 */
class Batch {
  private waiting: Waiting[] = [];
  private inFlight = 0;
  private scheduled = false;

  constructor(
    private readonly database: Database,
    private readonly kind: Lookup,
    private readonly counters: { statements: number; lookups: number },
  ) {}

  find(key: Buffer | string): Promise<AccountRow | undefined> {
    this.counters.lookups++;
    return new Promise((resolve, reject) => {
      this.waiting.push({ key, id: typeof key === 'string' ? key : key.toString('latin1'), resolve, reject });
      if (this.scheduled || this.inFlight >= MAX_IN_FLIGHT) return;
      this.scheduled = true;
      setImmediate(() => this.flush());
    });
  }

  private flush(): void {
    this.scheduled = false;
    const waiting = this.waiting;
    if (waiting.length === 0 || this.inFlight >= MAX_IN_FLIGHT) return;
    this.waiting = [];
    this.inFlight++;
    this.counters.statements++;
    const values = [waiting.map(({ key }) => key)];
    this.database
      .statement(`identity-${this.kind}`, STATEMENTS[this.kind], values)
      .then(
        (rows) => {
          const found = new Map(
            rows.map((row) => [this.kind === 'admin-key' ? row.key_id : row.key.toString('latin1'), row]),
          );
          for (const { id, resolve } of waiting) resolve(found.get(id));
        },
        (reason) => {
          for (const { reject } of waiting) reject(reason);
        },
      )
      .finally(() => {
        this.inFlight--;
        this.flush();
      });
  }
}

const TOKEN = /^[A-Za-z0-9_-]{43}$/;
const BOT_TOKEN = /^(0|[1-9][0-9]{0,18})\.([A-Za-z0-9_-]{43})$/;
const SESSION_TOKEN = /^flx_[A-Za-z0-9]{36}$/;
const ADMIN_KEY = /^fa_(0|[1-9][0-9]{0,18})_[A-Za-z0-9]{32}$/;

/** From a credential to an identity or to nothing; the type has no room for a reason (credentials.md section 1). */
@Injectable()
export class IdentityResolver {
  readonly counters = { statements: 0, lookups: 0 };
  private readonly batches: Record<Lookup, Batch>;

  constructor(database: Database) {
    const batch = (kind: Lookup) => new Batch(database, kind, this.counters);
    this.batches = {
      session: batch('session'),
      bot: batch('bot'),
      bearer: batch('bearer'),
      'admin-key': batch('admin-key'),
      'held-session': batch('held-session'),
    };
  }

  /** A session that is in use, by its id: alive under whatever token it has by now. */
  async heldSession(sessionId: string): Promise<SessionIdentity | null> {
    const row = await this.batches['held-session'].find(sessionId);
    return row ? { via: 'session', sessionId, digest: row.digest, account: accountOf(row) } : null;
  }

  /** Malformed values cost no statement. A database that cannot be asked rejects, never says no. */
  resolve(credential: Credential): Promise<Identity | null> | null {
    switch (credential.kind) {
      case 'session':
        return SESSION_TOKEN.test(credential.token) ? this.session(credential.token) : null;
      case 'bot':
        return this.bot(credential.token);
      case 'bearer':
        return TOKEN.test(credential.token) ? this.bearer(credential.token) : null;
      case 'admin-key':
        return this.adminKey(credential.token);
      default:
        return null;
    }
  }

  private async session(token: string): Promise<Identity | null> {
    const key = digest(token);
    const row = await this.batches.session.find(key);
    return row ? { via: 'session', sessionId: row.session_id, digest: key, account: accountOf(row) } : null;
  }

  private bot(token: string): Promise<Identity | null> | null {
    const match = BOT_TOKEN.exec(token);
    return match ? this.botBySecret(match[1] as string, match[2] as string) : null;
  }

  private botBySecret(applicationId: string, secret: string): Promise<BotIdentity | null> {
    return this.heldBot(applicationId, digest(secret));
  }

  /** A bot by the digest of its secret: alive until that secret is reset. */
  async heldBot(applicationId: string, secretDigest: Buffer): Promise<BotIdentity | null> {
    const row = await this.batches.bot.find(secretDigest);
    if (!row || row.application_id !== applicationId) return null;
    const account = accountOf(row);
    return account.banned ? null : { via: 'bot', applicationId, digest: secretDigest, account };
  }

  private async bearer(token: string): Promise<Identity | null> {
    const row = await this.batches.bearer.find(digest(token));
    if (!row) return null;
    const { token_id: tokenId, application_id: applicationId, scopes, expires_at: expiresAt } = row;
    return { via: 'bearer', tokenId, applicationId, scopes, expiresAt, account: accountOf(row) };
  }

  private adminKey(token: string): Promise<Identity | null> | null {
    const id = ADMIN_KEY.exec(token)?.[1];
    // An id that no column can hold would fail the statement for everyone who waits in the same batch.
    return id !== undefined && snowflakeFault(id) === undefined ? this.adminKeyById(id, digest(token)) : null;
  }

  private async adminKeyById(keyId: string, key: Buffer): Promise<Identity | null> {
    const row = await this.batches['admin-key'].find(keyId);
    if (!row || !matches(row.key, key)) return null;
    const account = accountOf(row);
    return isInactive(account) ? null : { via: 'admin-key', keyId, acls: row.key_acls, account };
  }
}
