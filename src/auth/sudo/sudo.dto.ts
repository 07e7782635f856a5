import { AnyObject, OneOf, Text } from '../../http/input.js';
import type { SudoMembers } from '../../policy/call.js';
import { Password } from '../factors/fields.js';

/** The sudo members in the body of every operation with `@RequiresSudo()` (account.md 8.1). */
export class SudoInput implements SudoMembers {
  @Password({ optional: true })
  password?: string;

  @OneOf(['totp', 'webauthn'], { optional: true })
  mfa_method?: 'totp' | 'webauthn';

  @Text({ min: 1, max: 32, optional: true })
  mfa_code?: string;

  @AnyObject({ optional: true })
  webauthn_response?: object;

  @Text({ min: 1, max: 1024, optional: true })
  webauthn_challenge?: string;
}
