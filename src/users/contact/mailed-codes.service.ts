import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { invalid, Refusal } from '../../core/errors.js';
import { Keyring, matches, mintFrom } from '../../core/secrets.js';
import type { Tx } from '../../platform/database/database.js';
import { Outbox } from '../../platform/mail/outbox.js';
import type { Device, MailMetadata } from '../../platform/mail/templates/words/kinds.js';
import { Limiter } from '../../platform/store/limits.js';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const CODE_SECONDS = 600;
const PAUSE_SECONDS = 30;

/** Types of emails that contain a code. */
export type CodeMail = {
  [T in keyof MailMetadata]: MailMetadata[T] extends { code: string } ? T : never;
}[keyof MailMetadata];

/** A sent code as stored in its ticket. The time is that of the database. */
export interface SentCode {
  readonly digest: string;
  readonly sentAt: string;
}

/** When a code that was just sent expires, and when the next one can be requested. */
export const timesOf = ({ sentAt }: SentCode) => ({
  expiresAt: new Date(Date.parse(sentAt) + CODE_SECONDS * 1000).toISOString(),
  resendAt: new Date(Date.parse(sentAt) + PAUSE_SECONDS * 1000).toISOString(),
});

const mintCode = (): string => mintFrom(ALPHABET, 8).replace(/^.{4}/, '$&-');
const normalised = (typed: string): string => typed.trim().toUpperCase().replaceAll('-', '');

/**
 * Emailed codes of eight letters and digits, and the proofs that a verified code is exchanged for. `context` combines
 * the ticket and the purpose, and a code is only valid in its own context.
 */
@Injectable()
export class MailedCodes {
  constructor(
    private readonly keyring: Keyring,
    private readonly outbox: Outbox,
    private readonly limiter: Limiter,
  ) {}

  /** @throws Refusal FEATURE_TEMPORARILY_DISABLED without a mail transport */
  demandMail(): void {
    if (!this.outbox.isOpen) throw new Refusal('FEATURE_TEMPORARILY_DISABLED');
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
    return this.sent(now, context, code);
  }

  /** Stores a code without sending it, so that the response does not reveal that none was sent. */
  pretend(now: Date, context: string): SentCode {
    return this.sent(now, context, mintCode());
  }

  private sent(now: Date, context: string, code: string): SentCode {
    return { digest: this.digestsOf(context, code)[0] as string, sentAt: now.toISOString() };
  }

  /** @throws Refusal FEATURE_TEMPORARILY_DISABLED, RATE_LIMITED */
  demandResend(sent: SentCode | undefined, now: Date): void {
    this.demandMail();
    this.demandPause(sent, now);
  }

  /** @throws Refusal RATE_LIMITED within 30 s of the last send */
  demandPause(sent: SentCode | undefined, now: Date): void {
    const elapsed = sent ? (now.getTime() - Date.parse(sent.sentAt)) / 1000 : PAUSE_SECONDS;
    if (elapsed < PAUSE_SECONDS) throw this.limiter.waiting(PAUSE_SECONDS - elapsed);
  }

  /** @throws Refusal FV(VERIFICATION_CODE_NOT_ISSUED, VERIFICATION_CODE_EXPIRED or INVALID_VERIFICATION_CODE@code) */
  demandRight(sent: SentCode | undefined, now: Date, context: string, typed: string): void {
    if (!sent) throw invalid('code', 'VERIFICATION_CODE_NOT_ISSUED');
    if (now.getTime() >= Date.parse(sent.sentAt) + CODE_SECONDS * 1000)
      throw invalid('code', 'VERIFICATION_CODE_EXPIRED');
    const stored = Buffer.from(sent.digest, 'hex');
    const isRight = this.digestsOf(context, typed).some((digest) => matches(stored, Buffer.from(digest, 'hex')));
    if (!isRight) throw invalid('code', 'INVALID_VERIFICATION_CODE');
  }

  /**
   * Returns the proof of a verified code. It is always the same UUIDv4 for a context, so the server need not store it.
   */
  proof(context: string): string {
    return this.proofsOf(context)[0] as string;
  }

  /** @throws Refusal FV(INVALID_PROOF_TOKEN@member) */
  demandProof(context: string, sent: string, member: string): void {
    const isProof = this.proofsOf(context).some((proof) => matches(Buffer.from(proof), Buffer.from(sent)));
    if (!isProof) throw invalid(member, 'INVALID_PROOF_TOKEN');
  }

  /** Digests under every available key. The first one is stored. */
  private digestsOf(context: string, code: string): string[] {
    const text = `${context}\0${normalised(code)}`;
    return this.keyring.keys('mailed-code').map(({ bytes }) => createHmac('sha256', bytes).update(text).digest('hex'));
  }

  private proofsOf(context: string): string[] {
    return this.keyring.keys('mailed-proof').map(({ bytes }) => {
      const uuid = createHmac('sha256', bytes).update(context).digest().subarray(0, 16);
      uuid[6] = ((uuid[6] as number) & 0x0f) | 0x40;
      uuid[8] = ((uuid[8] as number) & 0x3f) | 0x80;
      return uuid.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    });
  }
}
