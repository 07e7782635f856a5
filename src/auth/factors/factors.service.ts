import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Secret, TOTP } from 'otpauth';
import { Account } from '../../accounts/account.entities.js';
import { Clock } from '../../core/clock.js';
import { Log } from '../../core/log.js';
import { Keyring, mintFrom } from '../../core/secrets.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { DigestKeys } from '../../platform/keys/digest-keys.js';
import { KeyRotation } from '../../platform/keys/key-rotation.js';
import { BackupCode } from '../records/auth.entities.js';

const PERIOD_SECONDS = 30;
const BACKUP_CODE_COUNT = 10;
const BACKUP_ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';

export interface BackupCodeView {
  readonly code: string | null;
  readonly consumed: boolean;
}

/** Decodes a Base32 secret as a user typed it. Returns `null` if it is invalid or not `least` to 64 bytes long. */
export function parseSecret(text: string, least = 16): Secret | null {
  const base32 = text.replace(/[\s-]/g, '').replace(/=+$/, '').toUpperCase();
  if (!/^[A-Z2-7]+$/.test(base32)) return null;
  const secret = Secret.fromBase32(base32);
  return secret.bytes.length >= least && secret.bytes.length <= 64 ? secret : null;
}

/** Typed second factors: TOTP (RFC 6238) and backup codes. Each code works once. */
@Injectable()
export class Factors {
  constructor(
    private readonly database: Database,
    private readonly keyring: Keyring,
    private readonly digestKeys: DigestKeys,
    private readonly clock: Clock,
    private readonly log: Log,
    rotation: KeyRotation,
  ) {
    rotation.addColumn('authenticator secrets', 'totp', 'account', 'totp_secret');
  }

  /** Returns the time step at which `code` is valid for `secret`, with a tolerance of one step, or `null`. */
  findStep(secret: Secret, code: string): number | null {
    const digits = code.replace(/ /g, '');
    if (!/^[0-9]{6}$/.test(digits)) return null;
    const totp = new TOTP({ secret, algorithm: 'SHA1', digits: 6, period: PERIOD_SECONDS });
    const timestamp = this.clock.now();
    const delta = totp.validate({ token: digits, timestamp, window: 1 });
    return delta === null ? null : Math.floor(timestamp / 1000 / PERIOD_SECONDS) + delta;
  }

  /** Marks a step and all earlier ones as used. Returns false if the step was used before. */
  async consumeStep(accountId: string, step: number, tx: Tx = this.database.manager): Promise<boolean> {
    const { affected } = await tx
      .createQueryBuilder()
      .update(Account)
      .set({ totpLastStep: String(step) })
      .where('id = :accountId AND totp_last_step < :step', { accountId, step })
      .execute();
    return affected === 1;
  }

  encryptSecret(accountId: string, secret: Secret): Buffer {
    return this.keyring.encrypt('totp', secret.base32, accountId);
  }

  /**
   * Returns `null` if the account has no authenticator or if the key of its secret is lost. Then every code is invalid.
   */
  async secretOf(accountId: string, tx: Tx = this.database.manager): Promise<Secret | null> {
    const row = await tx.findOne(Account, { where: { id: accountId }, select: { id: true, totpSecret: true } });
    if (!row?.totpSecret) return null;
    try {
      return Secret.fromBase32(this.keyring.decrypt('totp', row.totpSecret, accountId));
    } catch {
      this.log.error('GATEHOUSE_SECRET cannot decrypt the secret of an authenticator app', { account: accountId });
      return null;
    }
  }

  /** Spends a TOTP code or an unused backup code. Of parallel calls with one code, exactly one succeeds. */
  async spendCode(accountId: string, code: string, tx: Tx = this.database.manager): Promise<boolean> {
    const secret = await this.secretOf(accountId, tx);
    const step = secret && this.findStep(secret, code);
    if (step !== null) return this.consumeStep(accountId, step, tx);
    return this.spendBackupCode(accountId, code, tx);
  }

  async spendBackupCode(accountId: string, code: string, tx: Tx = this.database.manager): Promise<boolean> {
    const { affected } = await tx
      .createQueryBuilder()
      .update(BackupCode)
      .set({ consumedAt: () => 'now()' })
      .where('account_id = :accountId AND digest = ANY (:digests) AND consumed_at IS NULL', {
        accountId,
        digests: this.digestsOf(accountId, code),
      })
      .execute();
    return affected === 1;
  }

  /** Whether the account has an unused backup code. */
  hasBackupCodes(accountId: string, tx: Tx = this.database.manager): Promise<boolean> {
    return tx
      .createQueryBuilder(BackupCode, 'b')
      .where('b.account_id = :accountId AND b.consumed_at IS NULL', { accountId })
      .getExists();
  }

  /**
   * Returns the backup codes in their original order. Only their state is known, because the codes are stored as
   * digests.
   */
  async backupCodesOf(accountId: string, tx: Tx = this.database.manager): Promise<BackupCodeView[]> {
    const codes = await tx.find(BackupCode, { where: { accountId }, order: { position: 'ASC' } });
    return codes.map(({ consumedAt }) => ({ code: null, consumed: consumedAt !== null }));
  }

  /** Replaces the backup codes of the account. The returned codes are shown only once. */
  async renewBackupCodes(tx: Tx, accountId: string): Promise<BackupCodeView[]> {
    const codes = new Set<string>();
    while (codes.size < BACKUP_CODE_COUNT) codes.add(mintFrom(BACKUP_ALPHABET, 8).replace(/^.{4}/, '$&-'));
    await tx.delete(BackupCode, { accountId });
    await tx.insert(
      BackupCode,
      [...codes].map((code, position) => ({
        accountId,
        digest: this.digestsOf(accountId, code)[0] as Buffer,
        position,
      })),
    );
    return [...codes].map((code) => ({ code, consumed: false }));
  }

  async removeBackupCodes(tx: Tx, accountId: string): Promise<void> {
    await tx.delete(BackupCode, { accountId });
  }

  /** HMAC digests with every current key. The first one is the one to store. */
  private digestsOf(accountId: string, code: string): Buffer[] {
    const normal = code.toLowerCase().replace(/[^a-z0-9]/g, '');
    return this.digestKeys
      .keysFor('backup-code')
      .map((key) => createHmac('sha256', key).update(`${accountId}\0${normal}`).digest());
  }
}
