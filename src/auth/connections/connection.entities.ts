import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ConnectionKind, ProviderFields } from './presets.js';

/** The settings of a connection, with the names of the API (connections.md section 1). */
export interface ConnectionSettings extends ProviderFields {
  readonly display_name: string;
  /** A kind, whose icon is shown, or the URL of an image. Default: the kind of the connection. */
  readonly icon: string | null;
  readonly client_id: string | null;
  readonly enabled: boolean;
  readonly allow_sign_up: boolean;
  readonly link_by_email: boolean;
  readonly require_second_factor: boolean;
  readonly allowed_domains: readonly string[];
}

/** An identity provider that users can sign in with, next to single sign-on. */
@Entity('connection')
export class Connection {
  @PrimaryColumn('text') id: string;
  @Column('text') kind: ConnectionKind;
  /** The place among the buttons. Equal ones are in the order of creation. */
  @Column('integer') position: number;
  /** Members that are `null` follow the preset. */
  @Column('jsonb') settings: ConnectionSettings;
  @Column('bytea', { name: 'client_secret', nullable: true }) clientSecret: Buffer | null;
  @Column('timestamptz', { name: 'created_at', default: () => 'now()' }) createdAt: Date;
}
