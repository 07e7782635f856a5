import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-128-ecb';
const BLOCK_BYTES = 16;
const ACCOUNT_AT = 8;
/** Zero bytes at the start of a block. They identify the key, because a block of another key starts with random bytes. */
const MARK = Buffer.alloc(3);

/**
 * IDs of stored sessions: one encrypted block of 40 random bits and the ID of the account. So a process can compute the
 * keys of a session from its ID, although a Resume may name the session of another account.
 */
export class SessionIds {
  private readonly keys: readonly Buffer[];

  /** The first secret creates IDs, all read them. */
  constructor(secrets: readonly Buffer[]) {
    this.keys = secrets.map((secret) =>
      Buffer.from(hkdfSync('sha256', secret, 'gatehouse', 'IDs of gateway sessions', BLOCK_BYTES)),
    );
  }

  /** Returns 32 hex digits. */
  create(accountId: string): string {
    const block = randomBytes(BLOCK_BYTES);
    MARK.copy(block);
    block.writeBigUInt64BE(BigInt(accountId), ACCOUNT_AT);
    const [key = Buffer.alloc(0)] = this.keys;
    return createCipheriv(ALGORITHM, key, null).setAutoPadding(false).update(block).toString('hex');
  }

  /** Returns the account of a session. An ID that was not created here leads to an account without sessions. */
  accountOf(id: string): string {
    const blocks = this.keys.map((key) =>
      createDecipheriv(ALGORITHM, key, null).setAutoPadding(false).update(id, 'hex'),
    );
    // A block without the mark comes from a version that had only one key.
    const block = blocks.find((candidate) => candidate.subarray(0, MARK.length).equals(MARK)) ?? blocks[0];
    return String(block?.readBigUInt64BE(ACCOUNT_AT));
  }
}
