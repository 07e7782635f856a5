import type { MessageView } from './message.views.js';

export type WebhookAction = 'create' | 'update' | 'delete' | 'rotate';

declare module '../core/merged.js' {
  interface EventTypes {
    /** A webhook of the account has changed; the event never contains the token */
    WEBHOOKS_UPDATE: { readonly webhook_id: string; readonly action: WebhookAction };
    /** A webhook has sent a message */
    WEBHOOK_MESSAGE_CREATE: MessageView;
    /** A message of a webhook was edited */
    WEBHOOK_MESSAGE_UPDATE: MessageView;
    /** A message of a webhook was deleted */
    WEBHOOK_MESSAGE_DELETE: { readonly id: string; readonly webhook_id: string };
  }
}
