import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { toJsonColumn } from '../database/json-column.js';
import { InboxMessage } from './mail.entities.js';

type Words = 'type' | 'subject' | 'text' | 'html';

export type ReceivedMessage = Pick<InboxMessage, 'id' | 'channel' | 'recipient' | 'accountId' | Words> & {
  readonly metadata: Readonly<Record<string, unknown>>;
};

/** The development inbox: messages that a real transport would have sent (design.md section 6). */
@Injectable()
export class Inbox {
  constructor(private readonly database: Database) {}

  async receive(message: ReceivedMessage): Promise<void> {
    // A message that is sent again after a crash has the same ID and is stored once.
    await this.database.manager
      .createQueryBuilder()
      .insert()
      .into(InboxMessage)
      .values({ ...message, metadata: toJsonColumn(message.metadata) })
      .orIgnore()
      .execute();
  }

  /** Lists messages, newest first, of one recipient or of all. */
  async list(recipient: string | undefined, limit: number) {
    const query = this.database.manager.createQueryBuilder(InboxMessage, 'm').orderBy('m.id', 'DESC').take(limit);
    if (recipient !== undefined) query.where('lower(m.recipient) = lower(:recipient)', { recipient });
    const messages = await query.getMany();
    return messages.map((message) => ({
      id: message.id,
      to: message.recipient,
      channel: message.channel,
      type: message.type,
      subject: message.subject,
      text: message.text,
      html: message.html,
      metadata: message.metadata,
      created_at: message.createdAt.toISOString(),
    }));
  }

  async empty(): Promise<void> {
    await this.database.manager.createQueryBuilder().delete().from(InboxMessage).execute();
  }
}
