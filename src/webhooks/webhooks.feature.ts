import { WebhookQueue1796800000000 } from '../migrations/1796800000000-webhook-queue.js';
import { defineFeature, gatewayEvent } from '../policy/feature.js';
import type { MessageView } from './message.views.js';
import { WebhookUpkeep } from './upkeep.service.js';
import { Webhook, WebhookMessage, WebhookRepeat } from './webhook.entities.js';
import { WebhooksModule } from './webhooks.module.js';
import type { WebhookAction } from './webhooks.service.js';
import { WebhookSettings } from './webhooks.settings.js';

/** Webhooks and their messages. */
export const webhooks = defineFeature('webhooks', {
  modules: [WebhooksModule],
  entities: [Webhook, WebhookMessage, WebhookRepeat],
  migrations: [WebhookQueue1796800000000],
  settings: [WebhookSettings],
  errors: {
    MAX_WEBHOOKS: [400, 'The account has the maximum number of webhooks.'],
    CANNOT_SEND_EMPTY_MESSAGE: [400, 'The message is empty.'],
    UNKNOWN_WEBHOOK: [404, 'Unknown webhook.'],
    UNKNOWN_MESSAGE: [404, 'Unknown message.'],
  },
  fieldErrors: {
    WEBHOOK_NAME_LENGTH_INVALID: 'The name is too short or too long.',
    TOO_MANY_EMBEDS: 'There are too many embeds.',
    TOO_MANY_FILES: 'There are too many files.',
    INVALID_MESSAGE_DATA: 'The message is not valid.',
    INVALID_JSON_IN_PAYLOAD_JSON: 'The payload is not valid JSON.',
    FAILED_TO_PARSE_MULTIPART_FORM_DATA: 'The form cannot be read.',
    INVALID_FILE_FIELD_NAME: 'The name of a file field is not valid.',
    DUPLICATE_FILE_INDEX: 'A file index occurs twice.',
    FILE_SIZE_TOO_LARGE: 'The file is too large. Send a smaller one.',
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
  events: {
    /** A webhook of the account has changed; the event never contains the token */
    WEBHOOKS_UPDATE: gatewayEvent<{ readonly webhook_id: string; readonly action: WebhookAction }>(),
    /** A webhook has sent a message */
    WEBHOOK_MESSAGE_CREATE: gatewayEvent<MessageView>(),
    /** A message of a webhook was edited */
    WEBHOOK_MESSAGE_UPDATE: gatewayEvent<MessageView>(),
    /** A message of a webhook was deleted */
    WEBHOOK_MESSAGE_DELETE: gatewayEvent<{ readonly id: string; readonly webhook_id: string }>(),
  },
  exports: {
    webhooks: {
      select: 'SELECT id, application_id, name, avatar, created_at FROM webhook WHERE owner_id = $1 ORDER BY id',
    },
    webhook_messages: {
      select: `SELECT m.id, m.webhook_id, m.username, m.avatar_url, m.content, m.embeds, m.attachments, m.created_at,
          m.edited_at
        FROM (SELECT id FROM webhook WHERE owner_id = $1 ORDER BY id) w
        CROSS JOIN LATERAL (SELECT * FROM webhook_message WHERE webhook_id = w.id ORDER BY id) m`,
    },
  },
  metrics: {
    gatehouse_webhook_events_total: {
      type: 'counter',
      help: 'Events of webhook messages by sink and outcome',
      labels: { sink: 'any', outcome: ['handled', 'deferred', 'parked'] },
    },
  },
  erasure: {
    webhook: { eraser: WebhookUpkeep },
    webhook_message: { deletedWith: 'webhook' },
    webhook_repeat: { deletedWith: 'webhook' },
    webhook_event: { deletedWith: 'webhook' },
    webhook_queue: { kept: 'when a sink is called next' },
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
