import { settings } from '../core/config/declared.js';

/** Webhooks and their messages. */
export class WebhookSettings extends settings('Webhooks', (read) => ({
  webhooksPerAccount: read.int('WEBHOOK_MAX_PER_ACCOUNT', 'Maximum number of webhooks of an account', 50, [1, 10000]),
  webhookRetentionDays: read.int('WEBHOOK_MESSAGE_RETENTION_DAYS', 'Days for which messages are kept', 30, [1, 3650]),
})) {}
