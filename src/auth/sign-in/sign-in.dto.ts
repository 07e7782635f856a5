import { Email, Text } from '../../http/input.js';
import { Password } from '../factors/fields.js';

export class LoginInput {
  @Email() email: string;
  @Password() password: string;
}

export class LoginTotpInput {
  @Text({ min: 1, max: 256 }) ticket: string;
  @Text({ min: 1, max: 32 }) code: string;
}
