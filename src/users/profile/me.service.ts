import { Injectable } from '@nestjs/common';
import { AccountService } from '../../accounts/account.service.js';
import { formatDiscriminator, privateUserView } from '../../accounts/account.views.js';
import { ACCOUNT_FLAGS, hasFactor } from '../../accounts/account-facts.js';
import { AccountState } from '../../accounts/account-state.service.js';
import { LifecycleEvents } from '../../accounts/events/lifecycle-events.service.js';
import type { Origin } from '../../accounts/events/origin.js';
import { type ProfileChange, ProfileChangeLimits } from '../../accounts/profile-change-limits.service.js';
import { Passwords } from '../../auth/factors/passwords.service.js';
import { CallerGuard } from '../../auth/sessions/caller-guard.service.js';
import { type RotatedSession, SessionService } from '../../auth/sessions/sessions.service.js';
import { SudoAttempts } from '../../auth/sudo/sudo-attempts.service.js';
import { validationError } from '../../core/errors.js';
import { Assets, hashesOf, type NewImages } from '../../media/objects/assets.service.js';
import { violatesConstraint } from '../../platform/database/constraints.js';
import { Database, type Tx } from '../../platform/database/database.js';
import type { Account, StoredAccount } from '../../policy/account.js';
import type { SessionIdentity } from '../../policy/identity.js';
import { EmailChange } from '../contact/email-change.service.js';
import { OwnPassword } from '../password/own-password.service.js';
import type { EditMeInput } from './me.dto.js';

/** All members except those of sudo mode. Without any of them, nothing is changed. */
const EDITABLE_MEMBERS = [
  ...(['username', 'discriminator', 'global_name', 'avatar', 'banner', 'bio', 'pronouns', 'accent_color'] as const),
  ...(['new_password', 'email_token'] as const),
];

/** After a password change, it includes the new token of the calling session. */
export type EditedUser = ReturnType<typeof privateUserView> & Partial<RotatedSession>;

/** Changes that the signed-in user makes to their own account (account.md sections 2 and 3). */
@Injectable()
export class MeService {
  constructor(
    private readonly database: Database,
    private readonly accounts: AccountService,
    private readonly state: AccountState,
    private readonly passwords: Passwords,
    private readonly sessions: SessionService,
    private readonly callerGuard: CallerGuard,
    private readonly attempts: SudoAttempts,
    private readonly password: OwnPassword,
    private readonly emailChange: EmailChange,
    private readonly assets: Assets,
    private readonly profileChangeLimits: ProfileChangeLimits,
    private readonly lifecycle: LifecycleEvents,
  ) {}

  /**
   * Applies the whole body or nothing. A password change rotates the token of the calling session and ends all others.
   */
  async edit(me: SessionIdentity, input: EditMeInput, origin: Origin): Promise<EditedUser> {
    const { account } = me;
    const { email_token: emailToken, new_password: newPassword } = input;
    if (EDITABLE_MEMBERS.every((member) => input[member] === undefined)) return privateUserView(account);
    const passwordHash =
      newPassword === undefined ? undefined : await this.hashNewPassword(me, newPassword, input.password);
    const images = await this.assets.prepareBoth(account.id, input);
    return this.profileChangeLimits.chargeAround(account.id, findProfileChanges(account, input, images), (announce) =>
      this.database.transaction(async (tx) => {
        const current = await this.callerGuard.lockCaller(tx, me);
        announce(findProfileChanges(current, input, images));
        if (emailToken !== undefined) await this.emailChange.applyInTransaction(tx, current, emailToken, origin);
        await this.write(tx, me, input, images);
        const rotated =
          passwordHash === undefined ? {} : await this.password.set(tx, me, current, passwordHash, origin);
        return { ...privateUserView(await this.accounts.require(tx, account.id)), ...rotated };
      }),
    );
  }

