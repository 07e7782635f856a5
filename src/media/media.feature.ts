import { defineFeature } from '../policy/feature.js';
import { MediaModule } from './media.module.js';
import { Garbage, MediaObject, MediaUpload, StagedObject, UsedCapability } from './objects/media.entities.js';
import { MediaUpkeep } from './objects/upkeep.service.js';
import { MediaSettings } from './settings/media.settings.js';

/** Uploads, images and the media proxy. */
export const media = defineFeature('media', {
  modules: [MediaModule],
  entities: [MediaObject, MediaUpload, StagedObject, UsedCapability, Garbage],
  settings: [MediaSettings],
  errors: {
    FILE_SIZE_TOO_LARGE: [400, 'The file is too large. Send a smaller one.'],
    MEDIA_QUOTA_EXCEEDED: [400, 'The account has reached its storage quota.'],
    UPSTREAM_FETCH_FAILED: [502, 'The external server rejected the request.'],
    TRANSCODE_FAILED: [500, 'The file cannot be decoded.'],
  },
  fieldErrors: {
    BASE64_LENGTH_INVALID: 'The image is empty or too large.',
    INVALID_BASE64_FORMAT: 'The image is not valid Base64.',
    IMAGE_SIZE_EXCEEDS_LIMIT: 'The image is too large.',
    INVALID_IMAGE_FORMAT: 'The image cannot be decoded.',
    UPLOADED_ATTACHMENT_NOT_FOUND: 'The upload was not found.',
    INVALID_MEDIA_URL: 'The URL cannot be used.',
  },
  buckets: {
    'media:upload': [10, 10],
    'media:external': [60, 60],
    // A signed URL can be given to any user.
    'media:relay': [60, 60, { forgivenFailures: [401, 403] }],
    // A web page decides which media its visitors load.
    'media:read': [1200, 60, { countsGlobally: false, forgivenFailures: 'all' }],
  },
  exports: {
    media: {
      select: `SELECT key, filename, size, content_type, width, height, created_at
        FROM media_object WHERE account_id = $1 ORDER BY created_at, key`,
    },
    uploads: {
      select:
        'SELECT filename, size, created_at, finished_at FROM media_upload WHERE owner_id = $1 ORDER BY created_at',
    },
  },
  metrics: {
    gatehouse_image_processes: { type: 'gauge', help: 'Processes that decode images' },
    gatehouse_image_memory_bytes: { type: 'gauge', help: 'Memory of the processes that decode images' },
    gatehouse_image_running: { type: 'gauge', help: 'Images that are being processed' },
    gatehouse_image_waiting: { type: 'gauge', help: 'Images that wait to be processed' },
  },
  erasure: {
    media_upload: { eraser: MediaUpkeep },
    media_staged: { eraser: MediaUpkeep },
    media_object: { eraser: MediaUpkeep },
    media_garbage: { kept: 'names of files, until the files are deleted' },
    media_capability: { kept: 'digests, until they expire' },
  },
});

declare module '../core/merged.js' {
  interface Features {
    media: typeof media;
  }
}

declare module '../core/config/config.js' {
  interface Config extends MediaSettings {}
}
