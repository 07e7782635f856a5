import { Inject, Injectable } from '@nestjs/common';
import { AccountContact } from '../../accounts/account-contact.service.js';
import { OneTimeSecrets } from '../../auth/secrets/one-time-secrets.service.js';
import { CallerGuard } from '../../auth/sessions/caller-guard.service.js';
import { Clock } from '../../core/clock.js';
import { Config } from '../../core/config/config.js';
import { ApiError } from '../../core/errors.js';
import { Log } from '../../core/log.js';
import { equalsInConstantTime, mintFrom } from '../../core/secrets.js';
import { matchLanguage } from '../../core/text/languages.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { Instance } from '../../platform/instance/instance.js';
import { DigestKeys } from '../../platform/keys/digest-keys.js';
import { SMS_TRANSPORT, type SmsTransport } from '../../platform/mail/sms.js';
import { codeMessage } from '../../platform/mail/templates/text-message.js';
import { Limiter } from '../../platform/store/limits.js';
import { phoneLimitError } from '../../platform/store/rate-limit-errors.js';
import type { SessionIdentity } from '../../policy/identity.js';
import type { PhoneCodeInput } from './phone.dto.js';

const PURPOSE = 'phone-code';
const CODE_SECONDS = 600;
const MAX_WRONG_CODES = 5;
/** Number of accounts that may verify the same phone number. */
const ACCOUNTS_PER_NUMBER = 2;
const SMS_SEND_LIMITS = {
  ofAccount: { limit: 3, seconds: 6 * 3600 },
  ofNumber: { limit: 3, seconds: 5 * 24 * 3600 },
};

interface PendingVerification {
  readonly number: string;
  readonly code: string;
}

declare module '../../core/merged.js' {
  interface SecretPayloads {
    'phone-code': PendingVerification;
  }
}

/** Phone verification (account.md section 5). The phone number itself is never stored. */
@Injectable()
export class PhoneVerification {
  constructor(
    private readonly database: Database,
    private readonly secrets: OneTimeSecrets,
    private readonly callerGuard: CallerGuard,
    private readonly contact: AccountContact,
    private readonly limiter: Limiter,
    private readonly digestKeys: DigestKeys,
    private readonly instance: Instance,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly log: Log,
    @Inject(SMS_TRANSPORT) private readonly transport: SmsTransport | null,
  ) {}

  async send(me: SessionIdentity, phone: string) {
    const { id } = me.account;
    const transport = this.requireTransport();
    this.assertAllowedPrefix(phone);
    const [number] = this.digestKeys.digestWithAllKeys('phone', phone) as [Buffer];
    await this.charge('user', id, SMS_SEND_LIMITS.ofAccount);
    await this.charge('shared', number.toString('hex'), SMS_SEND_LIMITS.ofNumber);
    const code = mintFrom('0123456789', 6);
    const [digest] = this.digestKeys.digestWithAllKeys('phone-code', `${id}\0${phone}\0${code}`) as [Buffer];
    await this.database.transaction(async (tx) => {
      const owner = await this.callerGuard.lockCaller(tx, me);
      await this.secrets.revokeAll(PURPOSE, id, tx);
      const waiting: PendingVerification = { number: number.toString('hex'), code: digest.toString('hex') };
      await this.secrets.issue(PURPOSE, owner, waiting, CODE_SECONDS, { tx, secret: id });
    });
    const { productName } = this.instance.current.branding;
    const text = codeMessage(matchLanguage(me.account.locale), productName, code, CODE_SECONDS);
    try {
      await transport.send({ to: phone, accountId: id, type: 'phone_verification', text, metadata: { code } });
    } catch (error) {
      this.log.warn('text message (SMS) was not delivered', { reason: (error as Error).constructor.name });
      throw new ApiError('SMS_VERIFICATION_UNAVAILABLE');
    }
    return { channel: 'sms' };
  }

  private async charge(scope: 'user' | 'shared', key: string, { limit, seconds }: { limit: number; seconds: number }) {
    const allowance = await this.limiter.charge(`phone:${scope}`, key, limit, seconds);
    if (!allowance.admitted) throw phoneLimitError(allowance, limit, this.clock.now(), scope);
  }

  /** Verifies a code. The attempt is counted before the code is checked. */
  async verify(me: SessionIdentity, { phone, code }: PhoneCodeInput) {
    const { id } = me.account;
    this.requireTransport();
    this.assertAllowedPrefix(phone);
    const issued = await this.secrets.chargeAttempt(PURPOSE, id, MAX_WRONG_CODES);
    const sent = Buffer.from(issued?.payload.code ?? '', 'hex');
    const digests = this.digestKeys.digestWithAllKeys('phone-code', `${id}\0${phone}\0${code.trim()}`);
    if (!digests.some((digest) => equalsInConstantTime(sent, digest))) throw wrongCodeError();
    const isFree = await this.database.transaction((tx) => this.storeVerifiedNumber(tx, me, phone));
    if (!isFree) throw new ApiError('PHONE_ALREADY_USED');
    return { verified: true };
  }

  /**
   * Stores the verified phone number and uses up the code. Returns false if too many accounts already have the phone
   * number.
   */
  private async storeVerifiedNumber(tx: Tx, me: SessionIdentity, phone: string): Promise<boolean> {
    const { id } = await this.callerGuard.lockCaller(tx, me);
    if (!(await this.secrets.consume(PURPOSE, id, tx))) throw wrongCodeError();
    const numbers = this.digestKeys.digestWithAllKeys('phone', phone);
    const [number] = numbers as [Buffer];
    await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 11))', [number.toString('hex')]);
    if ((await this.contact.countPhone(tx, id, numbers)) >= ACCOUNTS_PER_NUMBER) return false;
    await this.contact.confirmPhone(tx, id, number);
    return true;
  }

  private requireTransport(): SmsTransport {
    if (!this.transport) throw new ApiError('SMS_VERIFICATION_UNAVAILABLE');
    return this.transport;
  }

  private assertAllowedPrefix(phone: string): void {
    if (this.config.phoneBlockedPrefixes.some((prefix) => phone.startsWith(prefix))) {
      throw new ApiError('INVALID_PHONE_NUMBER');
    }
  }
}

const wrongCodeError = (): ApiError => new ApiError('INVALID_PHONE_VERIFICATION_CODE');
