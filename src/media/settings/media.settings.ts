import { join, resolve } from 'node:path';
import { settings } from '../../core/config/declared.js';
import { hideMembers, type SettingsReader } from '../../core/config/reader.js';
import { imageBytes, MIN_IMAGE_BYTES } from '../../core/machine/machine.cjs';
import { DataSettings } from '../../platform/settings/data.settings.js';
import { InstanceSettings } from '../../platform/settings/instance.settings.js';
import { SECRET_BYTES } from '../../platform/settings/secret.settings.js';

const S3_BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

const isBase64Secret = (value: string): boolean =>
  /^[A-Za-z0-9+/]+={0,2}$/.test(value) && Buffer.from(value, 'base64').length >= SECRET_BYTES;

function buckets(read: SettingsReader, isChosen: boolean) {
  const uploads = read.text('MEDIA_S3_UPLOADS_BUCKET', 'Private bucket for unfinished uploads. Required with s3');
  const media = read.text('MEDIA_S3_MEDIA_BUCKET', 'Private bucket for stored media. Required with s3');
  if (!isChosen) return undefined;
  const names = { MEDIA_S3_UPLOADS_BUCKET: uploads, MEDIA_S3_MEDIA_BUCKET: media };
  for (const [name, value] of Object.entries(names)) {
    if (!S3_BUCKET.test(value ?? '')) read.fault(name, 'must be the name of a bucket with MEDIA_STORAGE=s3');
  }
  if (uploads !== undefined && uploads === media) {
    read.fault('MEDIA_S3_MEDIA_BUCKET', 'must differ from MEDIA_S3_UPLOADS_BUCKET');
  }
  return { uploads: uploads ?? '', media: media ?? '' };
}

/**
 * S3 settings; `undefined` if objects are local files. Without a key, the AWS SDK uses the role of the machine or
 * container.
 */
function s3Settings(read: SettingsReader, isChosen: boolean) {
  const endpoint = read.url('MEDIA_S3_ENDPOINT', 'URL of the S3-compatible server. Unset: AWS', undefined, [
    'http:',
    'https:',
  ]);
  const region =
    read.text('MEDIA_S3_REGION', 'Region for which requests are signed', { shown: 'us-east-1' }) ?? 'us-east-1';
  const forcePathStyle = read.bool(
    'MEDIA_S3_FORCE_PATH_STYLE',
    'Put the name of the bucket into the path instead of the host. Most servers other than AWS need true',
    false,
  );
  const accessKeyId = read.text(
    'MEDIA_S3_ACCESS_KEY_ID',
    'ID of the access key. Unset: the role that the AWS SDK finds',
  );
  const secretAccessKey = read.secret('MEDIA_S3_SECRET_ACCESS_KEY', 'Secret of the access key');
  if (endpoint !== undefined && /[?#@]/.test(endpoint)) {
    read.fault('MEDIA_S3_ENDPOINT', 'must be a URL without credentials, query and fragment');
  }
  if (!/^[a-z0-9-]{1,63}$/i.test(region)) read.fault('MEDIA_S3_REGION', 'must be the name of a region');
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined)) {
    const absent = accessKeyId === undefined ? 'MEDIA_S3_ACCESS_KEY_ID' : 'MEDIA_S3_SECRET_ACCESS_KEY';
    read.fault(absent, 'is required, because the other part of the access key is set');
  }
  const both = buckets(read, isChosen);
  if (!both) return undefined;
  const server = { endpoint, region, forcePathStyle, accessKeyId, secretAccessKey, buckets: both };
  return hideMembers(server, 'secretAccessKey');
}

function ports(read: SettingsReader, name: string, about: string): number[] {
  const list = read.list(name, about).map(Number);
  if (list.every((port) => Number.isInteger(port) && port > 0 && port < 65536)) return list;
  read.fault(name, 'must be a list of ports');
  return [];
}

