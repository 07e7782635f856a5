import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { ApiError } from '../../core/errors.js';
import { Database } from '../../platform/database/database.js';
import { type ByteRange, Storage, StorageFault } from '../../platform/storage/storage.js';
import type { Call, RESPONSE_HANDLED } from '../../policy/call.js';
import { type AssetKind, rawPath, readAssetName, requireKey } from '../addresses/keys.js';
import { isRaster } from '../addresses/types.js';
import { mapStreamError } from '../delivery/body-streams.js';
import { type Content, Delivery, type Representation, YEAR_SECONDS } from '../delivery/delivery.js';
import { ImageFault, MAX_INPUT_BYTES } from '../images/images.service.js';
import { parseFormat, Selectors, type Transform, withFormatExtension } from '../images/selectors.js';
import { clientGoneSignal, Transforms, transformHash } from '../images/transforms.service.js';
import { assetKey } from './assets.service.js';
import { MediaObject } from './media.entities.js';

const ATTACHMENTS = '/media/attachments/';
/** Avatars and banners share the bucket, but are not attachments. */
const ASSET_KEY = /^(?:avatars|banners)\//;

/** Serves stored objects by path (media.md sections 1, 2 and 7). */
@Injectable()
export class ObjectsService {
  constructor(
    private readonly database: Database,
    private readonly storage: Storage,
    private readonly delivery: Delivery,
    private readonly transforms: Transforms,
  ) {}

  /** Finds an object. Objects of a deleted account are hidden immediately, before their bytes are deleted. */
  async find(key: string): Promise<MediaObject | null> {
    return this.database.manager
      .createQueryBuilder(MediaObject, 'o')
      .where('o.key = :key', { key })
      .andWhere('EXISTS (SELECT 1 FROM account a WHERE a.id = o.account_id AND a.deleted_at IS NULL)')
      .getOne();
  }

  async attachment(call: Call): Promise<typeof RESPONSE_HANDLED> {
    const url = call.req.url ?? '';
    const key = requireKey(rawPath(url, ATTACHMENTS));
    const object = ASSET_KEY.test(key) ? null : await this.find(key);
    if (!object) throw new ApiError('NOT_FOUND');
    const selectors = new Selectors(url);
    const wanted = selectors.transform();
    if (!wanted) return this.delivery.send(call, original(object, selectors.download), () => this.stored(object));
    const format = wanted.format ?? parseFormat(object.contentType.replace(/^image\//, ''));
    if (!format || !isRaster(object.contentType)) throw new ApiError('BAD_REQUEST');
    return this.transformed(call, object, { ...wanted, format }, selectors.download).catch((error) => {
      throw error instanceof ImageFault ? new ApiError('BAD_REQUEST') : error;
    });
  }

  /** Sends an avatar or a banner, which is always transformed (media.md 7.1). */
  async asset(call: Call, kind: AssetKind): Promise<typeof RESPONSE_HANDLED> {
    const url = call.req.url ?? '';
    const name = readAssetName(requireKey(rawPath(url, `/media/${kind}/`)));
    const object = name && (await this.find(assetKey(kind, name.ownerId, name.hash)));
    if (!object) throw new ApiError('NOT_FOUND');
    const selectors = new Selectors(url);
    const transform = selectors.asset(kind, name);
    return this.transformed(call, object, transform, selectors.download).catch((error) => {
      throw error instanceof ImageFault ? new ApiError('TRANSCODE_FAILED') : error;
    });
  }

  private transformed(call: Call, object: MediaObject, transform: Transform, download: boolean) {
    if (Number(object.size) > MAX_INPUT_BYTES) throw new ApiError('PAYLOAD_TOO_LARGE');
    const sha256 = object.sha256.toString('hex');
    const source = { size: Number(object.size), open: () => this.bytesOf(object) };
    const item = {
      contentType: `image/${transform.format}`,
      filename: withFormatExtension(object.filename, transform.format),
      etag: `"${transformHash({ sha256, transform }).slice(0, 32)}"`,
      download,
      maxAge: YEAR_SECONDS,
    };
    return this.delivery.send(call, item, () =>
      this.transforms.get({ sha256, transform, source, keep: true }, clientGoneSignal(call)),
    );
  }

  private stored({ key, size }: MediaObject): Content {
    return { size: Number(size), open: (range) => this.read(key, range) };
  }

  private read(key: string, range?: ByteRange): Promise<Readable | null> {
    return this.storage.read('media', key, range).catch((error) => {
      throw error instanceof StorageFault ? new ApiError('BAD_GATEWAY') : error;
    });
  }

  private async bytesOf({ key }: MediaObject): Promise<AsyncIterable<Buffer>> {
    const stream = await this.read(key);
    if (!stream) throw new ApiError('NOT_FOUND');
    return mapStreamError(stream, () => new ApiError('BAD_GATEWAY'));
  }
}

/** The representation of an unchanged object. */
const original = ({ contentType, filename, sha256 }: MediaObject, download: boolean): Representation => ({
  ...{ contentType, filename, download, maxAge: YEAR_SECONDS },
  etag: `"${sha256.toString('hex').slice(0, 32)}"`,
});
