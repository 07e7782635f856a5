import { Injectable } from '@nestjs/common';
import { Limiter } from '../../platform/store/limits.js';

/** Limit for attempts at a password or code by a signed-in user (account.md 1.5). */
const ATTEMPT_LIMIT = { limit: 10, seconds: 900 };

/**
 * One limit per account for all these attempts. An attempt is charged before it is verified, and a correct one resets
 * the limit.
 */
@Injectable()
export class SudoAttempts {
  constructor(private readonly limiter: Limiter) {}

  /** Returns false for a wrong value, and for every value if no attempts are left. */
  async verify(accountId: string, isRight: () => Promise<boolean>): Promise<boolean> {
    const { admitted } = await this.limiter.charge('sudo', accountId, ATTEMPT_LIMIT.limit, ATTEMPT_LIMIT.seconds);
    if (!admitted || !(await isRight())) return false;
    await this.limiter.reset('sudo', accountId);
    return true;
  }
}
