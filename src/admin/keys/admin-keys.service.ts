import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { AccountRecords } from '../../accounts/account-records.service.js';
import type { RevocationCause } from '../../accounts/events/origin.js';
import { SecurityEvents } from '../../accounts/events/security-events.service.js';
import { CallerGuard } from '../../auth/sessions/caller-guard.service.js';
import { ApiError } from '../../core/errors.js';
import { digest, randomLetters } from '../../core/secrets.js';
import { Snowflakes } from '../../core/snowflake.js';
import { type ChangeResult, Database, type Tx } from '../../platform/database/database.js';
import { grants } from '../../policy/acls.js';
import { FeatureRegistry } from '../../policy/feature-registry.js';
import { AuditLog } from '../audit/audit.service.js';
import { assertGrantable, type Operator } from '../audit/operator.js';
import { AdminKey } from './admin-key.entities.js';
import type { CreateAdminKeyInput, EditAdminKeyInput } from './admin-keys.dto.js';

const MAX_ACTIVE_KEYS = 50;
const ACTIVE_KEY = '(k.expires_at IS NULL OR k.expires_at > now())';

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
    private readonly callerGuard: CallerGuard,
    private readonly audit: AuditLog,
    private readonly events: SecurityEvents,
    private readonly features: FeatureRegistry,
  ) {}

  /** Lists active keys, newest first. */
  async list(by: Operator) {
    const keys = await this.activeKeys(this.database.manager, by.accountId).orderBy('k.id', 'DESC').getMany();
    return keys.map(keyView);
  }

  async show(by: Operator, id: string) {
    return keyView(await this.requireKey(this.database.manager, by, id));
  }

  /** @throws ApiError ACCESS_DENIED, MISSING_ACL, MAX_ADMIN_API_KEYS */
  async create(by: Operator, input: CreateAdminKeyInput) {
    assertNotApiKey(by);
    assertGrantable(by, input.acls);
    return this.database.transaction(async (tx) => {
      await this.lockCaller(tx, by);
      return this.issue(tx, by, by.accountId, input);
    });
  }

  /**
   * Issues a key to an account from the console. The key may have only ACLs that its owner has.
   * @throws ApiError UNKNOWN_USER, MISSING_ACL, MAX_ADMIN_API_KEYS
   */
  async createFor(by: Operator, ownerId: string, input: CreateAdminKeyInput) {
    return this.database.transaction(async (tx) => {
      const owner = await this.records.lock(tx, ownerId);
      if (!owner || owner.bot || owner.deletedAt !== null) throw new ApiError('UNKNOWN_USER');
      if (!input.acls.every((acl) => grants(owner.acls, acl))) throw new ApiError('MISSING_ACL');
      return this.issue(tx, by, ownerId, input);
    });
  }

  private async issue(tx: Tx, by: Operator, ownerId: string, input: CreateAdminKeyInput) {
    // Serialize creations for one owner, so that parallel requests cannot exceed the limit.
    await this.records.lock(tx, ownerId);
    if ((await this.activeKeys(tx, ownerId).getCount()) >= MAX_ACTIVE_KEYS) throw new ApiError('MAX_ADMIN_API_KEYS');
    const id = this.snowflakes.next();
    const key = `fa_${id}_${randomLetters(32)}`;
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
      metadata: { key_id: id, acls: this.features.sortAcls(acls) },
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

  /** @throws ApiError ACCESS_DENIED, ADMIN_API_KEY_NOT_FOUND, MISSING_ACL */
  async edit(by: Operator, id: string, input: EditAdminKeyInput) {
    assertNotApiKey(by);
    return this.database.transaction(async (tx) => {
      await this.lockCaller(tx, by);
      const key = await this.requireKey(tx, by, id, 'pessimistic_write');
      assertGrantable(by, input.acls ?? []);
      const changed = { ...key, name: input.name ?? key.name, acls: input.acls ? [...new Set(input.acls)] : key.acls };
      await tx.update(AdminKey, { id }, { name: changed.name, acls: changed.acls });
      await this.audit.record(tx, by, {
        action: 'update_api_key',
        target: { type: 'admin_api_key', id },
        metadata: {
          key_id: id,
          old_acls: this.features.sortAcls(key.acls),
          new_acls: this.features.sortAcls(changed.acls),
        },
      });
      return keyView(changed);
    });
  }

  /** @throws ApiError ACCESS_DENIED, ADMIN_API_KEY_NOT_FOUND */
  async revoke(by: Operator, id: string) {
    assertNotApiKey(by);
    await this.database.transaction(async (tx) => {
      await this.lockCaller(tx, by);
      const key = await this.requireKey(tx, by, id, 'pessimistic_write');
      await tx.delete(AdminKey, { id });
      await this.recordRevocations(tx, [key], {
        by: 'owner',
        reason: 'deleted',
        ...(by.origin && { origin: by.origin }),
      });
      await this.audit.record(tx, by, {
        action: 'revoke_api_key',
        target: { type: 'admin_api_key', id },
        metadata: { key_id: id },
      });
    });
    return { success: true };
  }

  /** Revokes every key of an account. Returns how many had not expired. */
  async revokeAllOf(tx: Tx, ownerId: string, ending: RevocationCause): Promise<number> {
    return (await this.deleteKeys(tx, 'owner_id = $1', [ownerId], ending)).length;
  }

  /** Revokes one key if it has this digest. Returns false if it was revoked or had expired. */
  async revokeByDigest(tx: Tx, id: string, digest: Buffer, ending: RevocationCause): Promise<boolean> {
    return (await this.deleteKeys(tx, 'id = $1 AND digest = $2', [id, digest], ending)).length === 1;
  }

  private async deleteKeys(tx: Tx, condition: string, values: unknown[], ending: RevocationCause) {
    const [rows] = await tx.query<ChangeResult<{ id: string; owner_id: string; name: string; is_live: boolean }>>(
      `DELETE FROM admin_key WHERE ${condition}
       RETURNING id, owner_id, name, coalesce(expires_at > now(), true) AS is_live`,
      values,
    );
    const live = rows.filter(({ is_live }) => is_live).map((row) => ({ ...row, ownerId: row.owner_id }));
    await this.recordRevocations(tx, live, ending);
    return live;
  }

  private async recordRevocations(
    tx: Tx,
    keys: readonly Pick<AdminKey, 'id' | 'ownerId' | 'name'>[],
    { by, reason, origin }: RevocationCause,
  ): Promise<void> {
    await this.events.recordAll(
      tx,
      keys.map(({ id, ownerId, name }) => ({
        ...({ accountId: ownerId, type: 'admin_key_deleted', origin } as const),
        data: { key_id: id, name, by, reason },
      })),
    );
  }

  private async lockCaller(tx: Tx, { identity }: Operator): Promise<void> {
    if (identity) await this.callerGuard.lockCaller(tx, identity);
  }

  private activeKeys(tx: Tx, ownerId: string): SelectQueryBuilder<AdminKey> {
    return tx.createQueryBuilder(AdminKey, 'k').where(`k.owner_id = :ownerId AND ${ACTIVE_KEY}`, { ownerId });
  }

  private async requireKey(tx: Tx, by: Operator, id: string, lock?: 'pessimistic_write'): Promise<AdminKey> {
    const query = this.activeKeys(tx, by.accountId).andWhere('k.id = :id', { id });
    const key = await (lock ? query.setLock(lock) : query).getOne();
    if (!key) throw new ApiError('ADMIN_API_KEY_NOT_FOUND');
    return key;
  }
}

/** An Admin API key must not create, change or revoke keys. */
function assertNotApiKey(by: Operator): void {
  if (by.keyId !== null) throw new ApiError('ACCESS_DENIED');
}
