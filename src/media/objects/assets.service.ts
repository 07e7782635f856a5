import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { unavailable, validationError } from '../../core/errors.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { Storage, StorageFault } from '../../platform/storage/storage.js';
import type { AssetKind } from '../addresses/keys.js';
import { type ImageFacts, ImageFault, Images, type Rendering } from '../images/images.service.js';
import { Spools } from '../images/spools.js';
import { imageBytes } from './base64-image.js';
import { MediaObject } from './media.entities.js';
import { MediaService } from './media.service.js';

/** The owner of an asset: an account, or a webhook of an account. */
export interface AssetOwner {
  readonly ownerId: string;
  readonly accountId: string;
}

/** An encoded and stored image that no row refers to yet. */
export interface NewAsset {
  readonly key: string;
  /** The value of `avatar` and `banner` members: the hash, with the prefix `a_` if animated. */
  readonly hash: string;
  readonly size: number;
  readonly sha256: Buffer;
}

/** New images of an account. `null` removes an image, `undefined` keeps it. */
export interface NewImages {
  readonly avatar: NewAsset | null | undefined;
  readonly banner: NewAsset | null | undefined;
}

/** The account members that new images change. */
export const hashesOf = ({ avatar, banner }: NewImages): { avatar?: string | null; banner?: string | null } => ({
  ...(avatar === undefined ? {} : { avatar: avatar?.hash ?? null }),
  ...(banner === undefined ? {} : { banner: banner?.hash ?? null }),
});

/** The largest sizes that are served. */
const MAX_DIMENSIONS: Readonly<Record<AssetKind, { width: number; height: number }>> = {
  avatars: { width: 1024, height: 1024 },
  banners: { width: 2400, height: 2400 },
};

const renderingOf = (kind: AssetKind, { format }: ImageFacts): Rendering => ({
  format: 'webp',
  quality: format === 'png' || format === 'gif' ? 'lossless' : 'high',
  animated: true,
  fit: 'inside',
  ...MAX_DIMENSIONS[kind],
});

export const assetKey = (kind: AssetKind, ownerId: string, assetHash: string): string =>
  `${kind}/${ownerId}/${assetHash.replace(/^a_/, '')}`;

async function store(storage: Storage, key: string, bytes: Readable): Promise<void> {
  try {
    await storage.write('media', key, bytes);
  } catch (error) {
    throw error instanceof StorageFault ? unavailable(5).withCause(error) : error;
  }
}

/**
 * Uploads of avatars and banners (media.md section 2): images are decoded, rotated upright, stripped of metadata and
 * encoded again.
 * The original bytes are discarded.
 */
@Injectable()
export class Assets {
  constructor(
    private readonly database: Database,
    private readonly images: Images,
    private readonly spools: Spools,
    private readonly storage: Storage,
    private readonly media: MediaService,
  ) {}

  /**
   * Encodes and stores an image that `Base64Image` has validated. `undefined` and `null` are returned unchanged.
   * Pass the result to `replace` in the transaction that changes the owner.
   * @throws ApiError FV(member: INVALID_IMAGE_FORMAT), SERVICE_UNAVAILABLE, GATEWAY_TIMEOUT
   */
  async prepare<T extends string | null | undefined>(
    kind: AssetKind,
    owner: AssetOwner,
    member: string,
    image: T,
  ): Promise<NewAsset | Exclude<T, string>> {
    if (typeof image !== 'string') return image as Exclude<T, string>;
    const { spooled, sha256, value: facts } = await this.encode(kind, imageBytes(image), member);
    try {
      const name = sha256.toString('hex').slice(0, 32);
      const key = assetKey(kind, owner.ownerId, name);
      await this.media.discard(this.database.manager, 'media', [key]);
      await store(this.storage, key, await spooled.open());
      return { key, hash: facts.frames > 1 ? `a_${name}` : name, size: spooled.size, sha256 };
    } finally {
      spooled.release();
    }
  }

  /** Calls `prepare` for the avatar and the banner of an account. */
  async prepareBoth(
    id: string,
    { avatar, banner }: { avatar?: string | null; banner?: string | null },
  ): Promise<NewImages> {
    const owner = { ownerId: id, accountId: id };
    return {
      avatar: await this.prepare('avatars', owner, 'avatar', avatar),
      banner: await this.prepare('banners', owner, 'banner', banner),
    };
  }

  /** Calls `replace` for the avatar and the banner of an account. */
  async replaceBoth(tx: Tx, id: string, { avatar, banner }: NewImages): Promise<void> {
    const owner = { ownerId: id, accountId: id };
    if (avatar !== undefined) await this.replace(tx, 'avatars', owner, avatar);
    if (banner !== undefined) await this.replace(tx, 'banners', owner, banner);
  }

  private async encode(kind: AssetKind, bytes: Buffer, member: string) {
    try {
      return await this.spools.fill((take) => this.images.render(bytes, (facts) => renderingOf(kind, facts), take));
    } catch (error) {
      throw error instanceof ImageFault ? validationError(member, 'INVALID_IMAGE_FORMAT') : error;
    }
  }

  /**
   * Makes a prepared asset the only one of its kind that the owner has; `null` removes it.
   * Call it after changing the owner's row in the same transaction, so that concurrent changes are serialized.
   */
  async replace(tx: Tx, kind: AssetKind, { ownerId, accountId }: AssetOwner, asset: NewAsset | null): Promise<void> {
    const prefix = `${kind}/${ownerId}/`;
    const mine = await tx.find(MediaObject, { where: { ownerId }, select: { key: true } });
    const others = mine.map(({ key }) => key).filter((key) => key.startsWith(prefix) && key !== asset?.key);
    await this.media.delete(tx, others);
    if (!asset) return;
    await tx
      .createQueryBuilder()
      .insert()
      .into(MediaObject)
      .values({
        key: asset.key,
        ownerId,
        accountId,
        filename: `${asset.hash}.webp`,
        size: String(asset.size),
        sha256: asset.sha256,
        contentType: 'image/webp',
      })
      .orIgnore()
      .execute();
  }
}
