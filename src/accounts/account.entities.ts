import { Column, Entity, EntitySchema, type EntitySchemaColumnOptions, PrimaryColumn } from 'typeorm';
import { ACCOUNT_COLUMNS, type AccountColumn, type StoredAccount } from '../policy/account.js';
import { columnName } from './account-facts.js';

const entityColumn = ([name, { type, isNullable, readBy }]: [string, AccountColumn]): EntitySchemaColumnOptions => ({
  type: type === 'text[]' ? 'text' : type,
  array: type === 'text[]',
  name: columnName(name),
  primary: name === 'id',
  nullable: isNullable ?? false,
  select: readBy !== 'none',
});

/** A user account or a bot account. */
export const Account = new EntitySchema<StoredAccount>({
  name: 'Account',
  tableName: 'account',
  columns: Object.fromEntries(
    Object.entries<AccountColumn>(ACCOUNT_COLUMNS).map((entry) => [entry[0], entityColumn(entry)]),
  ),
});

@Entity('account_settings')
export class AccountSettings {
  @PrimaryColumn('bigint', { name: 'account_id' }) accountId: string;
  @Column('text') theme: 'system' | 'light' | 'dark';
  @Column('boolean', { name: 'email_notifications' }) emailNotifications: boolean;
  @Column('boolean', { name: 'session_ip_authorization' }) sessionIpAuthorization: boolean;
  @Column('boolean', { name: 'developer_mode' }) developerMode: boolean;
  @Column('jsonb') custom: Record<string, unknown>;
}
