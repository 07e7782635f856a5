import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('notes')
export class Note {
  @PrimaryColumn('bigint') id: string;
  @Column('bigint', { name: 'owner_id' }) ownerId: string;
  @Column('text') text: string;
  /** ID of the webhook message that the note was created from. */
  @Column('bigint', { name: 'message_id', nullable: true }) messageId: string | null;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
}

/** A note as the API returns it. */
export interface NoteView {
  readonly id: string;
  readonly owner_id: string;
  readonly text: string;
  readonly created_at: string;
}

export const noteView = ({ id, ownerId, text, createdAt }: Note): NoteView => ({
  id,
  owner_id: ownerId,
  text,
  created_at: createdAt.toISOString(),
});
