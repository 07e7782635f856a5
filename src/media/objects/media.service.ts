import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Any } from 'typeorm';
import { Config } from '../../core/config/config.js';
import { ApiError, type FieldFault, fieldError, unavailable } from '../../core/errors.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { type Bucket, type ByteRange, Storage, StorageFault } from '../../platform/storage/storage.js';
import type { Identity } from '../../policy/identity.js';
import { plainFilename } from '../addresses/keys.js';
import { isRaster, SNIFF_BYTES, typeOfAttachment, typeOfExtension } from '../addresses/types.js';
import { MediaUrlService } from '../addresses/urls.service.js';
import { mapStreamError } from '../delivery/body-streams.js';
import { Images, MAX_INPUT_BYTES } from '../images/images.service.js';
import { MediaObject, MediaUpload, StagedObject } from './media.entities.js';
import type { PlannedFile } from './uploads.dto.js';

const MAX_UNFINISHED = 50;
/** Staged objects that are not completed are deleted after this time. */
export const STAGED_HOURS = 24;

interface Upload {
  readonly upload: MediaUpload;
  readonly key: string;
  /** The staged object; `null` once the upload is completed. */
  readonly staged: { readonly sha256: Buffer } | null;
}

interface UploadRow {
  readonly id: string;
  readonly object_id: string;
  readonly filename: string;
  readonly size: string;
  readonly finished_at: Date | null;
  readonly staged_size: string | null;
  readonly sha256: Buffer | null;
  readonly stored_key: string | null;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export const attachmentKey = (ownerId: string, objectId: string, filename: string): string =>
  `${ownerId}/${objectId}/${filename}`;

/** Uploads of accounts, from the plan to the stored attachment (media.md section 3), and their deletion. */
@Injectable()
export class MediaService {
  constructor(
    private readonly database: Database,
    private readonly storage: Storage,
    private readonly urls: MediaUrlService,
    private readonly images: Images,
    private readonly config: Config,
  ) {}

  private assertUploadsEnabled(): void {
    if (!this.config.media.uploadsEnabled) throw new ApiError('FEATURE_TEMPORARILY_DISABLED');
  }

  /**
   * Plans uploads.
   * @throws ApiError FEATURE_TEMPORARILY_DISABLED, FILE_SIZE_TOO_LARGE, MEDIA_QUOTA_EXCEEDED
   */
  async plan({ account, via }: Identity, files: readonly PlannedFile[]) {
    this.assertUploadsEnabled();
    if (files.some(({ file_size }) => file_size > this.config.media.maxUploadBytes)) {
      throw new ApiError('FILE_SIZE_TOO_LARGE');
    }
    const uploads = files.map((file) => ({
      id: randomUUID(),
      objectId: randomUUID(),
      ownerId: account.id,
      credentialKind: via,
      filename: plainFilename(file.filename),
      size: String(file.file_size),
    }));
    await this.database.transaction(async (tx) => {
      const sizes = files.map(({ file_size }) => file_size);
      await this.assertQuota(tx, account.id, sizes, files.length);
      await tx.insert(MediaUpload, uploads);
    });
    return { attachments: uploads.map((upload, index) => this.planView(upload, files[index] as PlannedFile)) };
  }

  private planView({ id, filename }: Pick<MediaUpload, 'id' | 'filename'>, file: PlannedFile) {
    const contentType = typeOfExtension(filename);
    const { url, expiresAt } = this.urls.relay(id, file.file_size, { contentType });
    return {
      id: file.id,
      filename,
      upload_filename: id,
      file_size: file.file_size,
      content_type: contentType,
      upload_mode: 'singlepart',
      upload_url: url,
      expires_at: expiresAt,
    };
  }

