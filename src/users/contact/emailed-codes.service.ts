import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ApiError, validationError } from '../../core/errors.js';
import type { FactsOfMail, MailType } from '../../core/names.js';
import { equalsInConstantTime, Keyring, mintFrom } from '../../core/secrets.js';
import type { Tx } from '../../platform/database/database.js';
import { Outbox } from '../../platform/mail/outbox.js';
import type { Device } from '../../platform/mail/templates/words/kinds.js';
import { Limiter } from '../../platform/store/limits.js';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const CODE_SECONDS = 600;
const RESEND_PAUSE_SECONDS = 30;

/** Types of emails that contain a code. */
export type CodeMail = {
  [T in MailType]: FactsOfMail<T> extends { code: string } ? T : never;
}[MailType];

/** A sent code as stored in its ticket. The time is that of the database. */
export interface SentCode {
  readonly digest: string;
  readonly sentAt: string;
}

/** When a code that was just sent expires, and when the next one can be requested. */
export const codeTimes = ({ sentAt }: SentCode) => ({
  expiresAt: new Date(Date.parse(sentAt) + CODE_SECONDS * 1000).toISOString(),
  resendAt: new Date(Date.parse(sentAt) + RESEND_PAUSE_SECONDS * 1000).toISOString(),
});

const mintCode = (): string => mintFrom(ALPHABET, 8).replace(/^.{4}/, '$&-');
const normalizeTypedCode = (typed: string): string => typed.trim().toUpperCase().replaceAll('-', '');

/**
 * Emailed codes of eight letters and digits, and the proofs that a verified code is exchanged for. `context` combines
 * the ticket and the purpose, and a code is only valid in its own context.
 */
@Injectable()
export class EmailedCodes {
  constructor(
    private readonly keyring: Keyring,
    private readonly outbox: Outbox,
    private readonly limiter: Limiter,
  ) {}

  /** @throws ApiError FEATURE_TEMPORARILY_DISABLED without an email transport */
  assertMailEnabled(): void {
    if (!this.outbox.canSend) throw new ApiError('FEATURE_TEMPORARILY_DISABLED');
  }

  /** Emails a new code, which replaces the previous one. */
  async send(
    tx: Tx,
    now: Date,
    context: string,
    mail: { readonly type: CodeMail; readonly to: string; readonly accountId: string; readonly client: Device },
  ): Promise<SentCode> {
    const code = mintCode();
    await this.outbox.enqueue(tx, { ...mail, metadata: { code }, expiresInSeconds: CODE_SECONDS });
    return this.toSentCode(now, context, code);
  }

  /** Stores a code without sending it, so that the response does not reveal that none was sent. */
  createUnsentCode(now: Date, context: string): SentCode {
    return this.toSentCode(now, context, mintCode());
  }

  private toSentCode(now: Date, context: string, code: string): SentCode {
    return { digest: this.digestWithAllKeys(context, code)[0] as string, sentAt: now.toISOString() };
  }

  /** @throws ApiError FEATURE_TEMPORARILY_DISABLED, RATE_LIMITED */
  assertMayResend(sent: SentCode | undefined, now: Date): void {
    this.assertMailEnabled();
    this.assertResendPause(sent, now);
  }

  /** @throws ApiError RATE_LIMITED within 30 s of the last send */
  assertResendPause(sent: SentCode | undefined, now: Date): void {
    const elapsed = sent ? (now.getTime() - Date.parse(sent.sentAt)) / 1000 : RESEND_PAUSE_SECONDS;
    if (elapsed < RESEND_PAUSE_SECONDS) throw this.limiter.retryLaterError(RESEND_PAUSE_SECONDS - elapsed);
  }

  /** @throws ApiError FV(VERIFICATION_CODE_NOT_ISSUED, VERIFICATION_CODE_EXPIRED or INVALID_VERIFICATION_CODE@code) */
  assertCorrectCode(sent: SentCode | undefined, now: Date, context: string, typed: string): void {
    if (!sent) throw validationError('code', 'VERIFICATION_CODE_NOT_ISSUED');
    if (now.getTime() >= Date.parse(sent.sentAt) + CODE_SECONDS * 1000)
      throw validationError('code', 'VERIFICATION_CODE_EXPIRED');
    const stored = Buffer.from(sent.digest, 'hex');
    const isRight = this.digestWithAllKeys(context, typed).some((digest) =>
      equalsInConstantTime(stored, Buffer.from(digest, 'hex')),
    );
    if (!isRight) throw validationError('code', 'INVALID_VERIFICATION_CODE');
  }

  /**
   * Returns the proof of a verified code. It is always the same UUIDv4 for a context, so the server need not store it.
   */
  createProof(context: string): string {
    return this.proofsWithAllKeys(context)[0] as string;
  }

  /** @throws ApiError FV(INVALID_PROOF_TOKEN@member) */
  assertProof(context: string, sent: string, member: string): void {
    const isProof = this.proofsWithAllKeys(context).some((proof) =>
      equalsInConstantTime(Buffer.from(proof), Buffer.from(sent)),
    );
    if (!isProof) throw validationError(member, 'INVALID_PROOF_TOKEN');
  }

  /** Digests under every available key. The first one is stored. */
  private digestWithAllKeys(context: string, code: string): string[] {
    const text = `${context}\0${normalizeTypedCode(code)}`;
    return this.keyring.keys('mailed-code').map(({ bytes }) => createHmac('sha256', bytes).update(text).digest('hex'));
  }

  private proofsWithAllKeys(context: string): string[] {
    return this.keyring.keys('mailed-proof').map(({ bytes }) => {
      const uuid = createHmac('sha256', bytes).update(context).digest().subarray(0, 16);
      uuid[6] = ((uuid[6] as number) & 0x0f) | 0x40;
      uuid[8] = ((uuid[8] as number) & 0x3f) | 0x80;
      return uuid.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    });
  }
}
