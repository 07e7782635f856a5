import { Injectable } from '@nestjs/common';
import { AccountService } from '../../accounts/account.service.js';
import type { Origin } from '../../accounts/events/origin.js';
import { ApiError } from '../../core/errors.js';
import { Snowflakes } from '../../core/snowflake.js';
import type { ChangeResult, Tx } from '../../platform/database/database.js';
import type { Account } from '../../policy/account.js';
import { SecurityNotices } from '../notices/security-notices.service.js';
import { ConnectionIdentity } from './connection-identity.entities.js';

/** Trait of an account that can sign in with an identity of a connection. */
export const CONNECTION_TRAIT = 'connection';

/** An identity at a provider, and the email address that it states. */
export interface ExternalIdentity {
  readonly connectionId: string;
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | null;
}

const ADMINISTRATORS = 'SELECT a.id FROM account a WHERE a.id = i.account_id AND cardinality(a.acls) > 0';

/** Links between identities of connections and accounts (connections.md section 1). */
@Injectable()
export class ConnectionIdentities {
  constructor(
    private readonly accounts: AccountService,
    private readonly snowflakes: Snowflakes,
    private readonly notices: SecurityNotices,
  ) {}

  /** Returns the link of an identity. */
  find(tx: Tx, { connectionId, issuer, subject }: Omit<ExternalIdentity, 'email'>): Promise<ConnectionIdentity | null> {
    return tx.findOneBy(ConnectionIdentity, { connectionId, issuer, subject });
  }

  /** Whether an account has an identity of this connection at its current issuer. */
  hasOther(tx: Tx, accountId: string, { connectionId, issuer }: Omit<ExternalIdentity, 'email'>): Promise<boolean> {
    return tx.existsBy(ConnectionIdentity, { accountId, connectionId, issuer });
  }

  /** Returns all identities of an account, also those of former issuers. */
  findByAccount(tx: Tx, accountId: string): Promise<ConnectionIdentity[]> {
    return tx.find(ConnectionIdentity, { where: { accountId }, order: { connectionId: 'ASC', issuer: 'ASC' } });
  }

  /**
   * Links an identity to an account. Returns `null` if either has another link of this connection and issuer.
   * @throws ApiError UNKNOWN_CONNECTION if the connection was deleted in the meantime
   */
  async link(tx: Tx, identity: ExternalIdentity, accountId: string): Promise<ConnectionIdentity | null> {
    const held = await tx.query<unknown[]>('SELECT 1 FROM connection WHERE id = $1 FOR KEY SHARE', [
      identity.connectionId,
    ]);
    if (held.length === 0) throw new ApiError('UNKNOWN_CONNECTION');
    const id = this.snowflakes.next();
    const { raw }: { raw: unknown[] } = await tx
      .createQueryBuilder()
      .insert()
      .into(ConnectionIdentity)
      .values({ ...identity, id, accountId, lastUsedAt: () => 'now()' })
      .orIgnore()
      .returning(['id'])
      .execute();
    if (raw.length === 0) return null;
    await this.accounts.addTrait(tx, accountId, CONNECTION_TRAIT);
    return tx.findOneByOrFail(ConnectionIdentity, { id });
  }

  /**
   * Links an identity to an account and notifies the owner.
   * @throws the error of `taken` if either has another link of this connection
   */
  async linkWithNotice(
    tx: Tx,
    identity: ExternalIdentity,
    account: Account,
    { origin, taken }: { readonly origin: Origin; readonly taken: () => Error },
  ): Promise<ConnectionIdentity> {
    const linked = await this.link(tx, identity, account.id);
    if (!linked) throw taken();
    await this.notices.send(tx, account, 'identity_linked', origin, { connection: identity.connectionId });
    return linked;
  }

  /** Records that the identity was used to sign in, and its current email address. */
  async recordUse(tx: Tx, id: string, email: string | null): Promise<void> {
    await tx.update(ConnectionIdentity, { id }, { lastUsedAt: () => 'now()', email });
  }

  /** Deletes an identity of an account. Returns its connection, or `null` if the account does not have it. */
  async unlink(tx: Tx, accountId: string, id: string): Promise<string | null> {
    const [[row]] = await tx.query<ChangeResult<{ connection_id: string }>>(
      'DELETE FROM connection_identity WHERE account_id = $1 AND id = $2 RETURNING connection_id',
      [accountId, id],
    );
    if (!row) return null;
    await this.dropTraitIfUnused(tx, accountId);
    return row.connection_id;
  }

  /** Deletes the identities that an account has at a connection, also those of former issuers, and returns them. */
  async unlinkOf(tx: Tx, accountId: string, connectionId: string): Promise<{ issuer: string; subject: string }[]> {
    const [removed] = await tx.query<ChangeResult<{ issuer: string; subject: string }>>(
      'DELETE FROM connection_identity WHERE account_id = $1 AND connection_id = $2 RETURNING issuer, subject',
      [accountId, connectionId],
    );
    if (removed.length > 0) await this.dropTraitIfUnused(tx, accountId);
    return removed;
  }

  /** Deletes all identities of an account. Returns their number. */
  async removeAll(tx: Tx, accountId: string): Promise<number> {
    const { affected } = await tx.delete(ConnectionIdentity, { accountId });
    return affected ?? 0;
  }

  /** Deletes all identities of an account that keeps existing. Returns their number. */
  async unlinkAll(tx: Tx, accountId: string): Promise<number> {
    const count = await this.removeAll(tx, accountId);
    if (count > 0) await this.accounts.removeTrait(tx, accountId, CONNECTION_TRAIT);
    return count;
  }

  countOf(tx: Tx, connectionId: string): Promise<number> {
    return tx.countBy(ConnectionIdentity, { connectionId });
  }

  /** Deletes the identities of a connection. */
  removeOf(tx: Tx, connectionId: string): Promise<number> {
    return this.remove(tx, 'i.connection_id = $1', connectionId);
  }

  /** Unlinks all accounts with an admin ACL, because the provider of the connection changed. */
  removeOfAdministrators(tx: Tx, connectionId: string): Promise<number> {
    return this.remove(tx, `i.connection_id = $1 AND EXISTS (${ADMINISTRATORS})`, connectionId);
  }

  private async remove(tx: Tx, condition: string, connectionId: string): Promise<number> {
    const [removed] = await tx.query<ChangeResult<{ account_id: string }>>(
      `DELETE FROM connection_identity i WHERE ${condition} RETURNING i.account_id`,
      [connectionId],
    );
    for (const id of new Set(removed.map(({ account_id }) => account_id))) await this.dropTraitIfUnused(tx, id);
    return removed.length;
  }

  private async dropTraitIfUnused(tx: Tx, accountId: string): Promise<void> {
    if (await tx.existsBy(ConnectionIdentity, { accountId })) return;
    await this.accounts.removeTrait(tx, accountId, CONNECTION_TRAIT);
  }
}
