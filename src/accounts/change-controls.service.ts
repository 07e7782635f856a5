import { Injectable } from '@nestjs/common';
import { type FieldCode, invalid } from '../core/errors.js';
import { Limiter } from '../platform/store/limits.js';

interface Control {
  readonly code: FieldCode;
  readonly limit: number;
  readonly seconds: number;
}

const often = (code: FieldCode): Control => ({ code, limit: 25, seconds: 1800 });

/** How often what others see of an account may change (account.md 2.2, oauth.md 6.6). */
const CONTROLS = {
  username: { code: 'USERNAME_CHANGED_TOO_MANY_TIMES', limit: 5, seconds: 3 * 3600 },
  bio: often('BIO_CHANGED_TOO_MANY_TIMES'),
  pronouns: often('PRONOUNS_CHANGED_TOO_MANY_TIMES'),
  accent_color: often('ACCENT_COLOR_CHANGED_TOO_MANY_TIMES'),
  avatar: often('AVATAR_CHANGED_TOO_MANY_TIMES'),
  banner: often('BANNER_CHANGED_TOO_MANY_TIMES'),
} satisfies Record<string, Control>;

/** A change of what has a control, and the member of the body that asks for it. */
export interface Change {
  readonly of: keyof typeof CONTROLS;
  readonly member?: string;
}

/** Allowances for changes that show. Nothing is charged unless all of them are there. */
@Injectable()
export class ChangeControls {
  constructor(private readonly limiter: Limiter) {}

  /**
   * For values that differ from those that are stored. Call it when nothing else can refuse any more: what is refused
   * is no change.
   * @throws Refusal FV(..._CHANGED_TOO_MANY_TIMES@member)
   */
  async charge(accountId: string, changes: readonly Change[]): Promise<void> {
    for (const charged of [false, true]) {
      for (const { of, member = of } of changes) {
        const { code, limit, seconds } = CONTROLS[of];
        const name = `profile:${of}`;
        const { admitted, remaining } = charged
          ? await this.limiter.charge(name, accountId, limit, seconds)
          : await this.limiter.room(name, accountId, limit, seconds);
        if (!admitted || (!charged && remaining < 1)) throw invalid(member, code);
      }
    }
  }
}
