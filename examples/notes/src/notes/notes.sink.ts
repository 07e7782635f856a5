import { ApiError, countCodePoints, type WebhookMessageEvent, type WebhookMessageSink } from '@gatehouse-auth/server';
import { Injectable } from '@nestjs/common';
import { LONGEST_NOTE } from './notes.dto.js';
import { NotesService } from './notes.service.js';

/**
 * Stores each message of a webhook as a note of the webhook's owner. The service may deliver a message more than once.
 */
@Injectable()
export class NotesSink implements WebhookMessageSink {
  readonly name = 'notes';

  constructor(private readonly notes: NotesService) {}

  async handle(event: WebhookMessageEvent): Promise<void> {
    const { kind, webhook, message } = event;
    if (kind === 'delete') return this.notes.forget(message.id);
    const text = message.content.trim();
    if (text === '' || countCodePoints(text) > LONGEST_NOTE) return;
    if (kind === 'update') return this.notes.rewrite(message.id, text);
    try {
      await this.notes.keep(webhook.ownerId, message.id, text);
    } catch (error) {
      // An owner with too many notes gets no more. An error would make the service repeat the delivery for a day.
      if (!(error instanceof ApiError && error.code === 'NOTES_FULL')) throw error;
    }
  }
}
