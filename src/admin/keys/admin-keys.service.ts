import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { AccountParts } from '../../accounts/account-parts.service.js';
import { AccountRecords } from '../../accounts/account-records.service.js';
import type { Ending } from '../../accounts/events/origin.js';
import { SecurityEvents } from '../../accounts/events/security-events.service.js';
import { Standing } from '../../auth/sessions/standing.service.js';
import { Refusal } from '../../core/errors.js';
import { digest, mintLetters } from '../../core/secrets.js';
import { Snowflakes } from '../../core/snowflake.js';
import { type Changed, Database, type Tx } from '../../platform/database/database.js';
import { grants, inRegistryOrder } from '../../policy/acls.js';
import { AuditLog } from '../audit/audit.service.js';
import { demandGrantable, type Operator } from '../audit/operator.js';
import { AdminKey } from './admin-key.entities.js';
import type { CreateAdminKeyInput, EditAdminKeyInput } from './admin-keys.dto.js';

const MAX_LIVE_KEYS = 50;
const LIVE = '(k.expires_at IS NULL OR k.expires_at > now())';

const keyView = (key: AdminKey) => ({
  key_id: key.id,
  name: key.name,
  acls: key.acls,
  created_by_user_id: key.ownerId,
  created_at: key.createdAt.toISOString(),
  last_used_at: key.lastUsedAt?.toISOString() ?? null,
  expires_at: key.expiresAt?.toISOString() ?? null,
});

/** Admin API keys (admin.md section 4). Operators see and change only their own keys. */
@Injectable()
export class AdminKeys {
  constructor(
    private readonly database: Database,
    private readonly snowflakes: Snowflakes,
    private readonly records: AccountRecords,
    private readonly standing: Standing,
    private readonly audit: AuditLog,
    private readonly events: SecurityEvents,
    parts: AccountParts,
  ) {
    parts.alsoRemove(async (tx, ownerId) => void (await tx.delete(AdminKey, { ownerId })));
  }

  /** Lists active keys, newest first. */
  async list(by: Operator) {
    const keys = await this.live(this.database.manager, by.accountId).orderBy('k.id', 'DESC').getMany();
    return keys.map(keyView);
  }

  async show(by: Operator, id: string) {
    return keyView(await this.requireKey(this.database.manager, by, id));
  }

  /** @throws Refusal ACCESS_DENIED, MISSING_ACL, MAX_ADMIN_API_KEYS */
  async create(by: Operator, input: CreateAdminKeyInput) {
    demandNoKey(by);
    demandGrantable(by, input.acls);
    return this.database.transaction(async (tx) => {
      await this.hold(tx, by);
      return this.issue(tx, by, by.accountId, input);
    });
  }

  /**
   * Issues a key to an account from the console. The key may have only ACLs that its owner has.
   * @throws Refusal UNKNOWN_USER, MISSING_ACL, MAX_ADMIN_API_KEYS
   */
  async createFor(by: Operator, ownerId: string, input: CreateAdminKeyInput) {
    return this.database.transaction(async (tx) => {
      const owner = await this.records.lock(tx, ownerId);
      if (!owner || owner.bot || owner.deletedAt !== null) throw new Refusal('UNKNOWN_USER');
      if (!input.acls.every((acl) => grants(owner.acls, acl))) throw new Refusal('MISSING_ACL');
      return this.issue(tx, by, ownerId, input);
    });
  }

  private async issue(tx: Tx, by: Operator, ownerId: string, input: CreateAdminKeyInput) {
    // Serialize creations for one owner, so that parallel requests cannot exceed the limit.
    await this.records.lock(tx, ownerId);
    if ((await this.live(tx, ownerId).getCount()) >= MAX_LIVE_KEYS) throw new Refusal('MAX_ADMIN_API_KEYS');
    const id = this.snowflakes.next();
    const key = `fa_${id}_${mintLetters(32)}`;
    const acls = [...new Set(input.acls)];
    const days = input.expires_in_days;
    const { raw }: { raw: [{ created_at: Date; expires_at: Date | null }] } = await tx
      .createQueryBuilder()
      .insert()
      .into(AdminKey)
      .values({
        id,
        digest: digest(key),
        name: input.name,
        acls,
        ownerId,
        expiresAt: days === undefined ? null : () => `now() + interval '${Number(days)} days'`,
      })
      .returning(['createdAt', 'expiresAt'])
      .execute();
    const { created_at: createdAt, expires_at: expiresAt } = raw[0];
    await this.events.record(tx, {
      ...{ accountId: ownerId, type: 'admin_key_created', origin: by.origin ?? undefined },
      data: { key_id: id, name: input.name, by: by.accountId === ownerId ? 'owner' : 'administrator' },
    });
    await this.audit.record(tx, by, {
      action: 'create_api_key',
      target: { type: 'admin_api_key', id },
      metadata: { key_id: id, acls: inRegistryOrder(acls) },
    });
    return {
      key_id: id,
      key,
      name: input.name,
      acls,
      created_at: createdAt.toISOString(),
      expires_at: expiresAt?.toISOString() ?? null,
    };
  }

