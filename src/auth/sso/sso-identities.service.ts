import { Injectable } from '@nestjs/common';
import { AccountService } from '../../accounts/account.service.js';
import type { Changed, Tx } from '../../platform/database/database.js';
import { SsoIdentity } from './sso.entities.js';

/** A trait: the account has an identity at a provider, and so a way to sign in. */
export const SSO_TRAIT = 'sso';

/** An identity with its account. */
interface Identity {
  readonly issuer: string;
  readonly subject: string;
  readonly accountId: string;
}

/** Where many identities are written at once, and where those are looked up that exist. */
export interface IdentityIntake {
  readonly identities: string;
  readonly known: string;
}

export const IDENTITY_INTAKE: IdentityIntake = { identities: 'sso_identity', known: 'sso_identity' };

/** Who at which provider is which account (sso.md section 3). */
@Injectable()
export class SsoIdentities {
  constructor(private readonly accounts: AccountService) {}

  /** The account of an identity. */
  async findAccountId(tx: Tx, issuer: string, subject: string): Promise<string | null> {
    return (await tx.findOneBy(SsoIdentity, { issuer, subject }))?.accountId ?? null;
  }

  /** The subject by which the issuer knows an account. */
  async findSubject(tx: Tx, issuer: string, accountId: string): Promise<string | null> {
    return (await tx.findOneBy(SsoIdentity, { issuer, accountId }))?.subject ?? null;
  }

  /** As whom issuers know an account. */
  of(tx: Tx, accountId: string): Promise<SsoIdentity[]> {
    return tx.find(SsoIdentity, { where: { accountId }, order: { issuer: 'ASC' } });
  }

  /** False: the identity has another account, or the account another identity of this issuer. */
  async link(tx: Tx, identity: { issuer: string; subject: string; accountId: string }): Promise<boolean> {
    const { raw }: { raw: unknown[] } = await tx
      .createQueryBuilder()
      .insert()
      .into(SsoIdentity)
      .values(identity)
      .orIgnore()
      .returning(['subject'])
      .execute();
    if (raw.length === 0) {
      return (await this.findAccountId(tx, identity.issuer, identity.subject)) === identity.accountId;
    }
    await this.accounts.addTrait(tx, identity.accountId, SSO_TRAIT);
    return true;
  }

  /** Makes the table of a trial, which ends with the connection or with `endTrial`. */
  async beginTrial(tx: Tx): Promise<IdentityIntake> {
    await tx.query('CREATE TEMP TABLE trial_identity (LIKE sso_identity INCLUDING DEFAULTS INCLUDING INDEXES)');
    const known = '(SELECT * FROM sso_identity UNION ALL SELECT * FROM trial_identity)';
    return { identities: 'trial_identity', known };
  }

  async endTrial(tx: Tx): Promise<void> {
    await tx.query('DROP TABLE IF EXISTS trial_identity');
  }

  /** Those of many identities that have an account. */
  findAll(tx: Tx, { known }: IdentityIntake, wanted: readonly Omit<Identity, 'accountId'>[]): Promise<Identity[]> {
    return tx.query<Identity[]>(
      `SELECT i.issuer, i.subject, i.account_id AS "accountId" FROM ${known} i
       JOIN unnest($1::text[], $2::text[]) w (issuer, subject) ON i.issuer = w.issuer AND i.subject = w.subject`,
      [wanted.map(({ issuer }) => issuer), wanted.map(({ subject }) => subject)],
    );
  }

  /**
   * Gives identities to accounts that are made in `tx` with the trait. Fails by a unique index where somebody else was
   * faster.
   */
  async insertAll(tx: Tx, { identities }: IdentityIntake, rows: readonly Identity[]): Promise<void> {
    if (rows.length === 0) return;
    await tx.query(
      `INSERT INTO ${identities} (issuer, subject, account_id)
       SELECT i.issuer, i.subject, i.account_id
       FROM unnest($1::text[], $2::text[], $3::bigint[]) AS i (issuer, subject, account_id)`,
      [rows.map(({ issuer }) => issuer), rows.map(({ subject }) => subject), rows.map(({ accountId }) => accountId)],
    );
  }

  /** Forgets who an account that goes is at any provider. */
  async removeAll(tx: Tx, accountId: string): Promise<void> {
    await tx.delete(SsoIdentity, { accountId });
  }

  /**
   * Forgets who at any provider the accounts with an admin ACL are: they were vouched for by one that is asked no longer.
   * Answers how many links that were.
   */
  async removeOfAdministrators(tx: Tx): Promise<number> {
    const [links] = await tx.query<Changed<{ account_id: string }>>(
      `DELETE FROM sso_identity i USING account a WHERE a.id = i.account_id AND cardinality(a.acls) > 0
       RETURNING i.account_id`,
    );
    const accounts = new Set(links.map(({ account_id }) => account_id));
    for (const id of accounts) await this.accounts.removeTrait(tx, id, SSO_TRAIT);
    return links.length;
  }

  /** Answers the subject that was unlinked; `null` if there was none. */
  async unlink(tx: Tx, issuer: string, accountId: string): Promise<string | null> {
    const { raw }: { raw: { subject: string }[] } = await tx
      .createQueryBuilder()
      .delete()
      .from(SsoIdentity)
      .where({ issuer, accountId })
      .returning(['subject'])
      .execute();
    const [unlinked] = raw;
    if (!unlinked) return null;
    await this.accounts.removeTrait(tx, accountId, SSO_TRAIT);
    return unlinked.subject;
  }
}
