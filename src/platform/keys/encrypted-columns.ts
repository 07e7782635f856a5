import { StartError } from '../../core/config/start-error.js';
import type { Keyring } from '../../core/secrets.js';
import type { EncryptedColumnDeclaration } from '../../policy/feature.js';
import type { FeatureRegistry } from '../../policy/feature-registry.js';
import type { Tx } from '../database/database.js';

/** A kind of encrypted value, and queries for its values. */
interface EncryptedKind {
  readonly name: string;
  /** Set for extensions only, whose table may not exist yet. */
  readonly table?: string;
  readonly label: string;
  /** A query that returns each `box` and the `context` to which it is bound. */
  readonly all: string;
  /** The end of the query that finds a sample without a full table scan. */
  readonly first: string;
}

/** The built-in kinds that a rotation re-encrypts, by the same names. */
export const BUILT_IN_KINDS: readonly EncryptedKind[] = [
  {
    name: 'authenticator secrets',
    label: 'totp',
    all: 'SELECT totp_secret AS box, id::text AS context FROM account WHERE totp_secret IS NOT NULL',
    first: 'ORDER BY id LIMIT 1',
  },
  {
    name: 'queued email',
    label: 'outbox',
    all: 'SELECT payload AS box, id::text AS context FROM outbox WHERE payload IS NOT NULL',
    first: 'AND sent_at IS NULL AND parked_at IS NULL ORDER BY next_attempt_at LIMIT 1',
  },
  {
    name: 'client secret of single sign-on',
    label: 'sso-client-secret',
    all: `SELECT decode(value->>'clientSecret', 'base64') AS box, 'sso' AS context FROM instance
      WHERE name = 'sso' AND value->>'clientSecret' IS NOT NULL`,
    first: '',
  },
  {
    name: 'digest keys',
    label: 'digest_keys',
    all: `SELECT decode(boxes.box, 'base64') AS box, 'digest_keys' AS context
      FROM instance, jsonb_array_elements_text(value->'boxes') AS boxes (box) WHERE name = 'digest_keys'`,
    first: '',
  },
];

/** An encrypted column of a feature. */
export interface EncryptedColumn extends Required<EncryptedColumnDeclaration> {
  readonly name: string;
  readonly label: string;
}

type Columns = FeatureRegistry['encryptedColumns'];

/** @throws Error if no feature declares an encrypted column of this name */
export function requireEncryptedColumn(columns: Columns, name: string): EncryptedColumn {
  const declared = columns.get(name);
  if (!declared) throw new Error(`Unknown encrypted column ${name}. Declare it in encryptedColumns of a feature`);
  const { table, column, key = 'id' } = declared;
  return { name, label: `team:${table}.${column}`, table, column, key };
}

/** @throws StartError if a feature uses the name of a built-in kind, which `keys rotate` could not tell apart */
export function assertFreeColumnNames(columns: Columns): void {
  const taken = BUILT_IN_KINDS.find(({ name }) => columns.has(name));
  if (taken) throw new StartError(`The encrypted column "${taken.name}" exists already. Rename it`);
}

/** All encrypted columns of features. */
export const encryptedColumns = (columns: Columns): EncryptedColumn[] =>
  [...columns.keys()].map((name) => requireEncryptedColumn(columns, name));

const kindOf = ({ name, label, table, column, key }: EncryptedColumn): EncryptedKind => ({
  ...{ name, table, label },
  all: `SELECT ${column} AS box, ${key}::text AS context FROM ${table} WHERE ${column} IS NOT NULL`,
  first: `ORDER BY ${key} LIMIT 1`,
});

const kindsWith = (columns: Columns): EncryptedKind[] => [...BUILT_IN_KINDS, ...encryptedColumns(columns).map(kindOf)];

/** How many of the sampled values of a kind the service's secret decrypts. */
export interface DecryptionCheck {
  readonly name: string;
  readonly tried: number;
  readonly opened: number;
}

/** Tries to decrypt one stored value of each kind, and all digest keys. Kinds without stored values are omitted. */
export async function checkDecryption(tx: Tx, keyring: Keyring, columns: Columns): Promise<DecryptionCheck[]> {
  const states: DecryptionCheck[] = [];
  for (const { name, table, label, all, first } of kindsWith(columns)) {
    if (table !== undefined && !(await tableExists(tx, table))) continue;
    const rows = await tx.query<{ box: Buffer; context: string }[]>(`${all} ${first}`);
    const opened = rows.filter(({ box, context }) => canDecrypt(keyring, label, box, context)).length;
    if (rows.length > 0) states.push({ name, tried: rows.length, opened });
  }
  return states;
}

/** Counts the stored values of each kind that another secret than the current one encrypted. It reads whole tables. */
export async function countOutdatedValues(tx: Tx, keyring: Keyring, columns: Columns): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const { name, table, label, all } of kindsWith(columns)) {
    if (table !== undefined && !(await tableExists(tx, table))) continue;
    const [{ count }] = await tx.query<[{ count: number }]>(
      `SELECT count(*)::int AS count FROM (${all}) AS stored WHERE substring(box FROM 1 FOR 4) <> decode($1, 'hex')`,
      [keyring.signing(label).id],
    );
    counts.set(name, count);
  }
  return counts;
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
