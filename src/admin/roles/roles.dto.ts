import { isBlank, plainName } from '../../core/text/text.js';
import { Snowflake, Text } from '../../http/input.js';
import { AclList } from '../keys/admin-keys.dto.js';

/** The name of a role: 1-64 characters, not all of them blank. */
const RoleName = (options: { optional?: boolean } = {}): PropertyDecorator =>
  Text({
    ...options,
    ...{ min: 1, max: 64, convert: plainName, length: 'INVALID_FORMAT' },
    check: (name) => !isBlank(name),
  });

export class RolePath {
  @Snowflake() role_id: string;
}

export class CreateRoleInput {
  @RoleName() name: string;
  @AclList() acls: string[];
}

export class EditRoleInput {
  @RoleName({ optional: true }) name?: string;
  @AclList({ optional: true }) acls?: string[];
}
