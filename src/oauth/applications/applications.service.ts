import { Injectable } from '@nestjs/common';
import { Any } from 'typeorm';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity.js';
import type { Account as AccountEntity } from '../../accounts/account.entities.js';
import { AccountService } from '../../accounts/account.service.js';
import { ACCOUNT_COLUMNS, type AccountRow, accountOf } from '../../accounts/account-facts.js';
import { AccountParts } from '../../accounts/account-parts.service.js';
import { Application, AuthorizationCode } from '../../accounts/grants/oauth.entities.js';
import { Refusal } from '../../core/errors.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { gather } from '../../platform/database/gather.js';
import { Replica } from '../../platform/replicas/replica.js';
import type { Account } from '../../policy/account.js';
import { isRegistered } from './redirect-uris.js';

export const MAX_APPLICATIONS = 25;

/** What stays of a bot account. */
const FACELESS: QueryDeepPartialEntity<AccountEntity> = {
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

/** What everyone may know of applications, with their bots, in one plain statement: consent screens ask often. */
const PUBLIC_SIDE_BY_ID = `
  SELECT p.id AS application_id, p.name, p.redirect_uris, p.bot_public, ${ACCOUNT_COLUMNS}
  FROM application p LEFT JOIN account a ON a.id = p.id
  WHERE p.id = ANY ($1::bigint[]) AND p.owner_id IS NOT NULL`;

interface ApplicationFacts {
  readonly application_id: string;
  readonly name: string;
  readonly redirect_uris: string[];
  readonly bot_public: boolean;
}

type PublicRow = ApplicationFacts & (AccountRow | { account_id: null });

interface PublicSide {
  readonly application: PublicFacts;
  readonly bot: Account | null;
}

export type PublicFacts = Pick<Application, 'id' | 'name' | 'redirectUris' | 'botPublic'>;

/** Runs in the transaction that deletes an application, before anything of it goes. */
export type ApplicationEnd = (tx: Tx, applicationId: string) => Promise<void>;

/** Applications as rows: found, counted, changed, deleted. The only writer of their table, for every area. */
@Injectable()
export class Applications {
  private readonly ends: ApplicationEnd[] = [];
  private readonly readPublic = gather((ids) => this.publicOfMany(ids));

  constructor(
    private readonly database: Database,
    private readonly accounts: AccountService,
    private readonly replica: Replica,
    private readonly parts: AccountParts,
  ) {}

  /** Any application, the built-in one included. */
  find(id: string, tx: Tx = this.database.manager): Promise<Application | null> {
    return tx.findOneBy(Application, { id });
  }

  /** Oldest first. */
  ofOwner(ownerId: string, tx: Tx = this.database.manager): Promise<Application[]> {
    return tx.find(Application, { where: { ownerId }, order: { id: 'ASC' } });
  }

  /**
   * One that somebody owns: the built-in application is unknown here.
   * @throws Refusal UNKNOWN_APPLICATION
   */
  async requireOwned(id: string): Promise<Application> {
    const application = await this.find(id);
    if (!application || application.ownerId === null) throw new Refusal('UNKNOWN_APPLICATION');
    return application;
  }

  /**
   * The public side of one that somebody owns, and its bot.
   * @throws Refusal UNKNOWN_APPLICATION
   */
  async requirePublic(id: string): Promise<PublicSide> {
    const found = await this.readPublic(id);
    if (!found) throw new Refusal('UNKNOWN_APPLICATION');
    return found;
  }

  private async publicOfMany(ids: string[]): Promise<Map<string, PublicSide>> {
    const rows = await this.database.statement<PublicRow>('application-public', PUBLIC_SIDE_BY_ID, [ids]);
    return new Map(
      rows.map((row) => {
        const { application_id: id, name, redirect_uris: redirectUris, bot_public: botPublic } = row;
        const bot = row.account_id === null ? null : accountOf(row);
        return [id, { application: { id, name, redirectUris, botPublic }, bot }];
      }),
    );
  }

  /**
   * An application of `owner`; inside a transaction nobody else changes it until that ends.
   * @throws Refusal UNKNOWN_APPLICATION, ACCESS_DENIED
   */
  async requireOwn(owner: Account, id: string, tx?: Tx): Promise<Application> {
    const application = tx ? await this.hold(tx, id) : await this.requireOwned(id);
    if (!application || application.ownerId === null) throw new Refusal('UNKNOWN_APPLICATION');
    if (application.ownerId !== owner.id) throw new Refusal('ACCESS_DENIED');
    return application;
  }

  /** Reads an application and keeps everyone else from building on it or changing it until `tx` ends. */
  hold(tx: Tx, id: string): Promise<Application | null> {
    return tx.findOne(Application, { where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  /** The same of everything that an account owns, in the order of their ids. */
  holdAllOf(tx: Tx, ownerId: string): Promise<Application[]> {
    return tx.find(Application, { where: { ownerId }, order: { id: 'ASC' }, lock: { mode: 'pessimistic_write' } });
  }

  /** @throws Refusal UNKNOWN_APPLICATION when one of them does not exist */
  async demandKnown(tx: Tx, ids: readonly string[]): Promise<void> {
    if ((await tx.countBy(Application, { id: Any(ids) })) !== ids.length) throw new Refusal('UNKNOWN_APPLICATION');
  }

  /**
   * Room for one more application, kept until `tx` ends: of parallel creations none gets past the limit.
   * @throws Refusal MAX_APPLICATIONS
   */
  async demandRoom(tx: Tx, ownerId: string): Promise<void> {
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('applications/' || $1, 0))`, [ownerId]);
    if ((await tx.countBy(Application, { ownerId })) >= MAX_APPLICATIONS) throw new Refusal('MAX_APPLICATIONS');
  }

  /** Writes a change and counts it; pending codes bound to an address that is gone are void. */
  async change(tx: Tx, id: string, changes: QueryDeepPartialEntity<Application>): Promise<Application> {
    await tx.update(Application, { id }, { ...changes, version: () => 'version + 1' });
    const changed = await tx.findOneByOrFail(Application, { id });
    if (changes.redirectUris) await this.voidCodes(tx, changed);
    return changed;
  }

  private async voidCodes(tx: Tx, { id, redirectUris }: Application): Promise<void> {
    const bound = await tx.query<{ redirect_uri: string }[]>(
      'SELECT DISTINCT redirect_uri FROM oauth_code WHERE application_id = $1',
      [id],
    );
    const gone = bound.map((row) => row.redirect_uri).filter((uri) => !isRegistered(uri, redirectUris));
    await tx.query('DELETE FROM oauth_code WHERE application_id = $1 AND redirect_uri = ANY ($2)', [id, gone]);
  }

  /** Gives an application to another account; every credential of it stays as it is. */
  async transfer(tx: Tx, id: string, newOwnerId: string): Promise<Application> {
    await this.demandRoom(tx, newOwnerId);
    return this.change(tx, id, { ownerId: newOwnerId });
  }

  /** Adds what another area has to take away with an application. */
  onEnd(end: ApplicationEnd): void {
    this.ends.push(end);
  }

  /**
   * Deletes an application that `tx` holds: codes, tokens, secret and bot token go, the bot's sockets close, its
   * account stays as a deleted one. Locks in the order application, codes, families, as every other operation does.
   */
  async delete(tx: Tx, { id }: Application): Promise<void> {
    for (const end of this.ends) await end(tx, id);
    await this.parts.remove(tx, id);
    await tx.delete(AuthorizationCode, { applicationId: id });
    await tx.query(
      `DELETE FROM oauth_family
       WHERE id IN (SELECT id FROM oauth_family WHERE application_id = $1 ORDER BY id FOR UPDATE)`,
      [id],
    );
    await tx.delete(Application, { id });
    await this.replica.announce(tx, { topic: 'revoked', data: { bot: id } });
    await this.accounts.update(tx, id, FACELESS);
  }

  /** For the end of an account. */
  async deleteAllOf(tx: Tx, ownerId: string): Promise<void> {
    for (const application of await this.holdAllOf(tx, ownerId)) await this.delete(tx, application);
  }
}
