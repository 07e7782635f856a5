import { Bool, Email, Text } from '../../http/input.js';
import { UserPath } from './admin-users.dto.js';

export class SetEmailInput {
  @Email() email: string;
}

export class EmailBounceInput {
  @Bool() bounced: boolean;
}

export class UserCredentialPath extends UserPath {
  @Text({ min: 1, max: 1400 }) credential_id: string;
}
