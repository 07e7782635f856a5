import { Injectable } from '@nestjs/common';
import { partialUserView } from '../accounts/account.views.js';
import type { Origin, RevocationCause } from '../accounts/events/origin.js';
import { SecurityEvents } from '../accounts/events/security-events.service.js';
import { CallerGuard } from '../auth/sessions/caller-guard.service.js';
import { Clock } from '../core/clock.js';
import { Config } from '../core/config/config.js';
import { ApiError } from '../core/errors.js';
import { digest, randomLetters } from '../core/secrets.js';
import { Snowflakes } from '../core/snowflake.js';
import { GatewayEvents } from '../gateway/sessions/events.service.js';
import { Assets } from '../media/objects/assets.service.js';
import { MediaService } from '../media/objects/media.service.js';
import { Applications } from '../oauth/applications/applications.service.js';
import { type ChangeResult, Database, type Tx } from '../platform/database/database.js';
import type { Account } from '../policy/account.js';
import type { BotIdentity, SessionIdentity } from '../policy/identity.js';
import { MessageEvents } from './message-events.service.js';
import { Webhook } from './webhook.entities.js';
import type { CreateWebhookInput, EditWebhookInput } from './webhooks.dto.js';

/** The identity of an owner: a session or a bot. */
export type WebhookCaller = SessionIdentity | BotIdentity;

/** Checks in the transaction that the caller is still authorized. */
type CallerCheck = (tx: Tx) => Promise<void>;

export type WebhookAction = 'create' | 'update' | 'delete' | 'rotate';

type RotatedWebhook = Pick<Webhook, 'id' | 'ownerId' | 'name'>;

const TOKEN_LENGTH = 64;

/** The view of a webhook for its owner (webhooks.md section 1). */
export const webhookView = (webhook: Webhook, owner: Account) => ({
  id: webhook.id,
  application_id: webhook.applicationId,
  name: webhook.name,
  avatar: webhook.avatar,
  user: partialUserView(owner),
  created_at: webhook.createdAt.toISOString(),
});