  private async write(tx: Tx, me: SessionIdentity, input: EditMeInput, images: NewImages): Promise<void> {
    const { id } = me.account;
    const name = isRenamed(me, input) ? await this.rename(tx, me, input) : {};
    try {
      await this.accounts.update(tx, id, { ...toColumnChanges(input, images), ...name });
    } catch (error) {
      if (violatesConstraint(error, 'account_tag')) throw validationError('discriminator', 'TAG_ALREADY_TAKEN');
      throw error;
    }
    await this.assets.replaceBoth(tx, id, images);
  }

  private async rename(tx: Tx, { account }: SessionIdentity, input: EditMeInput): Promise<Partial<StoredAccount>> {
    const username = input.username ?? account.username;
    if (input.discriminator !== undefined) return { username, discriminator: Number(input.discriminator) };
    const keeps = username.toLowerCase() === account.username.toLowerCase();
    if (keeps || !(await this.accounts.isTagTaken(tx, username, account.discriminator))) return { username };
    return { username, discriminator: await this.accounts.freeDiscriminator(tx, username) };
  }

  /**
   * Hashes the new password. If the account has a second factor, the current password is checked here; otherwise sudo
   * mode has just checked it.
   * @throws ApiError FV(INVALID_PASSWORD@password), FV(PASSWORD_IS_TOO_COMMON@new_password)
   */
  private async hashNewPassword({ account }: SessionIdentity, fresh: string, present = ''): Promise<string> {
    if (account.hasPassword && hasFactor(account)) {
      const isRight = () => this.passwords.isPasswordOf(account.id, present);
      if (!(await this.attempts.verify(account.id, isRight))) throw validationError('password', 'INVALID_PASSWORD');
    }
    return this.passwords.hashNew(fresh, 'new_password');
  }

  async disable(me: SessionIdentity, origin: Origin): Promise<void> {
    await this.database.transaction(async (tx) => {
      const account = await this.callerGuard.lockCaller(tx, me);
      const { id } = account;
      await this.state.setFlags(tx, id, ACCOUNT_FLAGS.DISABLED);
      await this.sessions.revokeAll(tx, id, { by: 'owner', reason: 'account_disabled', origin });
      await this.lifecycle.emit(tx, 'disabled', [{ account_id: id }], { account, origin });
    });
  }
}

const isRenamed = ({ account }: SessionIdentity, { username, discriminator }: EditMeInput): boolean =>
  (username !== undefined && username !== account.username) ||
  (discriminator !== undefined && discriminator !== formatDiscriminator(account.discriminator));

/** Lists which limited fields the body changes. */
function findProfileChanges(stored: Account, input: EditMeInput, images: NewImages): ProfileChange[] {
  const { username, discriminator, bio, pronouns, accent_color } = input;
  const isOther = (sent: unknown, value: unknown) => sent !== undefined && sent !== value;
  const { avatar, banner } = hashesOf(images);
  const differences: [boolean, ProfileChange][] = [
    [isOther(username, stored.username), { field: 'username' }],
    [isOther(bio, stored.bio), { field: 'bio' }],
    [isOther(pronouns, stored.pronouns), { field: 'pronouns' }],
    [isOther(accent_color, stored.accentColor), { field: 'accent_color' }],
    [isOther(avatar, stored.avatar), { field: 'avatar' }],
    [isOther(banner, stored.banner), { field: 'banner' }],
  ];
  if (!isOther(username, stored.username) && isOther(discriminator, formatDiscriminator(stored.discriminator))) {
    differences.unshift([true, { field: 'username', member: 'discriminator' }]);
  }
  return differences.filter(([differs]) => differs).map(([, change]) => change);
}

function toColumnChanges(input: EditMeInput, images: NewImages): Partial<StoredAccount> {
  const changes: Partial<StoredAccount> = hashesOf(images);
  if (input.global_name !== undefined) changes.globalName = input.global_name;
  if (input.bio !== undefined) changes.bio = input.bio;
  if (input.pronouns !== undefined) changes.pronouns = input.pronouns;
  if (input.accent_color !== undefined) changes.accentColor = input.accent_color;
  return changes;
}
