import { Injectable } from '@nestjs/common';
import { AccountService } from '../../accounts/account.service.js';
import type { Changed, Tx } from '../../platform/database/database.js';
import { SsoIdentity } from './sso.entities.js';

/** A trait: the account has an identity at a provider, and so a way to sign in. */
export const SSO_TRAIT = 'sso';

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