function keys(read: SettingsReader) {
  const relaySecrets = read.list(
    'MEDIA_RELAY_SECRETS',
    'Keys that sign upload URLs, each at least 32 bytes in Base64, newest first. Unset: derived from GATEHOUSE_SECRET',
    { secret: true },
  );
  const signingSecrets = read.list(
    'MEDIA_SIGNING_SECRETS',
    'Keys that sign URLs of external media, 32-256 characters each, newest first. Unset: derived from GATEHOUSE_SECRET',
    { secret: true },
  );
  if (relaySecrets.some((value) => !isBase64Secret(value))) {
    read.fault('MEDIA_RELAY_SECRETS', `must be a list of base64 secrets of at least ${SECRET_BYTES} bytes`);
  }
  if (signingSecrets.some((value) => value.length < 32 || value.length > 256)) {
    read.fault('MEDIA_SIGNING_SECRETS', 'must be a list of secrets of 32 to 256 characters');
  }
  return { relaySecrets, signingSecrets };
}

/** Stored objects, uploads, images and external media. */
export class MediaSettings extends settings('Media', (read) => {
  const { publicOrigin, workers } = read.of(InstanceSettings);
  const baseUrl = read.url(
    'MEDIA_BASE_URL',
    'Public URL of media. Unset: <PUBLIC_ORIGIN>/media',
    `${publicOrigin}/media`,
    ['http:', 'https:'],
    { shown: '' },
  );
  const storage = read.choice(
    'MEDIA_STORAGE',
    'Storage of media: local (files below MEDIA_LOCAL_ROOT) or s3 (two buckets of an S3-compatible server)',
    ['local', 's3'],
    'local',
  );
  const root = read.text(
    'MEDIA_LOCAL_ROOT',
    'Folder of stored media. With s3, of media that wait for their upload. Unset: media in DATA_DIR',
  );
  const media = {
    baseUrl,
    root: resolve(root ?? join(read.of(DataSettings).dataDir, 'media')),
    s3: s3Settings(read, storage === 's3'),
    maxUploadBytes: read.int('MEDIA_MAX_UPLOAD_BYTES', 'Maximum size of an upload, in bytes', 25 * MIB, [1, 100 * MIB]),
    uploadsEnabled: read.bool('MEDIA_UPLOADS_ENABLED', 'Allow uploads', true),
    relaySeconds: read.int('MEDIA_RELAY_TTL_SECONDS', 'Lifetime of an upload URL in seconds, 60-3600', 900, [60, 3600]),
    ...keys(read),
    accountQuotaBytes: read.int(
      'MEDIA_ACCOUNT_QUOTA_BYTES',
      'Maximum size of all media of an account, in bytes',
      10 * GIB,
      [0, 102400 * GIB],
    ),
    imageSeconds: read.int(
      'MEDIA_IMAGE_SECONDS',
      'Maximum time to transform an image in seconds, including the wait',
      15,
      [1, 60],
    ),
    imageMemoryBytes: read.int(
      'MEDIA_IMAGE_MEMORY_BYTES',
      'Maximum memory of each image process, in bytes. There are as many processes as cores, from 2 to 8. Unset: 1 GiB, at most a quarter of the memory divided by WORKERS',
      imageBytes(workers),
      [MIN_IMAGE_BYTES, 1024 * GIB],
      { shown: '' },
    ),
    cacheBytes: read.int(
      'MEDIA_CACHE_BYTES',
      'Maximum size of transformed images in DATA_DIR, in bytes per process. The least recently used are deleted first',
      5 * GIB,
      [0, 102400 * GIB],
    ),
    externalMaxBytes: read.int('MEDIA_EXTERNAL_MAX_BYTES', 'Maximum size of external media, in bytes', 500 * MIB, [
      1,
      100 * GIB,
    ]),
    externalPorts: ports(read, 'MEDIA_EXTERNAL_PORTS', 'Ports from which external media may be fetched. Unset: any'),
  };
  read.rejectShared('MEDIA_RELAY_SECRETS', 'MEDIA_SIGNING_SECRETS', 'MEDIA_S3_SECRET_ACCESS_KEY');
  return { media: hideMembers(media, 'relaySecrets', 'signingSecrets') };
}) {}
