import type { Keyring } from '../../core/secrets.js';
import type { Tx } from '../database/database.js';

/** A kind of encrypted value, and a query that finds a sample without a full table scan. */
interface EncryptedKind {
  readonly name: string;
  /** Set for extensions only, whose table may not exist yet. */
  readonly table?: string;
  readonly label: string;
  /** A query that returns `box` and the `context` to which it is bound. */
  readonly sample: string;
}

/** All kinds that a rotation re-encrypts, by the same names. */
const registeredKinds: EncryptedKind[] = [
  {
    name: 'authenticator secrets',
    label: 'totp',
    sample: `SELECT totp_secret AS box, id::text AS context FROM account
      WHERE totp_secret IS NOT NULL ORDER BY id LIMIT 1`,
  },
  {
    name: 'mail that waits',
    label: 'outbox',
    sample: `SELECT payload AS box, id::text AS context FROM outbox
      WHERE sent_at IS NULL AND parked_at IS NULL AND payload IS NOT NULL ORDER BY next_attempt_at LIMIT 1`,
  },
  {
    name: 'client secret of single sign-on',
    label: 'sso-client-secret',
    sample: `SELECT decode(value->>'clientSecret', 'base64') AS box, 'sso' AS context FROM instance
      WHERE name = 'sso' AND value->>'clientSecret' IS NOT NULL`,
  },
  {
    name: 'digest keys',
    label: 'digest_keys',
    sample: `SELECT decode(boxes.box, 'base64') AS box, 'digest_keys' AS context
      FROM instance, jsonb_array_elements_text(value->'boxes') AS boxes (box) WHERE name = 'digest_keys'`,
  },
];

export const ENCRYPTED_KINDS: readonly EncryptedKind[] = registeredKinds;

/** A column of an extension's table with encrypted values, each bound to the key of its row. */
export interface EncryptedColumn {
  readonly name: string;
  readonly label: string;
  readonly table: string;
  readonly column: string;
  readonly key: string;
}

const registeredColumns: EncryptedColumn[] = [];

/** Columns that extensions have registered. */
export const encryptedColumns = (): readonly EncryptedColumn[] => registeredColumns;

/** Whether a name is an SQL identifier that needs no quotes. */
const isPlainIdentifier = (name: string): boolean => /^[a-z_][a-z0-9_]*$/.test(name);

/**
 * Registers an encrypted `bytea` column of an extension's table. `keys rotate` re-encrypts its values and `doctor`
 * checks them.
 * @param name the name that `keys rotate` prints, such as "texts of notes"
 * @param where `key`: the primary key, a single column; default `id`
 * @throws Error if a name is invalid or already registered
 */
export function registerEncryptedColumn(
  name: string,
  { table, column, key = 'id' }: { table: string; column: string; key?: string },
): EncryptedColumn {
  if (registeredKinds.some((kind) => kind.name === name) || name.trim() === '')
    throw new Error(`"${name}" cannot be added`);
  if (![table, column, key].every(isPlainIdentifier))
    throw new Error(`${name}: a name of SQL that needs no quotes is wanted`);
  const label = `team:${table}.${column}`;
  if (registeredColumns.some((other) => other.label === label))
    throw new Error(`${table}.${column} is a sealed column already`);
  const added = Object.freeze({ name, label, table, column, key });
  const sample = `SELECT ${column} AS box, ${key}::text AS context FROM ${table}
    WHERE ${column} IS NOT NULL ORDER BY ${key} LIMIT 1`;
  registeredKinds.push({ name, table, label, sample });
  registeredColumns.push(added);
  return added;
}

/** How many of the sampled values of a kind the service's secret decrypts. */
export interface DecryptionCheck {
  readonly name: string;
  readonly tried: number;
  readonly opened: number;
}

/** Tries to decrypt one stored value of each kind, and all digest keys. Kinds without stored values are omitted. */
export async function checkDecryption(tx: Tx, keyring: Keyring): Promise<DecryptionCheck[]> {
  const states: DecryptionCheck[] = [];
  for (const { name, table, label, sample } of ENCRYPTED_KINDS) {
    if (table !== undefined && !(await tableExists(tx, table))) continue;
    const rows = await tx.query<{ box: Buffer; context: string }[]>(sample);
    const opened = rows.filter(({ box, context }) => canDecrypt(keyring, label, box, context)).length;
    if (rows.length > 0) states.push({ name, tried: rows.length, opened });
  }
  return states;
}

async function tableExists(tx: Tx, table: string): Promise<boolean> {
  const [row] = await tx.query<[{ found: string | null }]>('SELECT to_regclass($1)::text AS found', [table]);
  return row.found !== null;
}

function canDecrypt(keyring: Keyring, label: string, box: Buffer, context: string): boolean {
  try {
    keyring.decrypt(label, box, context);
    return true;
  } catch {
    return false;
  }
}
