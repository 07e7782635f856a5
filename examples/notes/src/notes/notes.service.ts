import {
  ApiError,
  AuditActions,
  Clock,
  Database,
  GatewayEvents,
  type Identity,
  type Operator,
  Snowflakes,
  type Tx,
} from '@gatehouse-auth/server';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { LessThan } from 'typeorm';
import { Note, type NoteView, noteView } from './note.entity.js';
import type { NoteInput, NotesQuery } from './notes.dto.js';
import { NotesSettings } from './notes.settings.js';

@Injectable()
export class NotesService implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly snowflakes: Snowflakes,
    private readonly clock: Clock,
    private readonly events: GatewayEvents,
    private readonly auditActions: AuditActions,
    private readonly settings: NotesSettings,
  ) {}

  onModuleInit(): void {
    this.events.reader('NOTES_CREATED', async ({ id }) => {
      const note = await this.database.manager.findOneBy(Note, { id: String(id) });
      return note ? noteView(note) : undefined;
    });
  }

  /** Returns the newest notes first. */
  async list(ownerId: string, { limit = 50, before }: NotesQuery = {}): Promise<NoteView[]> {
    const where = before === undefined ? { ownerId } : { ownerId, id: LessThan(before) };
    const notes = await this.database.manager.find(Note, { where, order: { id: 'DESC' }, take: limit });
    return notes.map(noteView);
  }

  /** @throws ApiError NOTES_NOT_FOUND */
  async show(me: Identity, id: string): Promise<NoteView> {
    const note = await this.database.manager.findOneBy(Note, { id, ownerId: me.account.id });
    if (!note) throw new ApiError('NOTES_NOT_FOUND');
    return noteView(note);
  }

  /** @throws ApiError NOTES_FULL */
  create(me: Identity, { text }: NoteInput): Promise<NoteView> {
    return this.database.transaction((tx) => this.write(tx, me.account.id, text, null));
  }

  /** Stores a message of a webhook, only once for each message. @throws ApiError NOTES_FULL */
  keep(ownerId: string, messageId: string, text: string): Promise<void> {
    return this.database.transaction(async (tx) => {
      await this.hold(tx, ownerId);
      if (!(await tx.existsBy(Note, { messageId }))) await this.write(tx, ownerId, text, messageId);
    });
  }

  async rewrite(messageId: string, text: string): Promise<void> {
    await this.database.manager.update(Note, { messageId }, { text });
  }

  async forget(messageId: string): Promise<void> {
    await this.database.manager.delete(Note, { messageId });
  }

  /** @throws ApiError NOTES_NOT_FOUND */
  async delete(me: Identity, id: string): Promise<void> {
    const { affected } = await this.database.manager.delete(Note, { id, ownerId: me.account.id });
    if (affected !== 1) throw new ApiError('NOTES_NOT_FOUND');
  }

  /** Deletes a note of any account. @throws ApiError NOTES_NOT_FOUND */
  remove(by: Operator, id: string): Promise<void> {
    return this.database.transaction(async (tx) => {
      const note = await tx.findOneBy(Note, { id });
      const { affected } = await tx.delete(Note, { id });
      if (!note || affected !== 1) throw new ApiError('NOTES_NOT_FOUND');
      await this.auditActions.record(tx, by, 'notes:remove', { id, metadata: { owner_id: note.ownerId } });
    });
  }

  /** Serializes the writes for an account, because concurrent writes could exceed the limit. */
  private async hold(tx: Tx, ownerId: string): Promise<void> {
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('notes of ' || $1, 0))`, [ownerId]);
  }

  private async write(tx: Tx, ownerId: string, text: string, messageId: string | null): Promise<NoteView> {
    await this.hold(tx, ownerId);
    if ((await tx.countBy(Note, { ownerId })) >= this.settings.perAccount) throw new ApiError('NOTES_FULL');
    const note = { id: this.snowflakes.next(), ownerId, text, messageId, createdAt: this.clock.date() };
    await tx.insert(Note, note);
    // The event contains only IDs. The reader that `onModuleInit` registers loads the note.
    await this.events.announce(tx, { type: 'NOTES_CREATED', account_id: ownerId, id: note.id });
    return noteView(note);
  }
}
