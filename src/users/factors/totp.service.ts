import { Injectable } from '@nestjs/common';
import { AccountService } from '../../accounts/account.service.js';
import type { Origin } from '../../accounts/events/origin.js';
import { Factors, parseSecret } from '../../auth/factors/factors.service.js';
import { SecurityNotices } from '../../auth/notices/security-notices.service.js';
import { Standing } from '../../auth/sessions/standing.service.js';
import { SudoAttempts } from '../../auth/sudo/sudo-attempts.service.js';
import { invalid, Refusal } from '../../core/errors.js';
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
    private readonly standing: Standing,
    private readonly attempts: SudoAttempts,
  ) {}

  async enable(me: SessionIdentity, input: EnableTotpInput, origin: Origin) {
    const { account } = me;
    const secret = parseSecret(input.secret);
    if (!secret) throw invalid('secret', 'INVALID_FORMAT');
    if (account.hasTotp) throw new Refusal('TWO_FA_ALREADY_ENABLED');
    if (!account.emailVerified) throw new Refusal('MFA_EMAIL_VERIFICATION_REQUIRED');
    const step = this.factors.stepOf(secret, input.code);
    if (step === null) throw invalid('code', 'INVALID_CODE');
    return this.database.transaction(async (tx) => {
      await this.standing.hold(tx, me);
      if (!(await this.factors.burnStep(account.id, step, tx))) throw invalid('code', 'INVALID_CODE');
      const won = await this.accounts.setTotpSecret(tx, account.id, this.factors.encryptSecret(account.id, secret));
      if (!won) throw new Refusal('TWO_FA_ALREADY_ENABLED');
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
    if (!account.hasTotp) throw new Refusal('TWO_FA_NOT_ENABLED');
    const isRight = () => this.factors.spendCode(account.id, code);
    if (!alreadySpent && !(await this.attempts.examine(account.id, isRight))) throw invalid('code', 'INVALID_CODE');
    await this.database.transaction(async (tx) => {
      const current = await this.standing.hold(tx, me);
      if (!current.hasTotp) throw new Refusal('TWO_FA_NOT_ENABLED');
      await this.accounts.removeTotpSecret(tx, account.id);
      if (current.passkeys === 0) await this.factors.removeBackupCodes(tx, account.id);
      await this.accounts.raiseEpoch(tx, account.id);
      await this.notices.send(tx, current, 'totp_disabled', origin);
    });
  }
}
