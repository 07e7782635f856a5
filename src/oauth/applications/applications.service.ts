import { Injectable } from '@nestjs/common';
import { Any } from 'typeorm';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity.js';
import { AccountService } from '../../accounts/account.service.js';
import { AccountDataRegistry } from '../../accounts/account-data-registry.service.js';
import { ACCOUNT_SQL, toAccount } from '../../accounts/account-facts.js';
import { Application, AuthorizationCode } from '../../accounts/grants/oauth.entities.js';
import { PERSONAL_APPLICATION_ID } from '../../accounts/grants/personal-application.js';
import { ApiError } from '../../core/errors.js';
import { batchById } from '../../platform/database/batcher.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { ReplicaBus } from '../../platform/replicas/replica-bus.js';
import type { Account, AccountRow, StoredAccount } from '../../policy/account.js';
import { isRegistered } from './redirect-uris.js';
import { endsTrust } from './trust.service.js';

export const MAX_APPLICATIONS = 25;

/** Values of the account of a deleted bot. */
const DELETED_BOT: QueryDeepPartialEntity<StoredAccount> = {
  username: 'DeletedUser',
  discriminator: 0,
  globalName: 'Deleted User',
  avatar: null,
  avatarColor: null,
  banner: null,
  bio: null,
  flags: '0',
  deletedAt: () => 'now()',
};

/**
 * The public data of applications and their bots. One statement reads them, because consent pages request them often.
 */
const PUBLIC_SIDE_BY_ID = `
  SELECT p.id AS application_id, p.name, p.redirect_uris, p.bot_public, p.is_trusted, p.trusted_scopes, ${ACCOUNT_SQL}
  FROM application p LEFT JOIN account a ON a.id = p.id
  WHERE p.id = ANY ($1::bigint[]) AND p.owner_id IS NOT NULL`;

interface ApplicationFacts {
  readonly application_id: string;
  readonly name: string;
  readonly redirect_uris: string[];
  readonly bot_public: boolean;
  readonly is_trusted: boolean;
  readonly trusted_scopes: string[];
}

type PublicRow = ApplicationFacts & (AccountRow | { id: null });

interface PublicSide {
  readonly application: PublicFacts;
  readonly bot: Account | null;
}

export type PublicFacts = Pick<
  Application,
  'id' | 'name' | 'redirectUris' | 'botPublic' | 'isTrusted' | 'trustedScopes'
>;

/** Runs in the transaction that deletes an application, before any of its data is deleted. */
export type ApplicationDeletionHook = (tx: Tx, applicationId: string) => Promise<void>;

/** Finds, counts, changes and deletes applications. No other code writes to their table. */
@Injectable()
export class Applications {
  private readonly deletionHooks: ApplicationDeletionHook[] = [];
  private readonly readPublic = batchById((ids) => this.findPublicByIds(ids));

  constructor(
    private readonly database: Database,
    private readonly accounts: AccountService,
    private readonly replicaBus: ReplicaBus,
    private readonly accountDataRegistry: AccountDataRegistry,
  ) {}

  /** Finds any application, including the built-in Admin application. That of personal access tokens counts as unknown. */
  async find(id: string, tx: Tx = this.database.manager): Promise<Application | null> {
    return id === PERSONAL_APPLICATION_ID ? null : this.findIssuer(id, tx);
  }

  /** Finds the application of an access token. */
  findIssuer(id: string, tx: Tx = this.database.manager): Promise<Application | null> {
    return tx.findOneBy(Application, { id });
  }

  /** Returns the applications of an owner, oldest first. */
  ofOwner(ownerId: string, tx: Tx = this.database.manager): Promise<Application[]> {
    return tx.find(Application, { where: { ownerId }, order: { id: 'ASC' } });
  }

  /**
   * Returns an application that has an owner. The built-in application counts as unknown.
   * @throws ApiError UNKNOWN_APPLICATION
   */
  async requireOwned(id: string): Promise<Application> {
    const application = await this.find(id);
    if (!application || application.ownerId === null) throw new ApiError('UNKNOWN_APPLICATION');
    return application;
  }

  /**
   * Returns the public data of an application that has an owner, and its bot.
   * @throws ApiError UNKNOWN_APPLICATION
   */
  async requirePublic(id: string): Promise<PublicSide> {
    const found = await this.readPublic(id);
    if (!found) throw new ApiError('UNKNOWN_APPLICATION');
    return found;
  }

  private async findPublicByIds(ids: string[]): Promise<Map<string, PublicSide>> {
    const rows = await this.database.statement<PublicRow>('application-public', PUBLIC_SIDE_BY_ID, [ids]);
    return new Map(
      rows.map((row) => {
        const { application_id: id, name, redirect_uris: redirectUris, bot_public: botPublic, ...more } = row;
        const { is_trusted: isTrusted, trusted_scopes: trustedScopes, ...account } = more;
        const bot = account.id === null ? null : toAccount(account);
        return [id, { application: { id, name, redirectUris, botPublic, isTrusted, trustedScopes }, bot }];
      }),
    );
  }