  /** @throws Refusal ACCESS_DENIED, ADMIN_API_KEY_NOT_FOUND, MISSING_ACL */
  async edit(by: Operator, id: string, input: EditAdminKeyInput) {
    demandNoKey(by);
    return this.database.transaction(async (tx) => {
      await this.hold(tx, by);
      const key = await this.requireKey(tx, by, id, 'pessimistic_write');
      demandGrantable(by, input.acls ?? []);
      const changed = { ...key, name: input.name ?? key.name, acls: input.acls ? [...new Set(input.acls)] : key.acls };
      await tx.update(AdminKey, { id }, { name: changed.name, acls: changed.acls });
      await this.audit.record(tx, by, {
        action: 'update_api_key',
        target: { type: 'admin_api_key', id },
        metadata: { key_id: id, old_acls: inRegistryOrder(key.acls), new_acls: inRegistryOrder(changed.acls) },
      });
      return keyView(changed);
    });
  }

  /** @throws Refusal ACCESS_DENIED, ADMIN_API_KEY_NOT_FOUND */
  async revoke(by: Operator, id: string) {
    demandNoKey(by);
    await this.database.transaction(async (tx) => {
      await this.hold(tx, by);
      const key = await this.requireKey(tx, by, id, 'pessimistic_write');
      await tx.delete(AdminKey, { id });
      await this.recordEnds(tx, [key], { by: 'owner', reason: 'deleted', ...(by.origin && { origin: by.origin }) });
      await this.audit.record(tx, by, {
        action: 'revoke_api_key',
        target: { type: 'admin_api_key', id },
        metadata: { key_id: id },
      });
    });
    return { success: true };
  }

  /** Revokes every key of an account. Returns how many had not expired. */
  async endAllOf(tx: Tx, ownerId: string, ending: Ending): Promise<number> {
    return (await this.end(tx, 'owner_id = $1', [ownerId], ending)).length;
  }

  /** Revokes one key if it has this digest. Returns false if it was revoked or had expired. */
  async endKey(tx: Tx, id: string, digest: Buffer, ending: Ending): Promise<boolean> {
    return (await this.end(tx, 'id = $1 AND digest = $2', [id, digest], ending)).length === 1;
  }

  private async end(tx: Tx, condition: string, values: unknown[], ending: Ending) {
    const [rows] = await tx.query<Changed<{ id: string; owner_id: string; name: string; is_live: boolean }>>(
      `DELETE FROM admin_key WHERE ${condition}
       RETURNING id, owner_id, name, coalesce(expires_at > now(), true) AS is_live`,
      values,
    );
    const live = rows.filter(({ is_live }) => is_live).map((row) => ({ ...row, ownerId: row.owner_id }));
    await this.recordEnds(tx, live, ending);
    return live;
  }

  private async recordEnds(
    tx: Tx,
    keys: readonly Pick<AdminKey, 'id' | 'ownerId' | 'name'>[],
    { by, reason, origin }: Ending,
  ): Promise<void> {
    await this.events.recordAll(
      tx,
      keys.map(({ id, ownerId, name }) => ({
        ...({ accountId: ownerId, type: 'admin_key_deleted', origin } as const),
        data: { key_id: id, name, by, reason },
      })),
    );
  }

  private async hold(tx: Tx, { identity }: Operator): Promise<void> {
    if (identity) await this.standing.hold(tx, identity);
  }

  private live(tx: Tx, ownerId: string): SelectQueryBuilder<AdminKey> {
    return tx.createQueryBuilder(AdminKey, 'k').where(`k.owner_id = :ownerId AND ${LIVE}`, { ownerId });
  }

  private async requireKey(tx: Tx, by: Operator, id: string, lock?: 'pessimistic_write'): Promise<AdminKey> {
    const query = this.live(tx, by.accountId).andWhere('k.id = :id', { id });
    const key = await (lock ? query.setLock(lock) : query).getOne();
    if (!key) throw new Refusal('ADMIN_API_KEY_NOT_FOUND');
    return key;
  }
}

/** An Admin API key must not create, change or revoke keys. */
function demandNoKey(by: Operator): void {
  if (by.keyId !== null) throw new Refusal('ACCESS_DENIED');
}