  /**
   * Checks the storage quota of the account. A lock serializes concurrent checks, so that together they cannot exceed
   * it.
   * @throws ApiError MEDIA_QUOTA_EXCEEDED
   */
  async assertQuota(tx: Tx, accountId: string, sizes: readonly number[], uploads = 0): Promise<void> {
    await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 12))', [accountId]);
    const [used] = await tx.query<[{ stored: string; unfinished: number; planned: string }]>(
      `SELECT (SELECT coalesce(sum(size), 0) FROM media_object WHERE account_id = $1) AS stored,
         count(*)::int AS unfinished, coalesce(sum(size), 0) AS planned
       FROM media_upload
       WHERE owner_id = $1 AND finished_at IS NULL AND created_at > now() - make_interval(hours => $2)`,
      [accountId, STAGED_HOURS],
    );
    const bytes = sizes.reduce((sum, size) => sum + size, Number(used.stored) + Number(used.planned));
    if ((uploads > 0 && used.unfinished + uploads > MAX_UNFINISHED) || bytes > this.config.media.accountQuotaBytes) {
      throw new ApiError('MEDIA_QUOTA_EXCEEDED');
    }
  }

  /**
   * Publishes staged objects, all or none. A repeated call returns the same result.
   * @throws ApiError FEATURE_TEMPORARILY_DISABLED, FV(uploads.n.upload_filename: UPLOADED_ATTACHMENT_NOT_FOUND),
   * BAD_GATEWAY, SERVICE_UNAVAILABLE
   */
  async complete(me: Identity, uploadFilenames: readonly string[]) {
    this.assertUploadsEnabled();
    const uploads = await this.findUploads(me, uploadFilenames);
    const missing: FieldFault[] = uploads.flatMap((upload, index) =>
      upload ? [] : [fieldError(`uploads.${index}.upload_filename`, 'UPLOADED_ATTACHMENT_NOT_FOUND')],
    );
    if (missing.length > 0) throw new ApiError('INVALID_FORM_BODY', { errors: missing });
    const found = uploads as Upload[];
    await this.discard(
      this.database.manager,
      'media',
      found.filter(({ staged }) => staged).map(({ key }) => key),
    );
    const objects = await this.publishAll(found).catch((error) => {
      if (!(error instanceof StorageFault)) throw error;
      throw (error.full ? unavailable(5) : new ApiError('BAD_GATEWAY')).withCause(error);
    });
    await this.database.transaction((tx) => this.finish(tx, found, objects));
    const stored = await this.database.manager.findBy(MediaObject, { key: Any(found.map(({ key }) => key)) });
    return { uploads: found.map((upload) => this.view(upload, stored)) };
  }

  private async findUploads(me: Identity, names: readonly string[]): Promise<(Upload | null)[]> {
    const ids = names.filter((name) => UUID.test(name));
    const rows = await this.database.manager.query<UploadRow[]>(
      `SELECT u.id, u.object_id, u.filename, u.size, u.finished_at, s.size AS staged_size, s.sha256, o.key AS stored_key
       FROM media_upload u
       LEFT JOIN media_staged s ON s.key = u.id::text
       LEFT JOIN media_object o ON o.key = u.owner_id || '/' || u.object_id || '/' || u.filename
       WHERE u.id = ANY($1::uuid[]) AND u.owner_id = $2 AND u.credential_kind = $3
         AND u.created_at > now() - make_interval(hours => $4)`,
      [ids, me.account.id, me.via, STAGED_HOURS],
    );
    const found = new Map(rows.map((row) => [row.id, row]));
    return names.map((name) => {
      const row = found.get(name);
      if (!row) return null;
      const isFinished = row.finished_at !== null;
      const staged = !isFinished && row.sha256 && row.staged_size === row.size ? { sha256: row.sha256 } : null;
      if (isFinished ? row.stored_key === null : staged === null) return null;
      const upload = {
        id: name,
        objectId: row.object_id,
        ownerId: me.account.id,
        filename: row.filename,
        size: row.size,
      };
      const key = attachmentKey(me.account.id, row.object_id, row.filename);
      return { upload: upload as MediaUpload, key, staged };
    });
  }

  /** Sequentially, so that a request uses one image slot at a time. */
  private async publishAll(uploads: readonly Upload[]): Promise<(Partial<MediaObject> | null)[]> {
    const objects: (Partial<MediaObject> | null)[] = [];
    for (const upload of uploads) objects.push(await this.publish(upload));
    return objects;
  }

  /**
   * Copies a staged object to its key and reads its metadata. It becomes public only with its row in `media_object`.
   */
  private async publish({ upload, key, staged }: Upload) {
    if (!staged) return null;
    if (!(await this.storage.publish(upload.id, key))) throw new ApiError('BAD_GATEWAY');
    const { ownerId, filename, size } = upload;
    const facts = await this.describe(key, filename, Number(size));
    return { key, ownerId, accountId: ownerId, filename, size, sha256: staged.sha256, ...facts };
  }

  /** Reads type, width and height of a stored object from its bytes. */
  async describe(key: string, filename: string, size: number) {
    const head = size === 0 ? Buffer.alloc(0) : await this.headOf(key, Math.min(SNIFF_BYTES, size));
    const contentType = await typeOfAttachment(head, filename);
    if (!isRaster(contentType) || size > MAX_INPUT_BYTES) return { contentType, width: null, height: null };
    const facts = await this.images.inspect({ size, open: () => this.bytesOf(key) }).catch((error) => {
      if (error instanceof StorageFault) throw error;
      return null;
    });
    return { contentType, width: facts?.width ?? null, height: facts?.height ?? null };
  }

  private async headOf(key: string, length: number): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const chunk of await this.bytesOf(key, { start: 0, end: length - 1 })) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  private async bytesOf(key: string, range?: ByteRange): Promise<AsyncIterable<Buffer>> {
    const stream = await this.storage.read('media', key, range);
    if (!stream) throw new StorageFault(new Error('A stored object is missing'), false);
    return mapStreamError(stream, (error) => new StorageFault(error, false));
  }

  private async finish(tx: Tx, uploads: readonly Upload[], objects: readonly (Partial<MediaObject> | null)[]) {
    const ids = uploads.filter(({ staged }) => staged).map(({ upload }) => upload.id);
    const fresh = objects.filter((object) => object !== null);
    if (fresh.length === 0) return;
    await this.adopt(tx, fresh);
    await tx.update(MediaUpload, { id: Any(ids) }, { finishedAt: () => 'now()' });
    await tx.delete(StagedObject, { key: Any(ids) });
    await this.discard(tx, 'uploads', ids);
  }

  private view({ upload, key }: Upload, stored: readonly MediaObject[]) {
    const object = stored.find((candidate) => candidate.key === key);
    if (!object) throw new ApiError('BAD_GATEWAY');
    return {
      upload_filename: upload.id,
      id: upload.objectId,
      filename: object.filename,
      content_type: object.contentType,
      size: Number(object.size),
      url: this.urls.attachment(key),
      ...(object.width === null ? {} : { width: object.width }),
      ...(object.height === null ? {} : { height: object.height }),
    };
  }

  /** Inserts the rows that make stored objects public. */
  async adopt(tx: Tx, objects: readonly Partial<MediaObject>[]): Promise<void> {
    if (objects.length === 0) return;
    await tx
      .createQueryBuilder()
      .insert()
      .into(MediaObject)
      .values([...objects])
      .orIgnore()
      .execute();
  }

  /** Deletes stored objects. They become unavailable with the commit; their bytes are deleted later. */
  async delete(tx: Tx, keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    await tx.query('DELETE FROM media_object WHERE key = ANY ($1)', [keys]);
    await this.discard(tx, 'media', keys);
  }

  /**
   * Schedules bytes for deletion unless a row refers to them by then.
   * Also call it before writing bytes, so that they are deleted if the transaction fails or the process crashes.
   */
  async discard(tx: Tx, bucket: Bucket, keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    await tx.query(
      `INSERT INTO media_garbage (bucket, key, since) SELECT DISTINCT $1::text, key, now() FROM unnest($2::text[]) AS key
       ON CONFLICT (bucket, key) DO UPDATE SET since = excluded.since`,
      [bucket, keys],
    );
  }

  /** Deletes all objects of an account or a webhook. */
  async deleteAllOf(tx: Tx, ownerId: string): Promise<void> {
    // In one statement, because there may be any number of objects and none need to be loaded.
    await tx.query(
      `WITH gone AS (DELETE FROM media_object WHERE owner_id = $1 RETURNING key)
       INSERT INTO media_garbage (bucket, key, since) SELECT 'media', key, now() FROM gone
       ON CONFLICT (bucket, key) DO UPDATE SET since = excluded.since`,
      [ownerId],
    );
  }
}
