import type { Config } from '../../core/config/config.js';
import type { Log } from '../../core/log.js';
import { LocalStorage, type Storage } from './storage.js';

/** Opens the configured storage. The S3 client is loaded only if needed. */
export async function openStorage({ media, extraCa }: Config, log: Log): Promise<Storage> {
  if (!media.s3) return new LocalStorage(media.root, log);
  const { S3Storage } = await import('./storage-s3.js');
  return new S3Storage(media.s3, media.root, log, extraCa);
}
