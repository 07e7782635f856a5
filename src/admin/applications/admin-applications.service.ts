import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AccountService } from '../../accounts/account.service.js';
import { formatDiscriminator } from '../../accounts/account.views.js';
import { isInactive } from '../../accounts/account-facts.js';
import type { Application } from '../../accounts/grants/oauth.entities.js';
import { SecurityNotices } from '../../auth/notices/security-notices.service.js';
import { CallerGuard } from '../../auth/sessions/caller-guard.service.js';
import { ApiError, validationError } from '../../core/errors.js';
import { openIdMembers } from '../../oauth/applications/application.views.js';
import { Applications } from '../../oauth/applications/applications.service.js';
import { BotTokens } from '../../oauth/applications/bot-tokens.service.js';
import { mayBeTrusted, Trust } from '../../oauth/applications/trust.service.js';
import { Database, type Tx } from '../../platform/database/database.js';
import type { Account } from '../../policy/account.js';
import { FeatureRegistry } from '../../policy/feature-registry.js';
import { AuditLog } from '../audit/audit.service.js';
import { type Operator, ownerOperator } from '../audit/operator.js';
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
  resource_policies: application.resourcePolicies,
  resource_scopes: application.resourceScopes,
  has_client_secret: application.secretDigest !== null,
  client_secret_created_at: application.secretCreatedAt?.toISOString() ?? null,
  has_bot_token: application.botDigest !== null,
  bot_token_preview: application.botPreview,
  bot_token_created_at: application.botCreatedAt?.toISOString() ?? null,
  version: application.version,
});

/** What an administrator may change of an application. */
interface ApplicationChanges {
  readonly new_owner_id?: string;
  readonly is_trusted?: boolean;
  readonly trusted_scopes?: readonly string[];
  readonly resource_policies?: readonly string[];
  readonly resource_scopes?: readonly string[];
}

