import { Email } from '../../http/input.js';
import { Password, Token64 } from '../factors/fields.js';

export class TokenInput {
  @Token64() token: string;
}

export class ForgotInput {
  @Email() email: string;
}

export class ResetInput {
  @Token64() token: string;
  @Password({ fresh: true }) password: string;
}

export class RevertEmailInput {
  @Token64() token: string;
  @Password({ fresh: true }) password: string;
}
