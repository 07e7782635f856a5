import type { MessageView } from './message.views.js';

/** What became of a message (webhooks.md section 7). Holds neither a token nor the address of a webhook. */
export type WebhookMessageEvent = {
  /** The idempotency key: an event may arrive more than once. */
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

/** Where a team takes the messages of webhooks. */
export interface WebhookMessageSink {
  /** Unique among all sinks; events wait under it, so it should not change. */
  readonly name: string;
  /** A throw, or no answer within 10 s, brings the event again later. */
  handle(event: WebhookMessageEvent): Promise<void>;
}

/** The injection token under which any module provides a sink, or an array of them. */
export const WEBHOOK_MESSAGE_SINKS = Symbol('WebhookMessageSinks');