  /**
   * Returns an application of `owner`. With `tx`, locks it until `tx` ends.
   * @throws ApiError UNKNOWN_APPLICATION, ACCESS_DENIED
   */
  async requireOwn(owner: Account, id: string, tx?: Tx): Promise<Application> {
    const application = tx ? await this.hold(tx, id) : await this.requireOwned(id);
    if (!application || application.ownerId === null) throw new ApiError('UNKNOWN_APPLICATION');
    if (application.ownerId !== owner.id) throw new ApiError('ACCESS_DENIED');
    return application;
  }

  /** Finds an application and locks it until `tx` ends. */
  async hold(tx: Tx, id: string): Promise<Application | null> {
    if (id === PERSONAL_APPLICATION_ID) return null;
    return tx.findOne(Application, { where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  /** Finds and locks all applications of an account, in ascending order. */
  holdAllOf(tx: Tx, ownerId: string): Promise<Application[]> {
    return tx.find(Application, { where: { ownerId }, order: { id: 'ASC' }, lock: { mode: 'pessimistic_write' } });
  }

  /** @throws ApiError UNKNOWN_APPLICATION if one of them does not exist */
  async assertExist(tx: Tx, ids: readonly string[]): Promise<void> {
    const isBuiltIn = ids.includes(PERSONAL_APPLICATION_ID);
    if (isBuiltIn || (await tx.countBy(Application, { id: Any(ids) })) !== ids.length)
      throw new ApiError('UNKNOWN_APPLICATION');
  }

  /**
   * Checks the limit of applications and locks it until `tx` ends, so that parallel creations cannot exceed it.
   * @throws ApiError MAX_APPLICATIONS
   */
  async assertBelowLimit(tx: Tx, ownerId: string): Promise<void> {
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('applications/' || $1, 0))`, [ownerId]);
    if ((await tx.countBy(Application, { ownerId })) >= MAX_APPLICATIONS) throw new ApiError('MAX_APPLICATIONS');
  }

  /**
   * Changes an application that `tx` holds and increments its version. Revokes pending codes whose redirect URI is no
   * longer registered, and the trust in the application if the changes end it.
   */
  async change(tx: Tx, application: Application, changes: QueryDeepPartialEntity<Application>): Promise<Application> {
    const { id } = application;
    const trust = endsTrust(application, changes) ? { isTrusted: false } : {};
    await tx.update(Application, { id }, { ...changes, ...trust, version: () => 'version + 1' });
    const changed = await tx.findOneByOrFail(Application, { id });
    if (changes.redirectUris) await this.revokeUnregisteredCodes(tx, changed);
    return changed;
  }

  private async revokeUnregisteredCodes(tx: Tx, { id, redirectUris }: Application): Promise<void> {
    const bound = await tx.query<{ redirect_uri: string }[]>(
      'SELECT DISTINCT redirect_uri FROM oauth_code WHERE application_id = $1',
      [id],
    );
    const gone = bound.map((row) => row.redirect_uri).filter((uri) => !isRegistered(uri, redirectUris));
    await tx.query(
      `DELETE FROM oauth_code WHERE digest IN (
         SELECT digest FROM oauth_code WHERE application_id = $1 AND redirect_uri = ANY ($2) ORDER BY digest FOR UPDATE)`,
      [id, gone],
    );
  }

  /** Transfers an application to another account. Its credentials stay valid. */
  async transfer(tx: Tx, application: Application, newOwnerId: string): Promise<Application> {
    await this.assertBelowLimit(tx, newOwnerId);
    return this.change(tx, application, { ownerId: newOwnerId });
  }

  /** Registers work to do before an application is deleted. */
  beforeDelete(end: ApplicationDeletionHook): void {
    this.deletionHooks.push(end);
  }

  /**
   * Deletes an application that `tx` holds. Revokes its codes, tokens, secret and bot token, and closes the sockets of
   * its bot. The account of the bot stays and is marked as deleted. Locks application, codes and families in this
   * order, like every other operation.
   */
  async delete(tx: Tx, { id }: Application): Promise<void> {
    for (const end of this.deletionHooks) await end(tx, id);
    await this.accountDataRegistry.eraseAll(tx, id);
    await tx.delete(AuthorizationCode, { applicationId: id });
    await tx.query(
      `DELETE FROM oauth_family
       WHERE id IN (SELECT id FROM oauth_family WHERE application_id = $1 ORDER BY id FOR UPDATE)`,
      [id],
    );
    await tx.delete(Application, { id });
    await this.replicaBus.announce(tx, { topic: 'revoked', data: { bot: id } });
    await this.accounts.update(tx, id, DELETED_BOT);
  }

  /** Deletes all applications of an account that is being deleted. */
  async deleteAllOf(tx: Tx, ownerId: string): Promise<void> {
    for (const application of await this.holdAllOf(tx, ownerId)) await this.delete(tx, application);
  }
}
