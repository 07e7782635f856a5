import { Injectable } from '@nestjs/common';
import { AccountService } from '../../accounts/account.service.js';
import { isInactive } from '../../accounts/account-facts.js';
import { SecurityEvents } from '../../accounts/events/security-events.service.js';
import { Application } from '../../accounts/grants/oauth.entities.js';
import { usernameFrom } from '../../accounts/names.js';
import { CONNECTION_TRAIT } from '../../auth/identities/connection-identities.service.js';
import { CallerGuard } from '../../auth/sessions/caller-guard.service.js';
import { Config } from '../../core/config/config.js';
import { ApiError, validationError } from '../../core/errors.js';
import { digest, mintFrom, mintToken } from '../../core/secrets.js';
import { Snowflakes } from '../../core/snowflake.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { Outbound } from '../../platform/outbound/outbound.js';
import type { Account } from '../../policy/account.js';
import type { SessionIdentity } from '../../policy/identity.js';
import type { CreateApplicationInput, EditApplicationInput } from './application.dto.js';
import { applicationBotView, applicationView, publicApplicationView } from './application.views.js';
import { Applications } from './applications.service.js';
import { issueBotToken } from './bot-tokens.service.js';
import { type ChangeRequest, Trust } from './trust.service.js';

const RANDOM_NAMES = 4;

type RequestFacts = Omit<ChangeRequest, 'accountId'>;

/** Whether the owner can sign in again. Accounts without any way to sign in cannot own applications. */
const isClaimed = ({ hasPassword, passkeys, traits }: Account): boolean =>
  hasPassword || passkeys > 0 || traits.includes('sso') || traits.includes(CONNECTION_TRAIT);

const issueSecret = () => {
  const secret = mintToken();
  return { secret, stored: { secretDigest: digest(secret), secretCreatedAt: () => 'now()' } };
};

const withoutDuplicates = (uris: readonly string[] | null | undefined): string[] => [...new Set(uris ?? [])];

/** Operations of owners on their applications (oauth.md section 6). */
@Injectable()
export class OwnApplications {
  constructor(
    private readonly database: Database,
    private readonly applications: Applications,
    private readonly accounts: AccountService,
    private readonly callerGuard: CallerGuard,
    private readonly snowflakes: Snowflakes,
    private readonly events: SecurityEvents,
    private readonly outbound: Outbound,
    private readonly config: Config,
    private readonly trust: Trust,
  ) {}

  async list({ account: owner }: SessionIdentity) {
    const owned = await this.applications.ofOwner(owner.id);
    const bots = await this.accounts.findAll(owned.map(({ id }) => id));
    return owned.map((application) => this.view(application, bots.get(application.id), owner));
  }

  private view(application: Application, bot: Account | null | undefined, owner: Account) {
    return applicationView(application, bot ? { bot: applicationBotView(bot, owner) } : {});
  }

  async describe({ account: owner }: SessionIdentity, id: string) {
    const application = await this.applications.requireOwn(owner, id);
    return this.view(application, await this.accounts.find(id), owner);
  }

  /** Returns the public data. Only a session counts as a viewer. */
  async describePublicly(viewer: Account | null, id: string) {
    const { application, bot } = await this.applications.requirePublic(id);
    const trustedScopes = await this.trust.scopesFor(application, viewer?.id);
    return publicApplicationView(application, { bot, viewer, trustedScopes });
  }

  /** Creates an application. Its bot gets the name of the application if it is free, otherwise a random name. */
  async create(me: SessionIdentity, input: CreateApplicationInput) {
    const { account: owner } = me;
    if (!isClaimed(owner)) throw new ApiError('UNCLAIMED_ACCOUNT_CANNOT_CREATE_APPLICATIONS');
    await this.assertReachable(input.backchannel_logout_uri);
    const random = Array.from({ length: RANDOM_NAMES }, () => `bot_${mintFrom('0123456789', 8)}`);
    for (const username of [usernameFrom(input.name), ...random]) {
      if (username === null) continue;
      try {
        return await this.database.transaction((tx) => this.createAs(tx, me, input, username));
      } catch (error) {
        // The username is the only field that account creation can reject here.
        if (!(error instanceof ApiError && error.code === 'INVALID_FORM_BODY')) throw error;
      }
    }
    throw new ApiError('BOT_USER_GENERATION_FAILED');
  }

