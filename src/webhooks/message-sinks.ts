import type { MessageView } from './message.views.js';

/** A change of a message (webhooks.md section 7). Contains neither the token nor the URL of the webhook. */
export type WebhookMessageEvent = {
  /** The idempotency key. An event may be delivered more than once. */
  readonly eventId: string;
  readonly webhook: {
    readonly id: string;
    readonly applicationId: string | null;
    readonly ownerId: string;
    readonly name: string;
  };
} & (
  | { readonly kind: 'create' | 'update'; readonly message: MessageView }
  | { readonly kind: 'delete'; readonly message: { readonly id: string } }
);

/** A consumer of webhook messages, provided by an extension. */
export interface WebhookMessageSink {
  /** Unique among all sinks. Do not change it, because waiting events are stored under this name. */
  readonly name: string;
  /** If it throws or does not settle within 10 s, the event is delivered again later. */
  handle(event: WebhookMessageEvent): Promise<void>;
}

/** The injection token with which any module provides a sink or an array of sinks. */
export const WEBHOOK_MESSAGE_SINKS = Symbol('WebhookMessageSinks');
