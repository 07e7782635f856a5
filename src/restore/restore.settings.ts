import { resolve } from 'node:path';
import { settings } from '../core/config/declared.js';
import { MediaSettings } from '../media/settings/media.settings.js';

/** Where erasures and bans are recorded outside the database. */
export class RestoreSettings extends settings('Restore', (read) => {
  const folder = read.text(
    'ERASURE_LEDGER_DIR',
    'Folder in which erasures and bans are recorded, so that they survive a restore. All replicas must share it',
  );
  const bucket = read.text(
    'ERASURE_LEDGER_BUCKET',
    'Private bucket for the same purpose, on the S3 server of the media. Requires MEDIA_STORAGE=s3',
  );
  const { s3 } = read.of(MediaSettings).media;
  if (folder !== undefined && bucket !== undefined) {
    read.fault('ERASURE_LEDGER_BUCKET', 'must not be set together with ERASURE_LEDGER_DIR');
  }
  if (bucket !== undefined && s3 === undefined) read.fault('ERASURE_LEDGER_BUCKET', 'requires MEDIA_STORAGE=s3');
  if (bucket !== undefined && s3 !== undefined && Object.values(s3.buckets).includes(bucket)) {
    read.fault('ERASURE_LEDGER_BUCKET', 'must differ from the buckets of the media');
  }
  return { ledger: { folder: folder === undefined ? undefined : resolve(folder), bucket } };
}) {}
