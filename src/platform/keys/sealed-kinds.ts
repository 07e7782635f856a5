import type { Keyring } from '../../core/secrets.js';
import type { Tx } from '../database/database.js';

/** A kind of thing that is stored encrypted, and how one of it is found without reading a table whole. */
interface SealedKind {
  readonly name: string;
  readonly label: string;
  /** Answers `box` and the `context` that it is bound to. */
  readonly sample: string;
}

/** Every kind that a rotation renews, by the names of `KeyRotation`. */
export const SEALED_KINDS: readonly SealedKind[] = [
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

/** What the secret of the service makes of the stored things of a kind that were tried. */
export interface SealedState {
  readonly name: string;
  readonly tried: number;
  readonly opened: number;
}

/** Tries one stored thing of each kind, and all keys of digests; kinds of which nothing is stored are left out. */
export async function sealedStates(tx: Tx, keyring: Keyring): Promise<SealedState[]> {
  const states: SealedState[] = [];
  for (const { name, label, sample } of SEALED_KINDS) {
    const rows = await tx.query<{ box: Buffer; context: string }[]>(sample);
    const opened = rows.filter(({ box, context }) => opens(keyring, label, box, context)).length;
    if (rows.length > 0) states.push({ name, tried: rows.length, opened });
  }
  return states;
}

function opens(keyring: Keyring, label: string, box: Buffer, context: string): boolean {
  try {
    keyring.decrypt(label, box, context);
    return true;
  } catch {
    return false;
  }
}
