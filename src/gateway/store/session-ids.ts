import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-128-ecb';
const BLOCK_BYTES = 16;
const ACCOUNT_AT = 8;

/**
 * IDs of stored sessions: one encrypted block of 64 random bits and the ID of the account. So a process can compute the
 * keys of a session from its ID, although a Resume may name the session of another account.
 */
export class SessionIds {
  private readonly key: Buffer;

  constructor(secret: Buffer | string) {
    this.key = Buffer.from(hkdfSync('sha256', secret, 'gatehouse', 'IDs of gateway sessions', BLOCK_BYTES));
  }

  /** Returns 32 hex digits. */
  create(accountId: string): string {
    const block = randomBytes(BLOCK_BYTES);
    block.writeBigUInt64BE(BigInt(accountId), ACCOUNT_AT);
    return createCipheriv(ALGORITHM, this.key, null).setAutoPadding(false).update(block).toString('hex');
  }

  /** Returns the account of a session. An ID that was not created here leads to an account without sessions. */
  accountOf(id: string): string {
    const decipher = createDecipheriv(ALGORITHM, this.key, null).setAutoPadding(false);
    return String(decipher.update(id, 'hex').readBigUInt64BE(ACCOUNT_AT));
  }
}