/** Reads and changes applications for administrators (admin.md section 6, tokens.md section 3, forward-auth.md section 3). */
@Injectable()
export class AdminApplications implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly applications: Applications,
    private readonly accounts: AccountService,
    private readonly callerGuard: CallerGuard,
    private readonly audit: AuditLog,
    private readonly protection: TargetProtection,
    private readonly trust: Trust,
    private readonly botTokens: BotTokens,
    private readonly notices: SecurityNotices,
    private readonly features: FeatureRegistry,
  ) {}

  onModuleInit(): void {
    this.trust.onEnd((tx, id, { accountId, ...request }) =>
      this.audit.record(tx, ownerOperator(accountId, request), {
        action: 'end_application_trust',
        target: { type: 'application', id },
      }),
    );
  }

  /**
   * Returns the applications of an owner, oldest first.
   * @throws ApiError UNKNOWN_USER
   */
  async ofOwner(ownerId: string) {
    if (!(await this.accounts.find(ownerId))) throw new ApiError('UNKNOWN_USER');
    const owned = await this.database.read((reader) => this.applications.ofOwner(ownerId, reader));
    return { applications: await this.toViews(owned) };
  }

  /** Also finds the built-in application. Returns `null` for an unknown ID. */
  async show(id: string) {
    const application = await this.applications.find(id);
    return { application: application ? ((await this.toViews([application]))[0] ?? null) : null };
  }

  /**
   * Changes all members or none. Each member needs its own ACL.
   * @throws ApiError MISSING_ACL, FV(new_owner_id: INVALID_FORMAT), UNKNOWN_APPLICATION, ACCESS_DENIED, UNKNOWN_USER,
   *   MAX_APPLICATIONS, FV(is_trusted: INVALID_FORMAT)
   */
  async change(by: Operator, id: string, changes: ApplicationChanges) {
    const { new_owner_id: newOwnerId, is_trusted, trusted_scopes } = changes;
    const { resource_scopes: resourceScopes, resource_policies: resourcePolicies } = changes;
    const changesResource = resourceScopes !== undefined || resourcePolicies !== undefined;
    const changesTrust = is_trusted !== undefined || trusted_scopes !== undefined;
    if (newOwnerId !== undefined && !by.holds('application:transfer_ownership')) throw new ApiError('MISSING_ACL');
    if (changesTrust && !by.holds('application:trust')) throw new ApiError('MISSING_ACL');
    if (changesResource && !by.holds('application:resource')) throw new ApiError('MISSING_ACL');
    if (newOwnerId === undefined && !changesTrust && !changesResource)
      throw validationError('new_owner_id', 'INVALID_FORMAT');
    await this.database.transaction(async (tx) => {
      if (by.identity && newOwnerId !== undefined) {
        await this.callerGuard.lockCallerAndTarget(tx, by.identity, newOwnerId);
      } else if (by.identity) await this.callerGuard.lockCaller(tx, by.identity);
      const application = await this.applications.hold(tx, id);
      if (!application) throw new ApiError('UNKNOWN_APPLICATION');
      await this.protection.assertMayChangeOwner(by, application.ownerId, tx);
      if (application.ownerId === null) throw new ApiError('ACCESS_DENIED');
      const owned = newOwnerId === undefined ? application : await this.transfer(tx, by, { application, newOwnerId });
      if (changesTrust) await this.setTrust(tx, by, { application: owned, is_trusted, trusted_scopes });
      if (resourceScopes !== undefined) await this.setResourceScopes(tx, by, owned, resourceScopes);
      if (resourcePolicies !== undefined) await this.setResourcePolicies(tx, by, owned, resourcePolicies);
    });
    return this.show(id);
  }

  /**
   * Replaces the leaked tokens of a bot from the console, and notifies its owner. The new token is not returned. The
   * owner resets it.
   * @throws ApiError UNKNOWN_APPLICATION, BOT_USER_NOT_FOUND
   */
  revokeBotTokens(by: Operator, id: string): Promise<Pick<Application, 'name' | 'ownerId'>> {
    return this.database.transaction(async (tx) => {
      const application = await this.applications.hold(tx, id);
      if (!application) throw new ApiError('UNKNOWN_APPLICATION');
      if (application.botDigest === null) throw new ApiError('BOT_USER_NOT_FOUND');
      await this.botTokens.replaceAll(tx, application, { by: 'administrator', reason: 'leaked' });
      const owner = application.ownerId === null ? null : await this.accounts.find(application.ownerId, tx);
      if (owner) await this.notices.send(tx, owner, 'credential_leaked', undefined, { kind: 'bot' });
      await this.audit.record(tx, by, { action: 'revoke_bot_tokens', target: { type: 'application', id } });
      return application;
    });
  }

  /** Transfers an application to another account. Its credentials stay valid until the new owner resets them. */
  private async transfer(
    tx: Tx,
    by: Operator,
    { application, newOwnerId }: { application: Application; newOwnerId: string },
  ): Promise<Application> {
    const { id, ownerId, isTrusted } = application;
    const newOwner = await this.accounts.lock(tx, newOwnerId);
    if (!newOwner) throw new ApiError('UNKNOWN_USER');
    if (newOwner.bot || isInactive(newOwner)) throw new ApiError('ACCESS_DENIED');
    const isSame = newOwnerId === ownerId;
    const transferred = isSame ? application : await this.applications.transfer(tx, application, newOwnerId);
    if (!isSame) await this.accounts.announceUpdate(tx, id);
    const target = { type: 'application', id } as const;
    await this.audit.record(tx, by, {
      ...{ action: 'transfer_ownership', target },
      metadata: { old_owner_id: ownerId, new_owner_id: newOwnerId },
    });
    if (isTrusted && !transferred.isTrusted)
      await this.audit.record(tx, by, { action: 'end_application_trust', target });
    return transferred;
  }

  private async setTrust(
    tx: Tx,
    by: Operator,
    {
      application,
      is_trusted: isTrusted = application.isTrusted,
      trusted_scopes = application.trustedScopes,
    }: { application: Application } & Omit<ApplicationChanges, 'new_owner_id'>,
  ): Promise<void> {
    if (isTrusted && !mayBeTrusted(application)) throw validationError('is_trusted', 'INVALID_FORMAT');
    const trustedScopes = this.features.sortScopes(trusted_scopes);
    await this.applications.change(tx, application, { isTrusted, trustedScopes });
    await this.audit.record(tx, by, {
      action: 'set_application_trust',
      target: { type: 'application', id: application.id },
      metadata: { is_trusted: isTrusted, trusted_scopes: trustedScopes },
    });
  }

  private async setResourceScopes(
    tx: Tx,
    by: Operator,
    application: Application,
    scopes: readonly string[],
  ): Promise<void> {
    const resourceScopes = this.features.sortScopes(scopes);
    await this.applications.change(tx, application, { resourceScopes });
    await this.audit.record(tx, by, {
      action: 'set_resource_scopes',
      target: { type: 'application', id: application.id },
      metadata: { old_scopes: application.resourceScopes, new_scopes: resourceScopes },
    });
  }

  /** Sets the service policies for which the application may ask for decisions. Ends its streams of revocations. */
  private async setResourcePolicies(
    tx: Tx,
    by: Operator,
    application: Application,
    policies: readonly string[],
  ): Promise<void> {
    const resourcePolicies = [...new Set(policies)].sort();
    await this.applications.change(tx, application, { resourcePolicies });
    await this.audit.record(tx, by, {
      action: 'set_resource_policies',
      target: { type: 'application', id: application.id },
      metadata: { old_policies: application.resourcePolicies, new_policies: resourcePolicies },
    });
  }

  private async toViews(applications: readonly Application[]) {
    const named = applications.flatMap(({ id, ownerId }) => (ownerId === null ? [id] : [id, ownerId]));
    const accounts = await this.accounts.findAll(named);
    return applications.map((application) =>
      adminApplicationView(application, accounts.get(application.ownerId ?? ''), accounts.get(application.id)),
    );
  }
}
