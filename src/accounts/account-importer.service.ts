import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Tx } from '../platform/database/database.js';
import { AVATAR_COLORS } from './account.service.js';

/** A validated account from another service. */
export interface IncomingAccount {
  readonly id: string;
  readonly username: string;
  readonly discriminator: number;
  readonly globalName: string | null;
  readonly email: string | null;
  readonly emailVerified: boolean;
  readonly passwordHash: string | null;
  readonly totpSecret: Buffer | null;
  readonly locale: string;
  readonly theme: string;
  readonly traits: readonly string[];
  readonly termsAgreedAt: Date | null;
  readonly createdAt: Date;
}

/** Values that must be unique among accounts. */
export interface UniqueClaims {
  readonly ids: readonly string[];
  /** Lowercase. */
  readonly emails: readonly string[];
  /** Usernames in lowercase. */
  readonly tags: readonly { readonly username: string; readonly discriminator: number }[];
}

/** An account that already has a claimed value. */
export interface ClaimHolder {
  readonly id: string;
  readonly email: string | null;
  /** `null` for an application, which reserves its ID for its bot. */
  readonly username: string | null;
  readonly discriminator: number;
  readonly createdAt: Date;
  /** Whether it is a user account that was imported and not deleted. */
  readonly wasTakenIn: boolean;
}

/** Tables to which accounts are written, and in which existing ones are looked up. */
export interface ImportTables {
  readonly accounts: string;
  readonly known: string;
  /** `null` in a dry run, because no user will sign in. */
  readonly settings: string | null;
}

export const IMPORT_TABLES: ImportTables = { accounts: 'account', known: 'account', settings: 'account_settings' };

/** Tables of a dry run, which reports all errors and stores nothing. */
const DRY_RUN_TABLES: ImportTables = {
  accounts: 'trial_account',
  known: '(SELECT * FROM account UNION ALL SELECT * FROM trial_account)',
  settings: null,
};

const CLAIM_HOLDER_COLUMNS = `a.id, a.email, a.username, a.discriminator, a.created_at AS "createdAt",
  (NOT a.bot AND a.deleted_at IS NULL AND a.registration_ip IS NULL) AS "wasTakenIn"`;

/** Imports many accounts with few statements. */
@Injectable()
export class AccountImporter {
  /** Creates the temporary table of a dry run. It is dropped at the end of the dry run, or with the connection. */
  async beginDryRun(tx: Tx): Promise<ImportTables> {
    await tx.query('CREATE TEMP TABLE trial_account (LIKE account INCLUDING DEFAULTS INCLUDING INDEXES)');
    return DRY_RUN_TABLES;
  }

  async endDryRun(tx: Tx): Promise<void> {
    await tx.query('DROP TABLE IF EXISTS trial_account');
  }

  async findHolders(tx: Tx, { known }: ImportTables, { ids, emails, tags }: UniqueClaims): Promise<ClaimHolder[]> {
    return tx.query<ClaimHolder[]>(
      `SELECT ${CLAIM_HOLDER_COLUMNS} FROM ${known} a WHERE a.id = ANY ($1::bigint[])
       UNION SELECT ${CLAIM_HOLDER_COLUMNS} FROM ${known} a WHERE lower(a.email) = ANY ($2::text[])
       UNION SELECT ${CLAIM_HOLDER_COLUMNS} FROM ${known} a JOIN unnest($3::text[], $4::smallint[]) t (username, discriminator)
         ON lower(a.username) = t.username AND a.discriminator = t.discriminator WHERE a.deleted_at IS NULL
       UNION SELECT o.id, NULL, NULL, 0, o.created_at, false FROM application o WHERE o.id = ANY ($1::bigint[])`,
      [ids, emails, tags.map(({ username }) => username), tags.map(({ discriminator }) => discriminator)],
    );
  }

  /** Returns the used discriminators by lowercase username. Registrations with these names wait until `tx` ends. */
  async takenDiscriminators(
    tx: Tx,
    { known }: ImportTables,
    usernames: readonly string[],
  ): Promise<Map<string, Set<number>>> {
    await tx.query(
      `SELECT pg_advisory_xact_lock(hashtextextended(n.name, 7))
       FROM (SELECT DISTINCT name FROM unnest($1::text[]) AS u (name) ORDER BY name) n`,
      [usernames],
    );
    const rows = await tx.query<{ username: string; taken: number[] }[]>(
      `SELECT lower(a.username) AS username, array_agg(a.discriminator::int) AS taken FROM ${known} a
       WHERE lower(a.username) = ANY ($1::text[]) AND a.deleted_at IS NULL GROUP BY 1`,
      [usernames],
    );
    return new Map(rows.map(({ username, taken }) => [username, new Set(taken)]));
  }

  /** Inserts accounts. Fails with a unique violation if a concurrent transaction was faster. */
  async insert(tx: Tx, { accounts, settings }: ImportTables, rows: readonly IncomingAccount[]): Promise<void> {
    const of = (value: (row: IncomingAccount) => unknown): unknown[] => rows.map(value);
    const ids = of(({ id }) => id);
    await tx.query(
      `INSERT INTO ${accounts} (id, username, discriminator, global_name, email, email_verified, password_hash,
         totp_secret, locale, traits, terms_agreed_at, created_at, avatar_color)
       SELECT i.id, i.username, i.discriminator, i.global_name, i.email, i.email_verified, i.password_hash,
         i.totp_secret, i.locale, string_to_array(i.traits, ','), i.terms_agreed_at, i.created_at, i.avatar_color
       FROM unnest($1::bigint[], $2::text[], $3::smallint[], $4::text[], $5::text[], $6::boolean[], $7::text[],
         $8::bytea[], $9::text[], $10::text[], $11::timestamptz[], $12::timestamptz[], $13::int[])
         AS i (id, username, discriminator, global_name, email, email_verified, password_hash,
           totp_secret, locale, traits, terms_agreed_at, created_at, avatar_color)`,
      [
        ids,
        ...[of((row) => row.username), of((row) => row.discriminator), of((row) => row.globalName)],
        ...[of((row) => row.email), of((row) => row.emailVerified), of((row) => row.passwordHash)],
        ...[of((row) => row.totpSecret), of((row) => row.locale), of((row) => row.traits.join(','))],
        ...[of((row) => row.termsAgreedAt), of((row) => row.createdAt), of(() => randomInt(AVATAR_COLORS))],
      ],
    );
    if (settings === null) return;
    await tx.query(
      `INSERT INTO ${settings} (account_id, theme) SELECT s.account_id, s.theme
       FROM unnest($1::bigint[], $2::text[]) AS s (account_id, theme)`,
      [ids, of((row) => row.theme)],
    );
  }
}