/** Manages webhooks for their owners (webhooks.md section 2). */
@Injectable()
export class WebhookService {
  constructor(
    private readonly database: Database,
    private readonly snowflakes: Snowflakes,
    private readonly events: GatewayEvents,
    private readonly messageEvents: MessageEvents,
    private readonly assets: Assets,
    private readonly media: MediaService,
    private readonly applications: Applications,
    private readonly callerGuard: CallerGuard,
    private readonly securityEvents: SecurityEvents,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  async list({ account }: WebhookCaller) {
    const webhooks = await this.database.manager.find(Webhook, {
      where: { ownerId: account.id },
      order: { id: 'ASC' },
    });
    return webhooks.map((webhook) => webhookView(webhook, account));
  }

  /**
   * Creates a webhook. The token is returned only here.
   * @throws ApiError UNKNOWN_APPLICATION, ACCESS_DENIED, MAX_WEBHOOKS, FV(avatar: ...)
   */
  async create(me: WebhookCaller, input: CreateWebhookInput) {
    const { account } = me;
    const token = randomLetters(TOKEN_LENGTH);
    const id = this.snowflakes.next();
    const applicationId = await this.applicationFor(me, input.application_id);
    const owner = { ownerId: id, accountId: account.id };
    const avatar = await this.assets.prepare('avatars', owner, 'avatar', input.avatar ?? null);
    const webhook: Webhook = {
      ...{ id, ownerId: account.id, applicationId, name: input.name, avatar: avatar?.hash ?? null },
      ...{ digest: digest(token), createdAt: this.clock.date() },
    };
    await this.database.transaction(async (tx) => {
      await this.callerGuard.lockCaller(tx, me);
      await this.assertWebhookLimit(tx, account.id);
      await tx.insert(Webhook, webhook);
      if (avatar) await this.assets.replace(tx, 'avatars', owner, avatar);
      await this.announce(tx, webhook, 'create');
    });
    return this.withToken(webhook, account, token);
  }

  /** A lock serializes concurrent creations for one account, so that together they cannot exceed the limit. */
  private async assertWebhookLimit(tx: Tx, accountId: string): Promise<void> {
    await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 11))', [accountId]);
    const count = await tx.countBy(Webhook, { ownerId: accountId });
    if (count >= this.config.webhooksPerAccount) throw new ApiError('MAX_WEBHOOKS');
  }

  /** A bot always uses its own application; a session may use one that its account owns. */
  private async applicationFor(me: WebhookCaller, wanted: string | undefined): Promise<string | null> {
    if (wanted === undefined) return me.via === 'bot' ? me.applicationId : null;
    const { ownerId } = await this.applications.requireOwned(wanted);
    const isMine = me.via === 'bot' ? me.applicationId === wanted : ownerId === me.account.id;
    if (!isMine) throw new ApiError('ACCESS_DENIED');
    return wanted;
  }

  /** @throws ApiError UNKNOWN_WEBHOOK, ACCESS_DENIED */
  async requireOwned({ account }: WebhookCaller, id: string): Promise<Webhook> {
    const webhook = await this.database.manager.findOneBy(Webhook, { id });
    if (!webhook) throw new ApiError('UNKNOWN_WEBHOOK');
    if (webhook.ownerId !== account.id) throw new ApiError('ACCESS_DENIED');
    return webhook;
  }

  async show(me: WebhookCaller, id: string) {
    return webhookView(await this.requireOwned(me, id), me.account);
  }

  async edit(me: WebhookCaller, id: string, input: EditWebhookInput) {
    return webhookView(await this.change(await this.requireOwned(me, id), input), me.account);
  }

  /** Changes name and avatar. `hold` checks again that the caller is authorized. */
  async change(
    webhook: Pick<Webhook, 'id' | 'ownerId'>,
    input: EditWebhookInput,
    hold?: CallerCheck,
  ): Promise<Webhook> {
    const owner = { ownerId: webhook.id, accountId: webhook.ownerId };
    const avatar = await this.assets.prepare('avatars', owner, 'avatar', input.avatar);
    const changes = {
      ...(input.name === undefined ? {} : { name: input.name }),
      ...(avatar === undefined ? {} : { avatar: avatar?.hash ?? null }),
    };
    const changed = await this.database.transaction(async (tx) => {
      await hold?.(tx);
      if (Object.keys(changes).length > 0) {
        await tx.update(Webhook, { id: webhook.id }, changes);
        if (avatar !== undefined) await this.assets.replace(tx, 'avatars', owner, avatar);
        await this.announce(tx, webhook, 'update');
      }
      return tx.findOneBy(Webhook, { id: webhook.id });
    });
    if (!changed) throw new ApiError('UNKNOWN_WEBHOOK');
    return changed;
  }

  async delete(me: WebhookCaller, id: string): Promise<void> {
    await this.remove(await this.requireOwned(me, id));
  }

  /** Deletes a webhook with its messages and files. `hold` checks again that the caller is authorized. */
  async remove(webhook: Pick<Webhook, 'id' | 'ownerId'>, hold?: CallerCheck): Promise<void> {
    await this.database.transaction(async (tx) => {
      await hold?.(tx);
      const { affected } = await tx.delete(Webhook, { id: webhook.id });
      if (affected !== 1) throw new ApiError('UNKNOWN_WEBHOOK');
      await this.media.deleteAllOf(tx, webhook.id);
      await this.announce(tx, webhook, 'delete');
    });
  }

  /** Deletes all webhooks of an account or of an application, with their data. */
  async removeAllOf(tx: Tx, of: { ownerId: string } | { applicationId: string }): Promise<void> {
    const webhooks = await tx.find(Webhook, { where: of, select: { id: true } });
    const ids = webhooks.map(({ id }) => id);
    for (const id of ids) await this.media.deleteAllOf(tx, id);
    if ('ownerId' in of) await this.messageEvents.forget(tx, ids);
    await tx.delete(Webhook, of);
  }

  /** Rotates the token. The old token stops working on every replica with the commit. */
  async rotate(me: WebhookCaller, id: string, origin: Origin) {
    const webhook = await this.requireOwned(me, id);
    const token = randomLetters(TOKEN_LENGTH);
    await this.database.transaction(async (tx) => {
      await this.callerGuard.lockCaller(tx, me);
      const { affected } = await tx.update(Webhook, { id }, { digest: digest(token) });
      if (affected !== 1) throw new ApiError('UNKNOWN_WEBHOOK');
      await this.announce(tx, webhook, 'rotate');
      await this.recordRotation(tx, [webhook], { by: 'owner', reason: 'rotated', origin });
    });
    return this.withToken(webhook, me.account, token);
  }

  /**
   * Rotates the tokens of all webhooks of an account and its bots. The new tokens are not shown. Returns the number of
   * webhooks.
   */
  rotateAllOf(tx: Tx, ownerId: string, ending: RevocationCause): Promise<number> {
    const owners = 'ARRAY(SELECT $1::bigint UNION ALL SELECT id FROM application WHERE owner_id = $1)';
    return this.rotateTokens(tx, `owner_id = ANY (${owners})`, [ownerId], ending);
  }

  /** Rotates the token of a webhook if its current digest is `present`. Returns false if it has already changed. */
  async rotateLeakedToken(tx: Tx, id: string, present: Buffer, ending: RevocationCause): Promise<boolean> {
    return (await this.rotateTokens(tx, 'id = $1 AND digest = $2', [id, present], ending)) === 1;
  }

  private async rotateTokens(tx: Tx, condition: string, values: unknown[], ending: RevocationCause): Promise<number> {
    const held = await tx.query<{ id: string }[]>(
      `SELECT id FROM webhook WHERE ${condition} ORDER BY id FOR NO KEY UPDATE`,
      values,
    );
    const ids = held.map(({ id }) => id);
    const digests = ids.map(() => digest(randomLetters(TOKEN_LENGTH)));
    const [rows] = await tx.query<ChangeResult<{ id: string; owner_id: string; name: string }>>(
      `UPDATE webhook w SET digest = fresh.digest FROM unnest($1::bigint[], $2::bytea[]) AS fresh (id, digest)
       WHERE w.id = fresh.id RETURNING w.id, w.owner_id, w.name`,
      [ids, digests],
    );
    const replaced = rows.map(({ id, owner_id: ownerId, name }) => ({ id, ownerId, name }));
    for (const webhook of replaced) await this.announce(tx, webhook, 'rotate');
    await this.recordRotation(tx, replaced, ending);
    return replaced.length;
  }

  private async recordRotation(
    tx: Tx,
    webhooks: readonly RotatedWebhook[],
    { by, reason, origin }: RevocationCause,
  ): Promise<void> {
    await this.securityEvents.recordAll(
      tx,
      webhooks.map(({ id, ownerId, name }) => ({
        ...({ accountId: ownerId, type: 'webhook_rotated', origin } as const),
        data: { webhook_id: id, name, by, reason },
      })),
    );
  }

  private withToken(webhook: Webhook, owner: Account, token: string) {
    const url = `${this.config.publicOrigin}/v1/webhooks/${webhook.id}/${token}`;
    return { ...webhookView(webhook, owner), token, url };
  }

  private announce(tx: Tx, { id, ownerId }: Pick<Webhook, 'id' | 'ownerId'>, action: WebhookAction): Promise<void> {
    const d = { webhook_id: id, action };
    return this.events.announce(tx, { type: 'WEBHOOKS_UPDATE', account_id: ownerId, d });
  }
}
