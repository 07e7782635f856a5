import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A token of a bot. Its secret is stored as a digest. */
@Entity('bot_token')
export class BotToken {
  @PrimaryColumn('bigint') id: string;
  @Column('bigint', { name: 'application_id' }) applicationId: string;
  @Column('text') name: string;
  @Column('bytea') digest: Buffer;
  /** The first 8 characters of the secret. */
  @Column('text') preview: string;
  @Column('timestamptz', { name: 'created_at', default: () => 'now()' }) createdAt: Date;
  @Column('timestamptz', { name: 'last_used_at', nullable: true }) lastUsedAt: Date | null;
}
