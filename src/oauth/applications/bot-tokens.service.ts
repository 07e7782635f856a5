import { Injectable } from '@nestjs/common';
import type { Origin, RevocationCause } from '../../accounts/events/origin.js';
import { SecurityEvents } from '../../accounts/events/security-events.service.js';
import type { Application } from '../../accounts/grants/oauth.entities.js';
import { CallerGuard } from '../../auth/sessions/caller-guard.service.js';
import { ApiError } from '../../core/errors.js';
import { digest, equalsInConstantTime, mintToken } from '../../core/secrets.js';
import { Snowflakes } from '../../core/snowflake.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { ReplicaBus } from '../../platform/replicas/replica-bus.js';
import type { SessionIdentity } from '../../policy/identity.js';
import { Applications } from './applications.service.js';
import { BotToken } from './bot-token.entities.js';

const MAX_TOKENS = 3;
const PREVIEW_LENGTH = 8;
const DEFAULT_NAME = 'default';

/** Creates a bot token. `token` is shown once. */
function mintBotToken(applicationId: string) {
  const secret = mintToken();
  return {
    token: `${applicationId}.${secret}`,
    stored: { digest: digest(secret), preview: secret.slice(0, PREVIEW_LENGTH) },
  };
}

/**
 * Creates the only token of a bot. `stored` has the columns of the application, from which a trigger creates the row of
 * the token.
 */
export function issueBotToken(applicationId: string) {
  const { token, stored } = mintBotToken(applicationId);
  const { digest: botDigest, preview: botPreview } = stored;
  return { token, stored: { botDigest, botPreview, botCreatedAt: () => 'now()' } };
}

const botTokenView = ({ id, name, preview, createdAt, lastUsedAt }: BotToken) => ({
  ...{ id, name, preview },
  created_at: createdAt.toISOString(),
  last_used_at: lastUsedAt?.toISOString() ?? null,
});

/** The tokens of bots, at most three of each (tokens.md section 2). */
@Injectable()
export class BotTokens {
  constructor(
    private readonly database: Database,
    private readonly applications: Applications,
    private readonly callerGuard: CallerGuard,
    private readonly snowflakes: Snowflakes,
    private readonly replicaBus: ReplicaBus,
    private readonly events: SecurityEvents,
  ) {}

  /** @throws ApiError UNKNOWN_APPLICATION, ACCESS_DENIED */
  async list(me: SessionIdentity, applicationId: string) {
    await this.applications.requireOwn(me.account, applicationId);
    return { tokens: (await this.ofBot(this.database.manager, applicationId)).map(botTokenView) };
  }

  /** @throws ApiError UNKNOWN_APPLICATION, ACCESS_DENIED, BOT_USER_NOT_FOUND, TOKEN_LIMIT_REACHED */
  create(
    me: SessionIdentity,
    applicationId: string,
    { name = DEFAULT_NAME, origin }: { name?: string | undefined; origin: Origin },
  ) {
    return this.change(me, applicationId, async (tx, application, tokens) => {
      if (tokens.length === 0) throw new ApiError('BOT_USER_NOT_FOUND');
      if (tokens.length >= MAX_TOKENS) throw new ApiError('TOKEN_LIMIT_REACHED');
      const { token, stored } = mintBotToken(applicationId);
      const id = this.snowflakes.next();
      await tx.insert(BotToken, { id, applicationId, name, ...stored });
      const created = await tx.findOneByOrFail(BotToken, { id });
      await this.record(tx, 'bot_token_created', application, { by: 'owner', reason: 'created', origin }, created);
      return { ...botTokenView(created), token };
    });
  }

  /** @throws ApiError UNKNOWN_APPLICATION, ACCESS_DENIED, UNKNOWN_TOKEN, LAST_BOT_TOKEN */
  delete(me: SessionIdentity, applicationId: string, id: string, origin: Origin): Promise<void> {
    return this.change(me, applicationId, async (tx, application, tokens) => {
      const token = tokens.find((one) => one.id === id);
      if (!token) throw new ApiError('UNKNOWN_TOKEN');
      if (tokens.length === 1) throw new ApiError('LAST_BOT_TOKEN');
      await this.end(tx, application, tokens, token, { by: 'owner', reason: 'deleted', origin });
    });
  }

