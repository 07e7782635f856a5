import { Injectable } from '@nestjs/common';
import { Limiter } from '../../platform/store/limits.js';

/** Attempts at a password or a code by which somebody signed in proves an account (account.md 1.5). */
const ATTEMPTS = { limit: 10, seconds: 900 };

/** The one allowance of an account for all of them: charged before the value is examined, given back by a right one. */
@Injectable()
export class SudoAttempts {
  constructor(private readonly limiter: Limiter) {}

  /** False for a wrong value, and for any once the allowance is spent. */
  async examine(accountId: string, isRight: () => Promise<boolean>): Promise<boolean> {
    const { admitted } = await this.limiter.charge('sudo', accountId, ATTEMPTS.limit, ATTEMPTS.seconds);
    if (!admitted || !(await isRight())) return false;
    await this.limiter.clear('sudo', accountId);
    return true;
  }
}
