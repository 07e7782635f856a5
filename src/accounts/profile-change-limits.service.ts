import { Injectable } from '@nestjs/common';
import { type FieldCode, validationError } from '../core/errors.js';
import { Limiter } from '../platform/store/limits.js';

interface ChangeLimit {
  readonly code: FieldCode;
  readonly limit: number;
  readonly seconds: number;
}

const often = (code: FieldCode): ChangeLimit => ({ code, limit: 25, seconds: 1800 });

/** Limits for changes of the public profile (account.md 2.2, oauth.md 6.6). */
const CHANGE_LIMITS = {
  username: { code: 'USERNAME_CHANGED_TOO_MANY_TIMES', limit: 5, seconds: 3 * 3600 },
  bio: often('BIO_CHANGED_TOO_MANY_TIMES'),
  pronouns: often('PRONOUNS_CHANGED_TOO_MANY_TIMES'),
  accent_color: often('ACCENT_COLOR_CHANGED_TOO_MANY_TIMES'),
  avatar: often('AVATAR_CHANGED_TOO_MANY_TIMES'),
  banner: often('BANNER_CHANGED_TOO_MANY_TIMES'),
} satisfies Record<string, ChangeLimit>;

/** A change of a limited field, and the request body member to which an error refers. */
export interface ProfileChange {
  readonly field: keyof typeof CHANGE_LIMITS;
  readonly member?: string;
}

/** Called with the changes that are about to be made, before the first one. */
type Announce = (changes: readonly ProfileChange[]) => void;

/** A change that was not expected, because the account has changed in the meantime. */
class UnexpectedChangesError extends Error {
  constructor(readonly changes: readonly ProfileChange[]) {
    super('The allowances of these changes are not charged yet');
  }
}

/** Rate limits for changes of the public profile. */
@Injectable()
export class ProfileChangeLimits {
  constructor(private readonly limiter: Limiter) {}

  /**
   * Charges the allowances of the expected changes, then calls `apply`. Changes that `apply` does not make are
   * refunded. The store may be slow, so it is never called while `apply` has locked a row. If `apply` announces an
   * unexpected change, its transaction is rolled back and it is called again.
   * @throws ApiError FV(..._CHANGED_TOO_MANY_TIMES@member)
   */
  async chargeAround<T>(
    accountId: string,
    expected: readonly ProfileChange[],
    apply: (announce: Announce) => Promise<T>,
  ): Promise<T> {
    const unused = new Set<ProfileChange['field']>();
    let made: readonly ProfileChange[] = [];
    const announce: Announce = (changes) => {
      const missing = changes.filter(({ field }) => !unused.has(field));
      if (missing.length > 0) throw new UnexpectedChangesError(missing);
      made = changes;
    };
    try {
      for (let missing = expected; ; ) {
        for (const change of missing) await this.charge(accountId, change, unused);
        try {
          const result = await apply(announce);
          for (const { field } of made) unused.delete(field);
          return result;
        } catch (error) {
          if (!(error instanceof UnexpectedChangesError)) throw error;
          missing = error.changes;
        }
      }
    } finally {
      for (const of of unused) await this.refund(accountId, of);
    }
  }

  private async charge(
    accountId: string,
    { field, member = field }: ProfileChange,
    charged: Set<ProfileChange['field']>,
  ): Promise<void> {
    const { code, limit, seconds } = CHANGE_LIMITS[field];
    const { admitted } = await this.limiter.charge(`profile:${field}`, accountId, limit, seconds);
    if (!admitted) throw validationError(member, code);
    charged.add(field);
  }

  private async refund(accountId: string, of: ProfileChange['field']): Promise<void> {
    const { limit, seconds } = CHANGE_LIMITS[of];
    await this.limiter.refund(`profile:${of}`, accountId, limit, seconds);
  }
}
