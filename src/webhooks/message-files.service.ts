import { createHash, randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { ApiError, fieldError, unavailable } from '../core/errors.js';
import { assertPlainEncoding, discardBody, streamBody } from '../http/body.js';
import { closeAfterResponse } from '../http/framing.js';
import { plainFilename } from '../media/addresses/keys.js';
import type { MediaObject } from '../media/objects/media.entities.js';
import { attachmentKey, MediaService } from '../media/objects/media.service.js';
import { Database } from '../platform/database/database.js';
import { Storage, StorageFault } from '../platform/storage/storage.js';
import type { Call } from '../policy/call.js';
import { type FilePart, type FormMembers, readForm } from './message-form.js';
import { type FileLabel, MESSAGE_LIMITS } from './message-input.js';
import type { StoredAttachment } from './webhook.entities.js';
import type { AuthenticatedWebhook } from './webhook-tokens.service.js';

/** An uploaded file in the bucket `uploads`, which is not public. */
interface StagedFile {
  readonly key: string;
  readonly index: number;
  readonly filename: string | undefined;
  readonly size: number;
  readonly sha256: Buffer;
}

export interface MessageForm extends FormMembers {
  readonly files: readonly StagedFile[];
}

/** A file whose bytes are in place. The rows that are inserted with the message make it public. */
export interface NewFile {
  readonly attachment: StoredAttachment;
  readonly object: Partial<MediaObject>;
}

const FORM_BYTES = 251 * 1024 * 1024;
const FORM_MS = 15 * 60_000;

const storageFailure = (error: unknown): unknown =>
  error instanceof StorageFault ? unavailable(5).withCause(error) : error;

/** Files of messages (webhooks.md 4.1). They are streamed to storage and deleted if the request fails. */
@Injectable()
export class MessageFiles {
  constructor(
    private readonly database: Database,
    private readonly storage: Storage,
    private readonly media: MediaService,
  ) {}

  /**
   * Reads a form and passes it to `use`, which may publish its files. Staged files are deleted afterwards.
   * @throws ApiError of the form, PAYLOAD_TOO_LARGE, SERVICE_UNAVAILABLE, and errors of `use`
   */
  async receive<T>(call: Call, use: (form: MessageForm) => Promise<T>): Promise<T> {
    const files: StagedFile[] = [];
    const keys: string[] = [];
    try {
      const members = await this.read(call, async (part, limits) => {
        const key = randomUUID();
        keys.push(key);
        const { size, sha256 } = await this.stage(key, part);
        if (size > MESSAGE_LIMITS.fileBytes) limits.push(fieldError(`files.${part.index}`, 'FILE_SIZE_TOO_LARGE'));
        else files.push({ key, index: part.index, filename: part.filename, size, sha256 });
      });
      return await use({ ...members, files: files.sort((a, b) => a.index - b.index) });
    } catch (error) {
      throw storageFailure(error);
    } finally {
      // Ignore errors, because the cleanup job deletes leftover files.
      for (const key of keys) await this.storage.remove('uploads', key).catch(() => {});
    }
  }

  private async read(
    call: Call,
    write: (part: FilePart, limits: FormMembers['limits']) => Promise<void>,
  ): Promise<FormMembers> {
    const { req } = call;
    assertPlainEncoding(req);
    const limits: FormMembers['limits'] = [];
    let body: Readable | undefined;
    try {
      if (Number(req.headers['content-length'] ?? 0) > FORM_BYTES) throw new ApiError('PAYLOAD_TOO_LARGE');
      clearTimeout(call.bodyDeadline);
      body = streamBody(call, FORM_MS, new ApiError('BAD_REQUEST'));
      let room = FORM_BYTES;
      body.on('data', (chunk: Buffer) => {
        room -= chunk.length;
        if (room < 0) body?.destroy(new ApiError('PAYLOAD_TOO_LARGE'));
      });
      const form = await readForm(req.headers, body, (part) => write(part, limits));
      return { ...form, limits: [...form.limits, ...limits] };
    } catch (error) {
      if (!req.complete) {
        closeAfterResponse(call);
        req.unpipe();
        discardBody(req);
      }
      throw error;
    } finally {
      body?.destroy();
    }
  }

  private async stage(key: string, { bytes }: FilePart): Promise<{ size: number; sha256: Buffer }> {
    await this.media.discard(this.database.manager, 'uploads', [key]);
    const sha256 = createHash('sha256');
    let size = 0;
    const counted = async function* (source: Readable): AsyncGenerator<Buffer> {
      for await (const chunk of source as AsyncIterable<Buffer>) {
        size += chunk.length;
        // Files that are too large are read to the end but not stored, so that the response can list every exceeded
        // limit.
        if (size > MESSAGE_LIMITS.fileBytes) continue;
        sha256.update(chunk);
        yield chunk;
      }
    };
    await this.storage.write('uploads', key, counted(bytes));
    return { size, sha256: sha256.digest() };
  }

  /** Publishes the files of a form. File names come from the labels or from the form. */
  async publish(webhook: AuthenticatedWebhook, form: MessageForm, labels: readonly FileLabel[]): Promise<NewFile[]> {
    const named = form.files.map((file) => {
      const label = labels.findLast(({ id }) => id === file.index)?.filename;
      const filename = plainFilename(label ?? file.filename ?? '');
      const id = randomUUID();
      return { ...file, id, filename, target: attachmentKey(webhook.id, id, filename) };
    });
    await this.media.discard(
      this.database.manager,
      'media',
      named.map(({ target }) => target),
    );
    const files: NewFile[] = [];
    for (const { id, key, target, filename, size, sha256 } of named) {
      if (!(await this.storage.publish(key, target))) throw unavailable(5);
      const { contentType, width, height } = await this.media.describe(target, filename, size);
      const { id: ownerId, ownerId: accountId } = webhook;
      const about = { filename, content_type: contentType, size };
      const edges = width === null || height === null ? {} : { width, height };
      files.push({
        attachment: { id, key: target, ...about, ...edges },
        object: {
          ...{ key: target, ownerId, accountId, filename, contentType, width, height, sha256 },
          size: String(size),
        },
      });
    }
    return files;
  }
}
