import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What a personal access token has in addition to its row of `oauth_token`, which has the same ID. */
@Entity('personal_token')
export class PersonalToken {
  @PrimaryColumn('bigint') id: string;
  @Column('text') name: string;
  /** The last 4 characters of the token. */
  @Column('text') preview: string;
  /** CIDR ranges from which the token works. An empty list allows all IP addresses. */
  @Column('text', { array: true }) networks: string[];
  @Column('timestamptz', { name: 'last_used_at', nullable: true }) lastUsedAt: Date | null;
  /** When the email about its expiration was sent. */
  @Column('timestamptz', { name: 'reminded_at', nullable: true }) remindedAt: Date | null;
}
