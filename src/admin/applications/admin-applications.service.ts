import { Injectable } from '@nestjs/common';
import { AccountService } from '../../accounts/account.service.js';
import { tagOf } from '../../accounts/account.views.js';
import { isInactive } from '../../accounts/account-facts.js';
import type { Application } from '../../accounts/grants/oauth.entities.js';
import { Standing } from '../../auth/sessions/standing.service.js';
import { Refusal } from '../../core/errors.js';
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
  owner_discriminator: owner ? tagOf(owner.discriminator) : null,
  bot_user_id: bot?.id ?? null,
  bot_username: bot?.username ?? null,
  bot_discriminator: bot ? tagOf(bot.discriminator) : null,
  bot_is_public: application.botPublic,
  bot_require_code_grant: application.botRequireCodeGrant,
  oauth2_redirect_uris: application.redirectUris,
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
    private readonly standing: Standing,
    private readonly audit: AuditLog,
    private readonly protection: TargetProtection,
  ) {}

  /**
   * Returns the applications of an owner, oldest first.
   * @throws Refusal UNKNOWN_USER
   */
  async ofOwner(ownerId: string) {
    if (!(await this.accounts.find(ownerId))) throw new Refusal('UNKNOWN_USER');
    return { applications: await this.views(await this.applications.ofOwner(ownerId)) };
  }

  /** Also finds the built-in application. Returns `null` for an unknown ID. */
  async show(id: string) {
    const application = await this.applications.find(id);
    return { application: application ? ((await this.views([application]))[0] ?? null) : null };
  }

  /**
   * Transfers an application to another account. Its credentials stay valid until the new owner resets them.
   * @throws Refusal UNKNOWN_APPLICATION, MISSING_ACL, ACCESS_DENIED, UNKNOWN_USER, MAX_APPLICATIONS
   */
  async transfer(by: Operator, id: string, newOwnerId: string) {
    await this.database.transaction(async (tx) => {
      if (by.identity) await this.standing.holdBeside(tx, by.identity, newOwnerId);
      const application = await this.applications.hold(tx, id);
      if (!application) throw new Refusal('UNKNOWN_APPLICATION');
      const { ownerId } = application;
      await this.protection.demandReachOfOwner(by, ownerId, tx);
      if (ownerId === null) throw new Refusal('ACCESS_DENIED');
      const newOwner = await this.accounts.lock(tx, newOwnerId);
      if (!newOwner) throw new Refusal('UNKNOWN_USER');
      if (newOwner.bot || isInactive(newOwner)) throw new Refusal('ACCESS_DENIED');
      if (newOwnerId !== ownerId) {
        await this.applications.transfer(tx, id, newOwnerId);
        await this.accounts.announce(tx, id);
      }
      await this.audit.record(tx, by, {
        action: 'transfer_ownership',
        target: { type: 'application', id },
        metadata: { old_owner_id: ownerId, new_owner_id: newOwnerId },
      });
    });
    return this.show(id);
  }

  private async views(applications: readonly Application[]) {
    const named = applications.flatMap(({ id, ownerId }) => (ownerId === null ? [id] : [id, ownerId]));
    const accounts = await this.accounts.findAll(named);
    return applications.map((application) =>
      adminApplicationView(application, accounts.get(application.ownerId ?? ''), accounts.get(application.id)),
    );
  }
}
