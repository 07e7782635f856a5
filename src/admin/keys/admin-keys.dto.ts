import { ApiError, fieldError } from '../../core/errors.js';
import { Int, ListOf, Snowflake, Text } from '../../http/input.js';
import type { FeatureRegistry } from '../../policy/feature-registry.js';

const MAX_ACLS = 256;

/** A list of ACLs, which the operation checks by `assertKnownAcls`. Duplicates are stored once. */
export function AclList(options: { optional?: boolean } = {}): PropertyDecorator {
  return ListOf({ ...options, max: MAX_ACLS, bound: 256, items: { type: 'string', format: 'acl' } }, (value) =>
    typeof value === 'string' ? undefined : 'INVALID_FORMAT',
  );
}

/** @throws ApiError INVALID_FORM_BODY for each ACL that is not registered */
export function assertKnownAcls(
  { acls }: FeatureRegistry,
  lists: Readonly<Record<string, readonly string[] | undefined>>,
): void {
  const errors = Object.entries(lists).flatMap(([path, list = []]) =>
    list.flatMap((acl, index) => (acls.has(acl) ? [] : [fieldError(`${path}.${index}`, 'INVALID_FORMAT')])),
  );
  if (errors.length > 0) throw new ApiError('INVALID_FORM_BODY', { errors: errors.slice(0, 100) });
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