  /** Runs a change while `tx` holds the application, so that parallel changes of its tokens wait. */
  private change<T>(
    me: SessionIdentity,
    applicationId: string,
    make: (tx: Tx, application: Application, tokens: readonly BotToken[]) => Promise<T>,
  ): Promise<T> {
    return this.database.transaction(async (tx) => {
      const owner = await this.callerGuard.lockCaller(tx, me);
      const application = await this.applications.requireOwn(owner, applicationId, tx);
      return make(tx, application, await this.ofBot(tx, applicationId));
    });
  }

  /** Returns the tokens of a bot, oldest first. */
  private ofBot(tx: Tx, applicationId: string): Promise<BotToken[]> {
    return tx.find(BotToken, { where: { applicationId }, order: { createdAt: 'ASC', id: 'ASC' } });
  }

  /** Deletes one of several tokens, and ends the gateway sessions that it opened. */
  private async end(
    tx: Tx,
    application: Application,
    tokens: readonly BotToken[],
    token: BotToken,
    ending: RevocationCause,
  ): Promise<void> {
    await tx.delete(BotToken, { id: token.id });
    const oldest = tokens.find((one) => one !== token);
    if (oldest && application.botDigest?.equals(token.digest)) {
      const { digest: botDigest, preview: botPreview, createdAt: botCreatedAt } = oldest;
      await this.applications.change(tx, application, { botDigest, botPreview, botCreatedAt });
    }
    await this.replicaBus.announce(tx, { topic: 'revoked', data: { sessions: [token.id], owners: [application.id] } });
    await this.record(tx, 'bot_token_deleted', application, ending, token);
  }

  /**
   * Replaces the tokens of all bots of an account that `tx` holds, so that each has one. The new tokens are not
   * returned. Returns the number of bots.
   */
  async replaceAllOf(tx: Tx, ownerId: string, ending: RevocationCause): Promise<number> {
    const owned = await this.applications.holdAllOf(tx, ownerId);
    const withToken = owned.filter(({ botDigest }) => botDigest !== null);
    for (const application of withToken) await this.replaceAll(tx, application, ending);
    return withToken.length;
  }

  /** Deletes a leaked token. If it is the only one, replaces it. Returns false if the bot has no such token now. */
  async endLeaked(tx: Tx, applicationId: string, present: Buffer, ending: RevocationCause): Promise<boolean> {
    const application = await this.applications.hold(tx, applicationId);
    const tokens = application ? await this.ofBot(tx, applicationId) : [];
    const leaked = tokens.find((token) => equalsInConstantTime(token.digest, present));
    if (!application || !leaked) return false;
    if (tokens.length === 1) await this.replaceAll(tx, application, ending);
    else await this.end(tx, application, tokens, leaked, ending);
    return true;
  }

  /** Replaces all tokens of a bot by a new one, and ends all its gateway sessions. Returns the new token. */
  async replaceAll(tx: Tx, application: Application, ending: RevocationCause): Promise<string> {
    const { token, stored } = issueBotToken(application.id);
    await this.applications.change(tx, application, stored);
    await this.replicaBus.announce(tx, { topic: 'revoked', data: { bot: application.id } });
    await this.record(tx, 'bot_token_reset', application, ending);
    return token;
  }

  private async record(
    tx: Tx,
    type: 'bot_token_created' | 'bot_token_deleted' | 'bot_token_reset',
    { id, name }: Application,
    { by, reason, origin }: RevocationCause,
    token?: BotToken,
  ): Promise<void> {
    const about = token && { token_id: token.id, token_name: token.name };
    const data = { application_id: id, name, by, reason, ...about };
    await this.events.record(tx, { accountId: id, type, origin, data });
  }
}
