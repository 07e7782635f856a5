import { Injectable } from '@nestjs/common';
import { Captchas } from '../../auth/secrets/captchas.service.js';
import { SsoConfigurationTest, type SsoTrialResult } from '../../auth/sso/sso-configuration-test.service.js';
import { ApiError, validationError } from '../../core/errors.js';
import { Database } from '../../platform/database/database.js';
import { Outbox } from '../../platform/mail/outbox.js';
import { CaptchaVerifier } from '../../platform/outbound/captcha.js';
import { Limiter } from '../../platform/store/limits.js';
import { AuditLog, type AuditRecord } from '../audit/audit.service.js';
import type { Operator } from '../audit/operator.js';
import type { CaptchaTestInput } from './instance.dto.js';

const EMAIL_LIMIT = { limit: 5, seconds: 900 };

/** Tests the configured integrations before users depend on them (admin.md section 9). */
@Injectable()
export class IntegrationTests {
  constructor(
    private readonly database: Database,
    private readonly audit: AuditLog,
    private readonly provider: SsoConfigurationTest,
    private readonly outbox: Outbox,
    private readonly captchas: Captchas,
    private readonly verifier: CaptchaVerifier,
    private readonly limiter: Limiter,
  ) {}

  async sso(by: Operator): Promise<SsoTrialResult> {
    const result = await this.provider.run();
    const failed = result.checks.filter(({ ok }) => !ok).map(({ name }) => name);
    await this.recordTest(by, 'test_sso', { ok: result.ok, failed });
    return result;
  }

  /**
   * Sends a test email to the operator. The email address need not be verified, because verification needs working
   * email.
   * @throws ApiError FEATURE_TEMPORARILY_DISABLED without an email transport,
   * FV(USER_DOES_NOT_HAVE_AN_EMAIL_ADDRESS@root), RATE_LIMITED
   */
  async mail(by: Operator) {
    if (!this.outbox.canSend) throw new ApiError('FEATURE_TEMPORARILY_DISABLED');
    const to = by.identity?.account.email ?? null;
    if (to === null) throw validationError('root', 'USER_DOES_NOT_HAVE_AN_EMAIL_ADDRESS');
    await this.limiter.chargeOrThrow('admin:mail-test', by.accountId, EMAIL_LIMIT.limit, EMAIL_LIMIT.seconds);
    const detail = await this.outbox.sendNow({ type: 'mail_test', to, accountId: by.accountId, metadata: {} });
    const ok = detail === null;
    await this.recordTest(by, 'test_mail', { ok });
    return { ok, detail };
  }

  /**
   * Verifies a captcha token, also for accounts that are exempt from captchas.
   * @throws ApiError FEATURE_TEMPORARILY_DISABLED without a captcha provider
   */
  async captcha(by: Operator, { token, type }: CaptchaTestInput, address: string) {
    const { provider } = this.verifier;
    if (provider === 'none') throw new ApiError('FEATURE_TEMPORARILY_DISABLED');
    const ok = await this.captchas.spend(token, type, address);
    await this.recordTest(by, 'test_captcha', { ok, provider: type ?? provider });
    return { ok };
  }

  private recordTest(
    by: Operator,
    action: AuditRecord['action'],
    metadata: Record<string, boolean | string | string[]>,
  ): Promise<void> {
    return this.database.transaction((tx) =>
      this.audit.record(tx, by, { action, target: { type: 'instance' }, metadata }),
    );
  }
}
