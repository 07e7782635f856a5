import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../core/clock.js';
import { type ChangeResult, Database, type Tx } from '../../platform/database/database.js';
import { Cleanup } from '../../platform/jobs/cleanup.js';
import { objectName, Storage } from '../../platform/storage/storage.js';
import type { DataEraser } from '../../policy/account-data.js';
import { Garbage, MediaObject, MediaUpload } from './media.entities.js';
import { attachmentKey, MediaService, STAGED_HOURS } from './media.service.js';

/** Longer than any request needs between scheduling bytes for deletion and referring to them. */
const GARBAGE_MINUTES = 20;
/** How long after the deletion of an account its remaining objects are searched for. */
const ORPHAN_DAYS = 30;
/** A completion that started before the deadline may still be running. */
const GRACE_HOURS = 1;

/** Deletes leftover media within an hour (media.md section 2). */
@Injectable()
export class MediaUpkeep implements OnModuleInit, DataEraser {
  constructor(
    private readonly cleanup: Cleanup,
    private readonly storage: Storage,
    private readonly media: MediaService,
    private readonly clock: Clock,
    private readonly database: Database,
  ) {}

  onModuleInit(): void {
    this.cleanup.addExpiry('media_capability', 'digest', 'expires_at <= now()');
    this.cleanup.add('media_upload', (tx, limit) => this.removeUploads(tx, limit));
    this.cleanup.add('media_staged', (tx, limit) => this.removeStaged(tx, limit));
    this.cleanup.add('media_object', (tx, limit) => this.removeOrphans(tx, limit));
    this.cleanup.add('media_garbage', (tx, limit) => this.removeBytes(tx, limit));
    this.cleanup.add('media spool', async (tx) => {
      this.database.onCommit(tx, () => this.storage.removeAbandonedFiles(this.clock.now()));
      return 0;
    });
  }

  async erase(tx: Tx, ownerId: string): Promise<void> {
    await this.forget(tx, await tx.findBy(MediaUpload, { ownerId }));
    await this.media.deleteAllOf(tx, ownerId);
  }

  /** Deletes stored bytes to which no row refers, such as those that a restored database has never had. */
  async removeFilesWithoutRow(): Promise<number> {
    const { manager } = this.database;
    const namesOf = async (statement: string): Promise<Set<string>> => {
      const rows = await manager.query<{ key: string }[]>(statement);
      return new Set(rows.map(({ key }) => objectName(key)));
    };
    const media = await namesOf('SELECT key FROM media_object');
    const uploads = await namesOf('SELECT key FROM media_staged UNION SELECT id::text FROM media_upload');
    return (await this.storage.removeOthers('media', media)) + (await this.storage.removeOthers('uploads', uploads));
  }

  private async removeUploads(tx: Tx, limit: number): Promise<number> {
    const old = await tx
      .createQueryBuilder(MediaUpload, 'u')
      .where('u.created_at < now() - make_interval(hours => :hours)', { hours: STAGED_HOURS + GRACE_HOURS })
      .limit(limit)
      .getMany();
    await this.forget(tx, old);
    return old.length;
  }

  private async forget(tx: Tx, uploads: readonly MediaUpload[]): Promise<void> {
    const ids = uploads.map(({ id }) => id);
    await tx.query('DELETE FROM media_upload WHERE id = ANY ($1::uuid[])', [ids]);
    await tx.query('DELETE FROM media_staged WHERE key = ANY ($1)', [ids]);
    await this.media.discard(tx, 'uploads', ids);
    const unfinished = uploads.filter(({ finishedAt }) => finishedAt === null);
    const keys = unfinished.map(({ ownerId, objectId, filename }) => attachmentKey(ownerId, objectId, filename));
    await this.media.discard(tx, 'media', keys);
  }

  private async removeStaged(tx: Tx, limit: number): Promise<number> {
    const [rows] = await tx.query<ChangeResult<{ key: string }>>(
      `DELETE FROM media_staged WHERE key IN (
         SELECT key FROM media_staged WHERE stored_at < now() - make_interval(hours => $1) LIMIT $2
       ) RETURNING key`,
      [STAGED_HOURS, limit],
    );
    await this.media.discard(
      tx,
      'uploads',
      rows.map(({ key }) => key),
    );
    return rows.length;
  }

  /** Deletes objects that were stored while their account was being deleted. */
  private async removeOrphans(tx: Tx, limit: number): Promise<number> {
    const orphans = await tx
      .createQueryBuilder(MediaObject, 'o')
      .where(
        `o.account_id = ANY (ARRAY(SELECT a.id FROM account a
           WHERE a.deleted_at > now() - make_interval(days => :days)))`,
        { days: ORPHAN_DAYS },
      )
      .limit(limit)
      .getMany();
    await this.media.delete(
      tx,
      orphans.map(({ key }) => key),
    );
    return orphans.length;
  }

  /** The rows are locked, so a request that writes bytes of such a key waits until they are deleted. */
  private async removeBytes(tx: Tx, limit: number): Promise<number> {
    const rows = await tx
      .createQueryBuilder(Garbage, 'g')
      .setLock('pessimistic_write')
      .where('g.since < now() - make_interval(mins => :minutes)', { minutes: GARBAGE_MINUTES })
      .limit(limit)
      .getMany();
    for (const { bucket, key } of rows) {
      const isNeeded = bucket === 'media' && (await tx.existsBy(MediaObject, { key }));
      if (!isNeeded) await this.storage.remove(bucket, key);
      await tx.delete(Garbage, { bucket, key });
    }
    return rows.length;
  }
}
