import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A named list of ACLs. It is a template: accounts have copies of its ACLs. */
@Entity('admin_role')
export class Role {
  @PrimaryColumn('bigint') id: string;
  @Column('text') name: string;
  /** The name in the form that must be unique. */
  @Column('text', { name: 'name_key', unique: true }) nameKey: string;
  @Column('text', { array: true }) acls: string[];
}