  private async createAs(tx: Tx, me: SessionIdentity, input: CreateApplicationInput, username: string) {
    const owner = await this.callerGuard.lockCaller(tx, me);
    await this.applications.assertBelowLimit(tx, owner.id);
    if (isInactive(owner)) throw new ApiError('ACCESS_DENIED');
    const id = this.snowflakes.next();
    const bot = await this.accounts.create(tx, { bot: true, id, username });
    const { token, stored } = issueBotToken(id);
    const client = input.client_type === 'public' ? null : issueSecret();
    await tx.insert(Application, {
      id,
      ownerId: owner.id,
      name: input.name,
      clientType: input.client_type ?? 'confidential',
      redirectUris: withoutDuplicates(input.redirect_uris),
      botPublic: input.bot_public ?? true,
      botRequireCodeGrant: input.bot_require_code_grant ?? false,
      idTokenAlg: input.id_token_signed_response_alg ?? 'RS256',
      postLogoutRedirectUris: withoutDuplicates(input.post_logout_redirect_uris),
      backchannelLogoutUri: input.backchannel_logout_uri ?? null,
      backchannelLogoutSessionRequired: input.backchannel_logout_session_required ?? false,
      ...stored,
      ...client?.stored,
    });
    const application = await tx.findOneByOrFail(Application, { id });
    return applicationView(application, {
      bot: applicationBotView(bot, owner, token),
      ...(client && { secret: client.secret }),
    });
  }

  /** Logout tokens go only to public IP addresses by https, unless the operator allows others. Each delivery checks again. */
  private async assertReachable(uri: string | null | undefined): Promise<void> {
    if (!uri || this.config.openid.allowPrivateBackchannel) return;
    if (!uri.startsWith('https:') || !(await this.outbound.mayReach(uri, 'foreign')))
      throw validationError('backchannel_logout_uri', 'INVALID_URL_FORMAT');
  }

  async edit(me: SessionIdentity, id: string, input: EditApplicationInput, request: RequestFacts) {
    if (input.backchannel_logout_uri) {
      await this.applications.requireOwn(me.account, id);
      await this.assertReachable(input.backchannel_logout_uri);
    }
    return this.database.transaction(async (tx) => {
      const owner = await this.callerGuard.lockCaller(tx, me);
      const application = await this.applications.requireOwn(owner, id, tx);
      const changes = changesOf(application, input);
      const changed =
        Object.keys(changes).length > 0
          ? await this.change(tx, application, changes, { accountId: owner.id, ...request })
          : application;
      return this.view(changed, await this.accounts.find(id, tx), owner);
    });
  }

  async resetSecret(me: SessionIdentity, id: string, request: RequestFacts) {
    return this.database.transaction(async (tx) => {
      const owner = await this.callerGuard.lockCaller(tx, me);
      const application = await this.applications.requireOwn(owner, id, tx);
      if (application.clientType === 'public') throw new ApiError('PUBLIC_CLIENT_HAS_NO_SECRET');
      const { secret, stored } = issueSecret();
      const data = { application_id: id, name: application.name };
      const { origin } = request;
      await this.events.record(tx, { accountId: owner.id, type: 'client_secret_reset', origin, data });
      const changed = await this.change(tx, application, stored, { accountId: owner.id, ...request });
      return applicationView(changed, { secret });
    });
  }

  private async change(
    tx: Tx,
    application: Application,
    changes: Parameters<Applications['change']>[2],
    request: ChangeRequest,
  ): Promise<Application> {
    const changed = await this.applications.change(tx, application, changes);
    if (application.isTrusted && !changed.isTrusted) await this.trust.announceEnd(tx, application.id, request);
    return changed;
  }

  async delete(me: SessionIdentity, id: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const owner = await this.callerGuard.lockCaller(tx, me);
      await this.applications.delete(tx, await this.applications.requireOwn(owner, id, tx));
    });
  }
}

/** Returns the members that differ from the stored ones. `null` removes all redirect URIs. */
function changesOf(application: Application, input: EditApplicationInput): Partial<Application> {
  const wanted: Partial<Application> = {
    ...(input.name !== undefined && { name: input.name }),
    ...(input.redirect_uris !== undefined && { redirectUris: withoutDuplicates(input.redirect_uris) }),
    ...(input.bot_public !== undefined && { botPublic: input.bot_public }),
    ...(input.bot_require_code_grant !== undefined && { botRequireCodeGrant: input.bot_require_code_grant }),
    ...(input.id_token_signed_response_alg !== undefined && { idTokenAlg: input.id_token_signed_response_alg }),
    ...(input.post_logout_redirect_uris !== undefined && {
      postLogoutRedirectUris: withoutDuplicates(input.post_logout_redirect_uris),
    }),
    ...(input.backchannel_logout_uri !== undefined && { backchannelLogoutUri: input.backchannel_logout_uri }),
    ...(input.backchannel_logout_session_required !== undefined && {
      backchannelLogoutSessionRequired: input.backchannel_logout_session_required,
    }),
  };
  const differs = ([name, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(application[name as keyof Application]);
  return Object.fromEntries(Object.entries(wanted).filter(differs));
}
