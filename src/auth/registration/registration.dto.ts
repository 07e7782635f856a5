import { GlobalName, Username } from '../../accounts/names.js';
import { Bool, Email, OneOf } from '../../http/input.js';
import { Password } from '../factors/fields.js';

export class RegisterInput {
  @Email({ optional: true }) email?: string;
  @Password({ optional: true, fresh: true }) password?: string;
  @Username({ optional: true }) username?: string;
  @GlobalName({ optional: true }) global_name?: string;
  @Bool({ optional: true }) consent?: boolean;
  @OneOf(['system', 'light', 'dark'], { optional: true }) theme?: 'system' | 'light' | 'dark';
}

export class SuggestionsInput {
  @GlobalName() global_name: string;
}
