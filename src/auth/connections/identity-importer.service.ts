import { Injectable } from '@nestjs/common';
import { Snowflakes } from '../../core/snowflake.js';
import type { Tx } from '../../platform/database/database.js';
import { Connections, SSO_CONNECTION } from './connections.service.js';

/** An identity at a provider, by the connection of the provider. */
export interface ProviderIdentity {
  readonly connectionId: string;
  readonly issuer: string;
  readonly subject: string;
}

/** An identity and its account. */
interface LinkedIdentity extends ProviderIdentity {
  readonly accountId: string;
}

/** The tables to insert identities into, and to look them up in. */
export interface IdentityTables {
  readonly ofSso: string;
  readonly ofConnections: string;
  readonly knownOfSso: string;
  readonly knownOfConnections: string;
}

export const IDENTITY_TABLES: IdentityTables = {
  ...{ ofSso: 'sso_identity', ofConnections: 'connection_identity' },
  ...{ knownOfSso: 'sso_identity', knownOfConnections: 'connection_identity' },
};

const isOfSso = ({ connectionId }: ProviderIdentity): boolean => connectionId === SSO_CONNECTION;

/** Imports many identities of single sign-on and of connections with few statements. */
@Injectable()
export class IdentityImporter {
  constructor(
    private readonly connections: Connections,
    private readonly snowflakes: Snowflakes,
  ) {}

  /** Creates the temporary tables of a dry run. They exist until the connection closes or the dry run ends. */
  async createDryRunTables(tx: Tx): Promise<IdentityTables> {
    await tx.query(
      'CREATE TEMP TABLE trial_identity (LIKE sso_identity INCLUDING DEFAULTS INCLUDING IDENTITY INCLUDING INDEXES)',
    );
    await tx.query(
      'CREATE TEMP TABLE trial_connection_identity (LIKE connection_identity INCLUDING DEFAULTS INCLUDING INDEXES)',
    );
    const both = (permanent: string, trial: string) => `(SELECT * FROM ${permanent} UNION ALL SELECT * FROM ${trial})`;
    return {
      ...{ ofSso: 'trial_identity', ofConnections: 'trial_connection_identity' },
      knownOfSso: both('sso_identity', 'trial_identity'),
      knownOfConnections: both('connection_identity', 'trial_connection_identity'),
    };
  }

  async dropDryRunTables(tx: Tx): Promise<void> {
    await tx.query('DROP TABLE IF EXISTS trial_identity');
    await tx.query('DROP TABLE IF EXISTS trial_connection_identity');
  }

  /** Returns the issuers of those of the connections that exist. They cannot be deleted before the end of `tx`. */
  async issuersOf(tx: Tx, connectionIds: readonly string[]): Promise<ReadonlyMap<string, string | null>> {
    if (connectionIds.length === 0) return new Map();
    await tx.query('SELECT 1 FROM connection WHERE id = ANY ($1::text[]) ORDER BY id FOR KEY SHARE', [connectionIds]);
    const wanted = new Set(connectionIds);
    const stored = (await this.connections.read(tx)).filter(({ id }) => wanted.has(id));
    return new Map(stored.map((one) => [one.id, this.connections.issuerOf(one)]));
  }

  /** Returns those of the given identities that are linked to an account. */
  async findAll(tx: Tx, tables: IdentityTables, wanted: readonly ProviderIdentity[]): Promise<LinkedIdentity[]> {
    const [ofSso, others] = split(wanted);
    const found =
      ofSso.length === 0
        ? []
        : await tx.query<LinkedIdentity[]>(
            `SELECT '${SSO_CONNECTION}' AS "connectionId", i.issuer, i.subject, i.account_id AS "accountId"
       FROM ${tables.knownOfSso} i
       JOIN unnest($1::text[], $2::text[]) w (issuer, subject) ON i.issuer = w.issuer AND i.subject = w.subject`,
            [ofSso.map(({ issuer }) => issuer), ofSso.map(({ subject }) => subject)],
          );
    if (others.length === 0) return found;
    const ofConnections = await tx.query<LinkedIdentity[]>(
      `SELECT i.connection_id AS "connectionId", i.issuer, i.subject, i.account_id AS "accountId"
       FROM ${tables.knownOfConnections} i
       JOIN unnest($1::text[], $2::text[], $3::text[]) w (connection_id, issuer, subject)
         ON i.connection_id = w.connection_id AND i.issuer = w.issuer AND i.subject = w.subject`,
      columnsOf(others),
    );
    return [...found, ...ofConnections];
  }

  /**
   * Links identities to accounts that `tx` creates with their traits. Violates a unique index if a parallel request was
   * faster.
   */
  async insertAll(tx: Tx, tables: IdentityTables, rows: readonly LinkedIdentity[]): Promise<void> {
    const [ofSso, others] = split(rows);
    if (ofSso.length > 0) {
      await tx.query(
        `INSERT INTO ${tables.ofSso} (issuer, subject, account_id)
         SELECT i.issuer, i.subject, i.account_id
         FROM unnest($1::text[], $2::text[], $3::bigint[]) AS i (issuer, subject, account_id)`,
        [...columnsOf(ofSso).slice(1), ofSso.map(({ accountId }) => accountId)],
      );
    }
    if (others.length > 0) {
      await tx.query(
        `INSERT INTO ${tables.ofConnections} (connection_id, issuer, subject, account_id, id)
         SELECT i.connection_id, i.issuer, i.subject, i.account_id, i.id
         FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[])
           AS i (connection_id, issuer, subject, account_id, id)`,
        [...columnsOf(others), others.map(({ accountId }) => accountId), others.map(() => this.snowflakes.next())],
      );
    }
  }
}

/** Separates identities of single sign-on from those of connections. */
const split = <T extends ProviderIdentity>(all: readonly T[]): [T[], T[]] => [
  all.filter(isOfSso),
  all.filter((one) => !isOfSso(one)),
];

const columnsOf = (all: readonly ProviderIdentity[]): string[][] => [
  all.map(({ connectionId }) => connectionId),
  all.map(({ issuer }) => issuer),
  all.map(({ subject }) => subject),
];
