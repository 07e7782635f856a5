import { settings } from '../core/config/declared.js';

/** Webhooks and their messages. */
export class WebhookSettings extends settings('Webhooks', (read) => ({
  webhooksPerAccount: read.int('WEBHOOK_MAX_PER_ACCOUNT', 'Webhooks per account', 50, [1, 10000]),
  webhookRetentionDays: read.int('WEBHOOK_MESSAGE_RETENTION_DAYS', 'How long messages are kept', 30, [1, 3650]),
})) {}
