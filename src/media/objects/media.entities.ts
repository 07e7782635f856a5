import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Bucket } from '../../platform/storage/storage.js';

/**
 * A stored object that can be read by anyone who knows its path. Without a row, the response is 404 (media.md section
 * 2).
 */
@Entity('media_object')
export class MediaObject {
  @PrimaryColumn('text') key: string;
  /** The owning account or webhook. */
  @Column('bigint', { name: 'owner_id' }) ownerId: string;
  /** The responsible account: the owner, or the owner of the webhook. */
  @Column('bigint', { name: 'account_id' }) accountId: string;
  @Column('text') filename: string;
  @Column('bigint') size: string;
  @Column('bytea') sha256: Buffer;
  @Column('text', { name: 'content_type' }) contentType: string;
  @Column('integer', { nullable: true }) width: number | null;
  @Column('integer', { nullable: true }) height: number | null;
  @Column('timestamptz', { name: 'created_at', default: () => 'now()' }) createdAt: Date;
}

/** A planned upload. Its ID is the key of the staged object. */
@Entity('media_upload')
export class MediaUpload {
  @PrimaryColumn('uuid') id: string;
  /** Part of the path of the finished object. */
  @Column('uuid', { name: 'object_id' }) objectId: string;
  @Column('bigint', { name: 'owner_id' }) ownerId: string;
  @Column('text', { name: 'credential_kind' }) credentialKind: string;
  @Column('text') filename: string;
  @Column('bigint') size: string;
  @Column('timestamptz', { name: 'created_at', default: () => 'now()' }) createdAt: Date;
  @Column('timestamptz', { name: 'finished_at', nullable: true }) finishedAt: Date | null;
}

/** An object that the relay stored in the bucket `uploads`. */
@Entity('media_staged')
export class StagedObject {
  @PrimaryColumn('text') key: string;
  @Column('bigint') size: string;
  @Column('bytea') sha256: Buffer;
  @Column('text', { name: 'content_type' }) contentType: string;
  @Column('timestamptz', { name: 'stored_at', default: () => 'now()' }) storedAt: Date;
}

/** Bytes to delete after a delay, unless a row refers to them by then (see `MediaUpkeep`). */
@Entity('media_garbage')
export class Garbage {
  @PrimaryColumn('text') bucket: Bucket;
  @PrimaryColumn('text') key: string;
  @Column('timestamptz', { default: () => 'now()' }) since: Date;
}

/** A single-use relay capability in use or used. Only its digest is stored. */
@Entity('media_capability')
export class UsedCapability {
  @PrimaryColumn('bytea') digest: Buffer;
  @Column('text') state: 'busy' | 'used';
  /** The request that stores the upload. */
  @Column('uuid') holder: string;
  @Column('timestamptz', { name: 'busy_until' }) busyUntil: Date;
  @Column('timestamptz', { name: 'expires_at' }) expiresAt: Date;
}
