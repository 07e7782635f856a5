import { Injectable } from '@nestjs/common';
import { AccountService } from '../../accounts/account.service.js';
import { formatDiscriminator } from '../../accounts/account.views.js';
import { isInactive } from '../../accounts/account-facts.js';
import type { Application } from '../../accounts/grants/oauth.entities.js';
import { CallerGuard } from '../../auth/sessions/caller-guard.service.js';
import { ApiError } from '../../core/errors.js';
import { openIdMembers } from '../../oauth/applications/application.views.js';
import { Applications } from '../../oauth/applications/applications.service.js';
import { Database } from '../../platform/database/database.js';
import type { Account } from '../../policy/account.js';
import { AuditLog } from '../audit/audit.service.js';
import type { Operator } from '../audit/operator.js';
import { TargetProtection } from '../users/target-protection.service.js';

/** An application in the Admin API (admin.md section 6). It shows whether secrets exist, never the secrets. */
const adminApplicationView = (application: Application, owner: Account | undefined, bot: Account | undefined) => ({
  id: application.id,
  name: application.name,
  client_type: application.clientType,
  owner_user_id: application.ownerId,
  owner_username: owner?.username ?? null,
  owner_global_name: owner?.globalName ?? null,
  owner_discriminator: owner ? formatDiscriminator(owner.discriminator) : null,
  bot_user_id: bot?.id ?? null,
  bot_username: bot?.username ?? null,
  bot_discriminator: bot ? formatDiscriminator(bot.discriminator) : null,
  bot_is_public: application.botPublic,
  bot_require_code_grant: application.botRequireCodeGrant,
  oauth2_redirect_uris: application.redirectUris,
  ...openIdMembers(application),
  has_client_secret: application.secretDigest !== null,
  client_secret_created_at: application.secretCreatedAt?.toISOString() ?? null,
  has_bot_token: application.botDigest !== null,
  bot_token_preview: application.botPreview,
  bot_token_created_at: application.botCreatedAt?.toISOString() ?? null,
  version: application.version,
});

/** Reads and transfers applications for administrators (admin.md section 6). */
@Injectable()
export class AdminApplications {
  constructor(
    private readonly database: Database,
    private readonly applications: Applications,
    private readonly accounts: AccountService,
    private readonly callerGuard: CallerGuard,
    private readonly audit: AuditLog,
    private readonly protection: TargetProtection,
  ) {}

  /**
   * Returns the applications of an owner, oldest first.
   * @throws ApiError UNKNOWN_USER
   */
  async ofOwner(ownerId: string) {
    if (!(await this.accounts.find(ownerId))) throw new ApiError('UNKNOWN_USER');
    return { applications: await this.toViews(await this.applications.ofOwner(ownerId)) };
  }

  /** Also finds the built-in application. Returns `null` for an unknown ID. */
  async show(id: string) {
    const application = await this.applications.find(id);
    return { application: application ? ((await this.toViews([application]))[0] ?? null) : null };
  }

  /**
   * Transfers an application to another account. Its credentials stay valid until the new owner resets them.
   * @throws ApiError UNKNOWN_APPLICATION, MISSING_ACL, ACCESS_DENIED, UNKNOWN_USER, MAX_APPLICATIONS
   */
  async transfer(by: Operator, id: string, newOwnerId: string) {
    await this.database.transaction(async (tx) => {
      if (by.identity) await this.callerGuard.lockCallerAndTarget(tx, by.identity, newOwnerId);
      const application = await this.applications.hold(tx, id);
      if (!application) throw new ApiError('UNKNOWN_APPLICATION');
      const { ownerId } = application;
      await this.protection.assertMayChangeOwner(by, ownerId, tx);
      if (ownerId === null) throw new ApiError('ACCESS_DENIED');
      const newOwner = await this.accounts.lock(tx, newOwnerId);
      if (!newOwner) throw new ApiError('UNKNOWN_USER');
      if (newOwner.bot || isInactive(newOwner)) throw new ApiError('ACCESS_DENIED');
      if (newOwnerId !== ownerId) {
        await this.applications.transfer(tx, id, newOwnerId);
        await this.accounts.announceUpdate(tx, id);
      }
      await this.audit.record(tx, by, {
        action: 'transfer_ownership',
        target: { type: 'application', id },
        metadata: { old_owner_id: ownerId, new_owner_id: newOwnerId },
      });
    });
    return this.show(id);
  }

  private async toViews(applications: readonly Application[]) {
    const named = applications.flatMap(({ id, ownerId }) => (ownerId === null ? [id] : [id, ownerId]));
    const accounts = await this.accounts.findAll(named);
    return applications.map((application) =>
      adminApplicationView(application, accounts.get(application.ownerId ?? ''), accounts.get(application.id)),
    );
  }
}
