import { MAX_CREDENTIAL_ID } from '../../auth/webauthn/webauthn.js';
import { Bool, Email, Text } from '../../http/input.js';
import { UserPath } from './admin-users.dto.js';

export class SetEmailInput {
  @Email() email: string;
}

export class EmailBounceInput {
  @Bool() bounced: boolean;
}

export class UserCredentialPath extends UserPath {
  @Text({ min: 1, max: MAX_CREDENTIAL_ID }) credential_id: string;
}
