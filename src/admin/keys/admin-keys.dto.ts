import { Int, ListOf, Snowflake, Text } from '../../http/input.js';

const MAX_ACLS = 256;

/** A list of registered ACLs. Duplicates are stored once. */
export function AclList(options: { optional?: boolean } = {}): PropertyDecorator {
  return ListOf(
    { ...options, max: MAX_ACLS, bound: 256, items: { type: 'string', format: 'acl' } },
    (value, features) => (typeof value === 'string' && features?.acls.has(value) ? undefined : 'INVALID_FORMAT'),
  );
}

const KEY_NAME = { min: 1, max: 100, trim: true, length: 'INVALID_FORMAT' } as const;

export class AdminKeyPath {
  @Snowflake() key_id: string;
}

export class CreateAdminKeyInput {
  @Text(KEY_NAME) name: string;
  @AclList() acls: string[];
  @Int({ min: 1, max: 365, optional: true }) expires_in_days?: number;
}

export class EditAdminKeyInput {
  @Text({ ...KEY_NAME, optional: true }) name?: string;
  @AclList({ optional: true }) acls?: string[];
}
