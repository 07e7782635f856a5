import { randomInt } from 'node:crypto';
import { AdminApplication } from '../../src/accounts/grants/admin-application.service.js';
import { digest, mintSessionToken, mintToken, randomLetters } from '../../src/core/secrets.js';
import { Snowflakes } from '../../src/core/snowflake.js';
import type { Gatehouse } from './gatehouse.js';

/** A new account with a credential of every kind, as `Authorization` values. */
export interface CredentialSet {
  readonly accountId: string;
  readonly applicationId: string;
  readonly session: string;
  readonly bot: string;
  /** The token of an ordinary application, with the requested scopes. */
  readonly bearer: string;
  /** The token of the built-in Admin application. */
  readonly adminBearer: string;
  readonly adminKey: string;
}

/** Options of `createCredentialSet`. */
export interface CredentialSetOptions {
  readonly scopes?: readonly string[];
  /** The ACLs of the account, and of the key unless `keyAcls` is set. */
  readonly acls?: readonly string[];
  readonly keyAcls?: readonly string[];
  /** Suspicious-activity bits of the account and of the bot. */
  readonly suspicious?: number;
  readonly traits?: readonly string[];
  readonly flags?: bigint;
}

/** Inserts everything with one statement, because some suites need many sets. */
const INSERT = `
  WITH person AS (
    INSERT INTO account (id, bot, username, discriminator, suspicious_flags, traits, acls, flags, created_at)
    VALUES ($1::bigint, false, 'u' || $1::bigint, $6, $7, $8::text[], $9::text[], $10, now()),
      ($2::bigint, true, 'u' || $2::bigint, $6, $7, $8::text[], '{}', $10, now())
  ), settings AS (
    INSERT INTO account_settings (account_id) VALUES ($1)
  ), signed_in AS (
    INSERT INTO session (id, digest, account_id, ip) VALUES ($3, $14, $1, '127.0.0.1')
  ), robot AS (
    INSERT INTO application (id, owner_id, name, client_type, bot_digest, bot_preview, bot_created_at)
    VALUES ($2, $1, 'Robot', 'confidential', $15, $13, now())
  ), key AS (
    INSERT INTO admin_key (id, digest, name, acls, owner_id) VALUES ($4, $16, 'key', $11::text[], $1)
  ), family AS (
    INSERT INTO oauth_family (id, application_id, account_id, scopes, code_digest)
    VALUES ($19, $2, $1, $12::text[], $17), ($20, $5, $1, '{identify,email}', $18)
  )
  INSERT INTO oauth_token (id, digest, kind, family_id, application_id, account_id, scopes, expires_at)
  VALUES ($21, $17, 'access', $19, $2, $1, $12::text[], now() + interval '1 hour'),
    ($22, $18, 'access', $20, $5, $1, '{identify,email}', now() + interval '1 hour')`;

/**
 * Inserts credentials of all kinds directly into the tables, for suites that need hundreds of them. All other tests
 * obtain their credentials through the API.
 */
export async function createCredentialSet(
  service: Gatehouse,
  options: CredentialSetOptions = {},
): Promise<CredentialSet> {
  const { scopes = [], acls = [], keyAcls = acls, suspicious = 0, traits = [], flags = 0n } = options;
  const snowflakes = service.app.get(Snowflakes);
  const [accountId, sessionId, applicationId, keyId] = [1, 2, 3, 4].map(() => snowflakes.next()) as [
    ...[string, string, string, string],
  ];
  const adminApplicationId = service.app.get(AdminApplication).id;
  const session = mintSessionToken();
  const botSecret = mintToken();
  const key = `fa_${keyId}_${randomLetters(32)}`;
  const [bearer, adminBearer] = [mintToken(), mintToken()];
  await service.sql(INSERT, [
    ...[accountId, applicationId, sessionId, keyId, adminApplicationId, randomInt(1, 9999)],
    ...[suspicious, [...traits], [...acls], String(flags), [...keyAcls], [...scopes], botSecret.slice(0, 8)],
    ...[session, botSecret, key, bearer, adminBearer].map(digest),
    ...[1, 2, 3, 4].map(() => snowflakes.next()),
  ]);
  return {
    ...{ accountId, applicationId, session },
    bot: `Bot ${applicationId}.${botSecret}`,
    bearer: `Bearer ${bearer}`,
    adminBearer: `Bearer ${adminBearer}`,
    adminKey: `Admin ${key}`,
  };
}
