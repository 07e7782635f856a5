import { Injectable } from '@nestjs/common';
import { AccountService } from '../../accounts/account.service.js';
import { formatDiscriminator } from '../../accounts/account.views.js';
import type { Origin } from '../../accounts/events/origin.js';
import { type ProfileChange, ProfileChangeLimits } from '../../accounts/profile-change-limits.service.js';
import { CallerGuard } from '../../auth/sessions/caller-guard.service.js';
import { ApiError, validationError } from '../../core/errors.js';
import { Assets, hashesOf } from '../../media/objects/assets.service.js';
import { violatesConstraint } from '../../platform/database/constraints.js';
import { Database, type Tx } from '../../platform/database/database.js';
import type { Account, StoredAccount } from '../../policy/account.js';
import type { BotIdentity, SessionIdentity } from '../../policy/identity.js';
import type { EditBotInput } from './application.dto.js';
import { applicationBotView, botProfileView, currentBotApplicationView } from './application.views.js';
import { Applications } from './applications.service.js';
import { BotTokens } from './bot-tokens.service.js';

/** Profiles of bots, and the reset of their tokens (oauth.md 6.5 and 6.6). */
@Injectable()
export class Bots {
  constructor(
    private readonly database: Database,
    private readonly applications: Applications,
    private readonly accounts: AccountService,
    private readonly callerGuard: CallerGuard,
    private readonly assets: Assets,
    private readonly botTokens: BotTokens,
    private readonly profileChangeLimits: ProfileChangeLimits,
  ) {}

  /** Returns the application of a bot, as the bot sees it. */
  async describe({ account, applicationId }: BotIdentity) {
    const application = await this.applications.find(applicationId);
    const owner = application?.ownerId ? await this.accounts.find(application.ownerId) : null;
    if (!application || !owner) throw new ApiError('UNAUTHORIZED');
    return currentBotApplicationView(application, account, owner);
  }

  /** @throws ApiError UNKNOWN_APPLICATION, ACCESS_DENIED, BOT_USER_NOT_FOUND */
  async resetToken(me: SessionIdentity, id: string, origin: Origin) {
    return this.database.transaction(async (tx) => {
      const owner = await this.callerGuard.lockCaller(tx, me);
      const application = await this.applications.requireOwn(owner, id, tx);
      const bot = await this.require(id, tx);
      const token = await this.botTokens.replaceAll(tx, application, { by: 'owner', reason: 'reset', origin });
      return { token, bot: applicationBotView(bot, owner) };
    });
  }

  /** @throws ApiError UNKNOWN_APPLICATION, ACCESS_DENIED, BOT_USER_NOT_FOUND, USERNAME_NOT_AVAILABLE, FV */
  async edit(me: SessionIdentity, id: string, input: EditBotInput) {
    const { account: owner } = me;
    await this.applications.requireOwn(owner, id);
    const bot = await this.require(id);
    if (
      input.discriminator !== undefined &&
      input.discriminator.padStart(4, '0') !== formatDiscriminator(bot.discriminator)
    ) {
      throw validationError('discriminator', 'BOT_DISCRIMINATOR_CANNOT_BE_CHANGED');
    }
    const images = await this.assets.prepareBoth(id, input);
    const { username, bio } = input;
    const newNameOf = (stored: Account) => (username === stored.username ? undefined : username);
    const differencesOf = (stored: Account): ProfileChange[] =>
      newNameOf(stored) === undefined ? [] : [{ field: 'username' }];
    return this.profileChangeLimits.chargeAround(id, differencesOf(bot), (announce) =>
      this.database.transaction(async (tx) => {
        await this.applications.requireOwn(await this.callerGuard.lockCaller(tx, me), id, tx);
        await this.accounts.lock(tx, id);
        const stored = await this.require(id, tx);
        announce(differencesOf(stored));
        const name = newNameOf(stored);
        const changes: Partial<StoredAccount> = name === undefined ? {} : await this.rename(tx, stored, name);
        if (bio !== undefined && bio !== stored.bio) changes.bio = bio;
        Object.assign(changes, hashesOf(images));
        if (Object.keys(changes).length > 0) await this.write(tx, id, changes);
        await this.assets.replaceBoth(tx, id, images);
        return botProfileView(await this.require(id, tx));
      }),
    );
  }

  /** A change of letter case keeps the discriminator. Any other new name gets a new discriminator. */
  private async rename(tx: Tx, bot: Account, username: string): Promise<Partial<StoredAccount>> {
    if (username.toLowerCase() === bot.username.toLowerCase()) return { username };
    try {
      return { username, discriminator: await this.accounts.freeDiscriminator(tx, username) };
    } catch (error) {
      throw error instanceof ApiError ? new ApiError('USERNAME_NOT_AVAILABLE') : error;
    }
  }

  private async write(tx: Tx, id: string, changes: Partial<StoredAccount>): Promise<void> {
    try {
      await this.accounts.update(tx, id, changes);
    } catch (error) {
      throw violatesConstraint(error, 'account_tag') ? new ApiError('USERNAME_NOT_AVAILABLE') : error;
    }
  }

  private async require(id: string, tx?: Tx): Promise<Account> {
    const account = await this.accounts.find(id, tx);
    if (!account?.bot) throw new ApiError('BOT_USER_NOT_FOUND');
    return account;
  }
}
