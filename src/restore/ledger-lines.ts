import { createHmac, hash } from 'node:crypto';
import { StartError } from '../core/config/start-error.js';
import { equalsInConstantTime } from '../core/secrets.js';

/** Kinds of recorded events. */
export type LedgerKind = 'erased' | 'banned' | 'unbanned' | 'ip_banned' | 'ip_unbanned';

/** One event of an account, or of a banned IP address or range. It contains no readable personal data. */
export interface LedgerLine {
  readonly number: number;
  readonly kind: LedgerKind;
  /** The ID of the account. `null`: the event is about an IP address. */
  readonly account: string | null;
  /** The encrypted IP address or range. Lines of accounts do not have it. */
  readonly network?: string;
  /** The end of a ban in ISO 8601. `null`: none. */
  readonly until: string | null;
}

const FORMAT = /^(\{.*\}) ([0-9a-f]{8})\.([\w-]{43})\n$/;

const idOf = (key: Buffer): string => hash('sha256', key, 'hex').slice(0, 8);
const sign = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** Formats a line: JSON, the ID of the key, and an HMAC-SHA-256 of the JSON. */
export function formatLine({ number, kind, account, network, until }: LedgerLine, key: Buffer): string {
  const json = JSON.stringify({ number, kind, account, network, until });
  return `${json} ${idOf(key)}.${sign(key, json).toString('base64url')}\n`;
}

/** @throws StartError if the line is damaged, forged, moved or of another instance */
export function parseLine(number: number, text: string, keys: readonly Buffer[]): LedgerLine {
  const [, json = '', keyId = '', signature = ''] = FORMAT.exec(text) ?? [];
  if (json === '')
    throw new StartError(`Line ${number} of the ledger is truncated or damaged. Restore it from a copy.`);
  const key = keys.find((candidate) => idOf(candidate) === keyId);
  if (!key) {
    throw new StartError(
      `Line ${number} of the ledger was signed by another instance or with a lost key. Check ERASURE_LEDGER_DIR, and set GATEHOUSE_SECRET_PREVIOUS if the secret has changed.`,
    );
  }
  const line: LedgerLine = JSON.parse(json);
  if (!equalsInConstantTime(sign(key, json), Buffer.from(signature, 'base64url')) || line.number !== number) {
    throw new StartError(`Line ${number} of the ledger has an invalid signature: it was changed or moved.`);
  }
  return line;
}
