import { Injectable } from '@nestjs/common';
import { AccountService } from '../../accounts/account.service.js';
import type { ChangeResult, Tx } from '../../platform/database/database.js';
import { SsoIdentity } from './sso.entities.js';

/** Trait of an account that is linked to an identity at a provider and can sign in with it. */
export const SSO_TRAIT = 'sso';

/** Links between identities at providers and accounts (sso.md section 3). */
@Injectable()
export class SsoIdentities {
  constructor(private readonly accounts: AccountService) {}

  /** Returns the account that is linked to an identity. */
  async findAccountId(tx: Tx, issuer: string, subject: string): Promise<string | null> {
    return (await tx.findOneBy(SsoIdentity, { issuer, subject }))?.accountId ?? null;
  }

  /** Returns the subject of an account at this issuer. */
  async findSubject(tx: Tx, issuer: string, accountId: string): Promise<string | null> {
    return (await tx.findOneBy(SsoIdentity, { issuer, accountId }))?.subject ?? null;
  }

  /** Returns all identities of an account. */
  findByAccount(tx: Tx, accountId: string): Promise<SsoIdentity[]> {
    return tx.find(SsoIdentity, { where: { accountId }, order: { issuer: 'ASC' } });
  }

  /** Links an identity to an account. Returns false if either has another link at this issuer. */
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

  /** Deletes all identities of an account that is being deleted. */
  async removeAll(tx: Tx, accountId: string): Promise<void> {
    await tx.delete(SsoIdentity, { accountId });
  }

  /**
   * Unlinks all accounts with an admin ACL, because their provider is no longer trusted. Returns the number of links.
   */
  async removeOfAdministrators(tx: Tx): Promise<number> {
    const [links] = await tx.query<ChangeResult<{ account_id: string }>>(
      `DELETE FROM sso_identity i USING account a WHERE a.id = i.account_id AND cardinality(a.acls) > 0
       RETURNING i.account_id`,
    );
    const accounts = new Set(links.map(({ account_id }) => account_id));
    for (const id of accounts) await this.accounts.removeTrait(tx, id, SSO_TRAIT);
    return links.length;
  }

  /** Unlinks one identity of an account. */
  async unlinkById(tx: Tx, accountId: string, id: string): Promise<void> {
    await tx.delete(SsoIdentity, { accountId, id });
    if (!(await tx.existsBy(SsoIdentity, { accountId }))) await this.accounts.removeTrait(tx, accountId, SSO_TRAIT);
  }

  /** Unlinks an account. Returns the subject, or `null` if there was no link. */
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
