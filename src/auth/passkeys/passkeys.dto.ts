import { AnyObject, Bool, OneOf, Text } from '../../http/input.js';
import { SudoInput } from '../sudo/sudo.dto.js';
import { MAX_CREDENTIAL_ID } from '../webauthn/webauthn.js';

/** How the browser creates a passkey. `conditional` means automatically, without user interaction. */
export type Mediation = 'conditional';

export class RegistrationOptionsInput extends SudoInput {
  @OneOf(['conditional'], { optional: true }) mediation?: Mediation;
}

export class RegisterPasskeyInput {
  @AnyObject() response: object;
  @Text({ min: 1, max: 1024 }) challenge: string;
  @Text({ min: 1, max: 100 }) name: string;
}

export class PasskeyPath {
  @Text({ min: 1, max: MAX_CREDENTIAL_ID }) credential_id: string;
}

export class RenamePasskeyInput extends SudoInput {
  @Text({ min: 1, max: 100 }) name: string;
}

export class TwoFactorInput extends SudoInput {
  @Bool() enabled: boolean;
}
