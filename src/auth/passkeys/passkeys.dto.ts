import { Anything, Bool, Text } from '../../http/input.js';
import { SudoInput } from '../sudo/sudo.dto.js';

export class RegisterPasskeyInput {
  @Anything() response: object;
  @Text({ min: 1, max: 1024 }) challenge: string;
  @Text({ min: 1, max: 100 }) name: string;
}

export class PasskeyPath {
  @Text({ min: 1, max: 1024 }) credential_id: string;
}

export class RenamePasskeyInput extends SudoInput {
  @Text({ min: 1, max: 100 }) name: string;
}

export class TwoFactorInput extends SudoInput {
  @Bool() enabled: boolean;
}
