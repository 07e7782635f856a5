import { parseSecret } from '../../auth/factors/factors.service.js';
import { SudoInput } from '../../auth/sudo/sudo.dto.js';
import { field, Text } from '../../http/input.js';

/** A TOTP secret in Base32, 16 to 64 bytes. */
function TotpSecret(): PropertyDecorator {
  const description = { type: 'string', minLength: 1, maxLength: 256, examples: ['JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'] };
  return field({ bound: 256, description }, (value) => {
    if (typeof value !== 'string') return 'INVALID_FORMAT';
    return parseSecret(value) ? undefined : 'INVALID_FORMAT';
  });
}

export class EnableTotpInput extends SudoInput {
  @TotpSecret() secret: string;
  @Text({ min: 1, max: 32 }) code: string;
}

export class DisableTotpInput extends SudoInput {
  @Text({ min: 1, max: 32 }) code: string;
}
