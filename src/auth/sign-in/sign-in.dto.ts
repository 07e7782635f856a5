import { isText } from '../../core/text/text.js';
import { Email, ListOf, Text } from '../../http/input.js';
import { Password } from '../factors/fields.js';
import { SudoInput } from '../sudo/sudo.dto.js';

export class LoginInput {
  @Email() email: string;
  @Password() password: string;
}

export class LoginTotpInput {
  @Text({ min: 1, max: 256 }) ticket: string;
  @Text({ min: 1, max: 32 }) code: string;
}

export class EndSessionsInput extends SudoInput {
  @ListOf({ max: 100, bound: 256 }, (hash) => (isText(hash) ? undefined : 'INVALID_FORMAT'))
  session_id_hashes: string[];
}
