import { Injectable } from '@nestjs/common';
import { Config } from '../core/config/config.js';
import { Batcher } from '../platform/database/batcher.js';
import { Database } from '../platform/database/database.js';
import { lateralLookupSql } from '../platform/database/lateral-lookup.js';
import type { AccountRow } from '../policy/account.js';
import { ACCOUNT_SQL } from './account-facts.js';
import { withinLimitsSql } from './session-limits.js';

// 5.9: deleted and disabled accounts still resolve; each operation decides.
const accountsByCredential = (liveSession: string) => ({
  session: lateralLookupSql(
    'bytea',
    (digest) => `SELECT s.digest AS key, s.id AS "sessionId", ${ACCOUNT_SQL}
      FROM session s JOIN account a ON a.id = s.account_id
      WHERE s.digest = ${digest} AND ${liveSession}`,
  ),
  /** By session ID, for a credential that stays in use while its token may be rotated. */
  'held-session': lateralLookupSql(
    'bigint',
    (id) => `SELECT s.id AS key, s.digest, ${ACCOUNT_SQL}
      FROM session s JOIN account a ON a.id = s.account_id
      WHERE s.id = ${id} AND ${liveSession}`,
  ),
  bot: lateralLookupSql(
    'bytea',
    (digest) => `SELECT t.digest AS key, t.id AS "tokenId", t.application_id AS "applicationId", ${ACCOUNT_SQL}
      FROM bot_token t JOIN account a ON a.id = t.application_id
      WHERE t.digest = ${digest}`,
  ),
  bearer: lateralLookupSql(
    'bytea',
    (
      digest,
    ) => `SELECT t.digest AS key, t.id AS "tokenId", t.family_id AS "familyId", t.application_id AS "applicationId", t.scopes, t.expires_at AS "expiresAt", p.networks, ${ACCOUNT_SQL}
      FROM oauth_token t JOIN account a ON a.id = t.account_id LEFT JOIN personal_token p ON p.id = t.id
      WHERE t.digest = ${digest} AND t.kind = 'access' AND t.expires_at > now()`,
  ),
  /** By ID and digest in hex, so that a known key with a wrong secret is not found either. */
  'admin-key': `SELECT wanted.key, k.digest, k.acls AS "keyAcls", ${ACCOUNT_SQL}
    FROM unnest($1::text[]) wanted (key)
      JOIN admin_key k ON k.id = split_part(wanted.key, ' ', 1)::bigint
        AND k.digest = decode(split_part(wanted.key, ' ', 2), 'hex') AND (k.expires_at IS NULL OR k.expires_at > now())
      JOIN account a ON a.id = k.owner_id`,
});

type Kind = keyof ReturnType<typeof accountsByCredential>;
type Key = Buffer | string;

type KeyedRow = AccountRow & { readonly key: Key };

interface TokenColumns {
  readonly tokenId: string;
  readonly familyId: string;
  readonly applicationId: string;
  readonly scopes: readonly string[];
  readonly expiresAt: Date;
  /** Null for other access tokens. */
  readonly networks: readonly string[] | null;
}

/** The row that each kind of lookup returns. */
interface LookupRows {
  readonly session: KeyedRow & { readonly sessionId: string };
  readonly 'held-session': KeyedRow & { readonly digest: Buffer };
  readonly bot: KeyedRow & { readonly applicationId: string; readonly tokenId: string };
  readonly bearer: KeyedRow & TokenColumns;
  readonly 'admin-key': KeyedRow & { readonly digest: Buffer; readonly keyAcls: readonly string[] };
}

/** Statements of one kind at a time. Nothing is cached, so nothing can be stale. */
const MAX_IN_FLIGHT = 2;

/** Converts a key to a string for use in a map. */
const keyName = (key: Key): string => (typeof key === 'string' ? key : key.toString('latin1'));

/** Looks up credentials of every kind, joined with all account data that guards need. */
@Injectable()
export class CredentialLookups {
  readonly counters = { statements: 0, lookups: 0 };
  private readonly statements: Readonly<Record<Kind, string>>;
  private readonly batches: { readonly [K in Kind]: Batcher<Key, LookupRows[K] | undefined> };

  constructor(
    private readonly database: Database,
    config: Config,
  ) {
    this.statements = accountsByCredential(`s.revoked_at IS NULL${withinLimitsSql(config, 's')}`);
    this.batches = {
      session: this.batch('session'),
      'held-session': this.batch('held-session'),
      bot: this.batch('bot'),
      bearer: this.batch('bearer'),
      'admin-key': this.batch('admin-key'),
    };
  }

  /** The tables that lookups read, except those of Admin API keys only. */
  get tables(): readonly string[] {
    const { 'admin-key': _, ...statements } = this.statements;
    const read = Object.values(statements).flatMap((text) => [...text.matchAll(/\b(?:FROM|JOIN) ([a-z_]+)\b(?!\()/g)]);
    return [...new Set(read.flatMap(([, table]) => table ?? []))];
  }

  /** Returns the row of a credential, or undefined if it is unknown. Rejects if the database does not respond. */
  find<K extends Kind>(kind: K, key: Key): Promise<LookupRows[K] | undefined> {
    this.counters.lookups++;
    return this.batches[kind].submit(key);
  }

  private batch<K extends Kind>(kind: K): Batcher<Key, LookupRows[K] | undefined> {
    const run = async (keys: readonly Key[]): Promise<(LookupRows[K] | undefined)[]> => {
      this.counters.statements++;
      const names = keys.map(keyName);
      const wanted = [...new Map(names.map((name, place) => [name, keys[place]])).values()];
      const rows = await this.database.statement<LookupRows[K]>(`identity-${kind}`, this.statements[kind], [wanted]);
      const found = new Map(rows.map((row) => [keyName(row.key), row]));
      return names.map((name) => found.get(name));
    };
    return new Batcher(run, { maxInFlight: MAX_IN_FLIGHT });
  }
}
