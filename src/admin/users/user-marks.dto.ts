import { ACCOUNT_FLAGS } from '../../accounts/account-facts.js';
import { Bool, Int, ListOf } from '../../http/input.js';
import { AclList } from '../keys/admin-keys.dto.js';

/** Flags that the flags operation can set. The other flags are set by other operations. */
const { STAFF, HIGH_GLOBAL_RATE_LIMIT, RATE_LIMIT_BYPASS, NOT_SUSPICIOUS } = ACCOUNT_FLAGS;
const SETTABLE_FLAGS = STAFF | HIGH_GLOBAL_RATE_LIMIT | RATE_LIMIT_BYPASS | NOT_SUSPICIOUS;
/** Traits that the traits operation can set. */
export const SETTABLE_TRAITS: readonly string[] = ['captcha_exempt'];

function FlagList(): PropertyDecorator {
  return ListOf({ optional: true, max: 64, bound: 40, items: { type: 'string', format: 'account-flags' } }, (value) => {
    if (typeof value !== 'string' || !/^(?:0|[1-9]\d{0,19})$/.test(value)) return 'INVALID_FORMAT';
    return (BigInt(value) & ~SETTABLE_FLAGS) === 0n ? undefined : 'INVALID_FORMAT';
  });
}

function TraitList(): PropertyDecorator {
  return ListOf({ max: 64, bound: 64, items: { type: 'string', enum: [...SETTABLE_TRAITS] } }, (value) =>
    SETTABLE_TRAITS.includes(value as string) ? undefined : 'INVALID_FORMAT',
  );
}

/** Suspicious-activity bits 0 to 7 (account.md section 7). */
export function SuspicionBits(): PropertyDecorator {
  return Int({ min: 0, max: 255 });
}

export class SetAclsInput {
  @AclList() acls: string[];
}

export class EditFlagsInput {
  @FlagList() add_flags?: string[];
  @FlagList() remove_flags?: string[];
}

export class SuspicionInput {
  @SuspicionBits() flags: number;
}

export class SetTraitsInput {
  @TraitList() traits: string[];
}

export class PhoneVerificationInput {
  @Bool() has_verified_phone: boolean;
}
