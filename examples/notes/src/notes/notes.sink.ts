import { ApiError, codePoints, type WebhookMessageEvent, type WebhookMessageSink } from '@gatehouse-auth/server';
import { Injectable } from '@nestjs/common';
import { LONGEST_NOTE } from './notes.dto.js';
import { NotesService } from './notes.service.js';

/** A message of a webhook becomes a note of the webhook's owner. It may be told more than once. */
@Injectable()
export class NotesSink implements WebhookMessageSink {
  readonly name = 'notes';

  constructor(private readonly notes: NotesService) {}

  async handle(event: WebhookMessageEvent): Promise<void> {
    const { kind, webhook, message } = event;
    if (kind === 'delete') return this.notes.forget(message.id);
    const text = message.content.trim();
    if (text === '' || codePoints(text) > LONGEST_NOTE) return;
    if (kind === 'update') return this.notes.rewrite(message.id, text);
    try {
      await this.notes.keep(webhook.ownerId, message.id, text);
    } catch (error) {
      // Whose notes are full gets none; to throw would bring the message again for a day.
      if (!(error instanceof ApiError && error.code === 'NOTES_FULL')) throw error;
    }
  }
}
