import { WebhookQueue1796800000000 } from '../migrations/1796800000000-webhook-queue.js';
import { defineFeature } from '../policy/feature.js';
import { Webhook, WebhookMessage, WebhookRepeat } from './webhook.entities.js';
import { WebhooksModule } from './webhooks.module.js';
import { WebhookSettings } from './webhooks.settings.js';

/** Webhooks and their messages. */
export const webhooks = defineFeature('webhooks', {
  modules: [WebhooksModule],
  entities: [Webhook, WebhookMessage, WebhookRepeat],
  migrations: [WebhookQueue1796800000000],
  settings: [WebhookSettings],
  errors: {
    MAX_WEBHOOKS: [400, 'The account owns the most webhooks allowed.'],
    CANNOT_SEND_EMPTY_MESSAGE: [400, 'The message is empty.'],
    UNKNOWN_WEBHOOK: [404, 'Unknown webhook.'],
    UNKNOWN_MESSAGE: [404, 'Unknown message.'],
  },
  fieldErrors: {
    WEBHOOK_NAME_LENGTH_INVALID: 'The name has a wrong length.',
    TOO_MANY_EMBEDS: 'There are too many embeds.',
    TOO_MANY_FILES: 'There are too many files.',
    INVALID_MESSAGE_DATA: 'The message is not valid.',
    INVALID_JSON_IN_PAYLOAD_JSON: 'The payload is not valid JSON.',
    FAILED_TO_PARSE_MULTIPART_FORM_DATA: 'The form cannot be read.',
    INVALID_FILE_FIELD_NAME: 'A file field has a wrong name.',
    DUPLICATE_FILE_INDEX: 'A file index occurs twice.',
    FILE_SIZE_TOO_LARGE: 'The file is too large.',
  },
  buckets: {
    'webhook:list': [40, 10],
    'webhook:create': [10, 60],
    'webhook:read': [100, 10],
    'webhook:update': [20, 10],
    'webhook:delete': [20, 10],
    'webhook:rotate': [5, 60],
    'webhook:messages': [60, 60],
    'webhook:miss': [60, 60],
    'webhook:execute': [60, 60, { countsGlobally: false }],
    'webhook:message_get': [60, 60, { countsGlobally: false }],
    'webhook:message_edit': [30, 60, { countsGlobally: false }],
    'webhook:message_delete': [30, 60, { countsGlobally: false }],
    'webhook:github': [200, 60, { countsGlobally: false }],
  },
});

declare module '../core/merged.js' {
  interface Features {
    webhooks: typeof webhooks;
  }
}

declare module '../core/config/config.js' {
  interface Config extends WebhookSettings {}
}
