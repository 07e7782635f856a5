import { Bool, Email, OneOf } from '../input.js';
import { GlobalName, Username } from '../users/names.js';
import { Password } from './fields.js';

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
