import { Injectable } from '@nestjs/common';
import { type FieldCode, invalid } from '../core/errors.js';
import { Limiter } from '../platform/store/limits.js';

interface Control {
  readonly code: FieldCode;
  readonly limit: number;
  readonly seconds: number;
}

const often = (code: FieldCode): Control => ({ code, limit: 25, seconds: 1800 });

/** Limits for changes of the public profile (account.md 2.2, oauth.md 6.6). */
const CONTROLS = {
  username: { code: 'USERNAME_CHANGED_TOO_MANY_TIMES', limit: 5, seconds: 3 * 3600 },
  bio: often('BIO_CHANGED_TOO_MANY_TIMES'),
  pronouns: often('PRONOUNS_CHANGED_TOO_MANY_TIMES'),
  accent_color: often('ACCENT_COLOR_CHANGED_TOO_MANY_TIMES'),
  avatar: often('AVATAR_CHANGED_TOO_MANY_TIMES'),
  banner: often('BANNER_CHANGED_TOO_MANY_TIMES'),
} satisfies Record<string, Control>;

/** A change of a limited field, and the request body member to which an error refers. */
export interface Change {
  readonly of: keyof typeof CONTROLS;
  readonly member?: string;
}

/** Called with the changes that are about to be made, before the first one. */
type Announce = (changes: readonly Change[]) => void;

/** A change that was not expected, because the account has changed in the meantime. */
class Unexpected extends Error {
  constructor(readonly changes: readonly Change[]) {
    super('The allowances of these changes are not charged yet');
  }
}

/** Rate limits for changes of the public profile. */
@Injectable()
export class ChangeControls {
  constructor(private readonly limiter: Limiter) {}

  /**
   * Charges the allowances of the expected changes, then calls `apply`. Changes that `apply` does not make are
   * refunded. The store may be slow, so it is never called while `apply` has locked a row. If `apply` announces an
   * unexpected change, its transaction is rolled back and it is called again.
   * @throws Refusal FV(..._CHANGED_TOO_MANY_TIMES@member)
   */
  async around<T>(
    accountId: string,
    expected: readonly Change[],
    apply: (announce: Announce) => Promise<T>,
  ): Promise<T> {
    const unused = new Set<Change['of']>();
    let made: readonly Change[] = [];
    const announce: Announce = (changes) => {
      const missing = changes.filter(({ of }) => !unused.has(of));
      if (missing.length > 0) throw new Unexpected(missing);
      made = changes;
    };
    try {
      for (let missing = expected; ; ) {
        for (const change of missing) await this.charge(accountId, change, unused);
        try {
          const result = await apply(announce);
          for (const { of } of made) unused.delete(of);
          return result;
        } catch (error) {
          if (!(error instanceof Unexpected)) throw error;
          missing = error.changes;
        }
      }
    } finally {
      for (const of of unused) await this.giveBack(accountId, of);
    }
  }

  private async charge(accountId: string, { of, member = of }: Change, charged: Set<Change['of']>): Promise<void> {
    const { code, limit, seconds } = CONTROLS[of];
    const { admitted } = await this.limiter.charge(`profile:${of}`, accountId, limit, seconds);
    if (!admitted) throw invalid(member, code);
    charged.add(of);
  }

  private async giveBack(accountId: string, of: Change['of']): Promise<void> {
    const { limit, seconds } = CONTROLS[of];
    await this.limiter.giveBack(`profile:${of}`, accountId, limit, seconds);
  }
}
