import { Injectable } from '@nestjs/common';
import { AccountService } from '../../accounts/account.service.js';
import type { Origin } from '../../accounts/events/origin.js';
import { Factors, parseSecret } from '../../auth/factors/factors.service.js';
import { SecurityNotices } from '../../auth/notices/security-notices.service.js';
import { CallerGuard } from '../../auth/sessions/caller-guard.service.js';
import { SudoAttempts } from '../../auth/sudo/sudo-attempts.service.js';
import { ApiError, validationError } from '../../core/errors.js';
import { Database } from '../../platform/database/database.js';
import type { SessionIdentity } from '../../policy/identity.js';
import type { EnableTotpInput } from './totp.dto.js';

/** Sets up and removes an authenticator app (account.md 6.1). */
@Injectable()
export class TotpService {
  constructor(
    private readonly database: Database,
    private readonly accounts: AccountService,
    private readonly factors: Factors,
    private readonly notices: SecurityNotices,
    private readonly callerGuard: CallerGuard,
    private readonly attempts: SudoAttempts,
  ) {}

  async enable(me: SessionIdentity, input: EnableTotpInput, origin: Origin) {
    const { account } = me;
    const secret = parseSecret(input.secret);
    if (!secret) throw validationError('secret', 'INVALID_FORMAT');
    if (account.hasTotp) throw new ApiError('TWO_FA_ALREADY_ENABLED');
    if (!account.emailVerified) throw new ApiError('MFA_EMAIL_VERIFICATION_REQUIRED');
    const step = this.factors.findStep(secret, input.code);
    if (step === null) throw validationError('code', 'INVALID_CODE');
    return this.database.transaction(async (tx) => {
      await this.callerGuard.lockCaller(tx, me);
      if (!(await this.factors.consumeStep(account.id, step, tx))) throw validationError('code', 'INVALID_CODE');
      const won = await this.accounts.setTotpSecret(tx, account.id, this.factors.encryptSecret(account.id, secret));
      if (!won) throw new ApiError('TWO_FA_ALREADY_ENABLED');
      await this.notices.send(tx, account, 'totp_enabled', origin);
      return { backup_codes: await this.factors.renewBackupCodes(tx, account.id) };
    });
  }

  /**
   * Removes the authenticator app.
   * @param alreadySpent the same code was the sudo factor of this request, so it counts for both
   */
  async disable(me: SessionIdentity, code: string, alreadySpent: boolean, origin: Origin): Promise<void> {
    const { account } = me;
    if (!account.hasTotp) throw new ApiError('TWO_FA_NOT_ENABLED');
    const isRight = () => this.factors.spendCode(account.id, code);
    if (!alreadySpent && !(await this.attempts.verify(account.id, isRight)))
      throw validationError('code', 'INVALID_CODE');
    await this.database.transaction(async (tx) => {
      const current = await this.callerGuard.lockCaller(tx, me);
      if (!current.hasTotp) throw new ApiError('TWO_FA_NOT_ENABLED');
      await this.accounts.removeTotpSecret(tx, account.id);
      if (current.passkeys === 0) await this.factors.removeBackupCodes(tx, account.id);
      await this.accounts.incrementEpoch(tx, account.id);
      await this.notices.send(tx, current, 'totp_disabled', origin);
    });
  }
}
