import { Injectable } from '@nestjs/common';
import { Config } from '../core/config/config.js';
import { digest, equalsInConstantTime, SESSION_TOKEN, TOKEN } from '../core/secrets.js';
import { snowflakeFault } from '../http/input.js';
import { ADMIN_KEY, BOT_TOKEN, type Credential } from '../policy/credential.js';
import type { AdminKeyIdentity, BearerIdentity, BotIdentity, Identity, SessionIdentity } from '../policy/identity.js';
import { isInactive, toAccount } from './account-facts.js';
import { CredentialLookups } from './credential-lookups.js';
import { mayComeFrom, PERSONAL_APPLICATION_ID } from './grants/personal-application.js';

/**
 * Resolves a credential to an identity or `null`. The result contains no reason for a failure, so none can be disclosed
 * (credentials.md section 1).
 */
@Injectable()
export class IdentityResolver {
  constructor(
    private readonly lookups: CredentialLookups,
    private readonly config: Config,
  ) {}

  get counters() {
    return this.lookups.counters;
  }

  /**
   * Resolves a credential that came from an IP address. Malformed values are rejected without a database query.
   */
  resolve(credential: Credential, address: string): Promise<Identity | null> | null {
    switch (credential.kind) {
      case 'session':
        return SESSION_TOKEN.test(credential.token) ? this.resolveSession(credential.token) : null;
      case 'bot': {
        const [, applicationId, secret] = BOT_TOKEN.exec(credential.token) ?? [];
        return applicationId && secret ? this.resolveBotByDigest(applicationId, digest(secret)) : null;
      }
      case 'bearer':
        return TOKEN.test(credential.token) ? this.resolveBearer(credential.token, address) : null;
      case 'admin-key': {
        const [, keyId] = ADMIN_KEY.exec(credential.token) ?? [];
        // An out-of-range ID would fail the statement for all requests in the same batch.
        return keyId && snowflakeFault(keyId) === undefined
          ? this.resolveAdminKey(keyId, digest(credential.token))
          : null;
      }
      default:
        return null;
    }
  }

  private async resolveSession(token: string): Promise<SessionIdentity | null> {
    const key = digest(token);
    const row = await this.lookups.find('session', key);
    if (!row) return null;
    const { key: _key, sessionId, ...account } = row;
    return { via: 'session', sessionId, digest: key, account: toAccount(account) };
  }

  /** Resolves a session in use by its ID, whatever its current token. */
  async resolveSessionById(sessionId: string): Promise<SessionIdentity | null> {
    const row = await this.lookups.find('held-session', sessionId);
    if (!row) return null;
    const { key: _key, digest: current, ...account } = row;
    return { via: 'session', sessionId, digest: current, account: toAccount(account) };
  }

  /** Resolves a bot by the digest of its secret, which is valid until its token is deleted. */
  async resolveBotByDigest(applicationId: string, secretDigest: Buffer): Promise<BotIdentity | null> {
    const row = await this.lookups.find('bot', secretDigest);
    if (!row || row.applicationId !== applicationId || row.banned) return null;
    const { key: _key, applicationId: _applicationId, tokenId, ...account } = row;
    return { via: 'bot', applicationId, tokenId, digest: secretDigest, account: toAccount(account) };
  }

  private async resolveBearer(token: string, address: string): Promise<BearerIdentity | null> {
    const row = await this.lookups.find('bearer', digest(token));
    if (!row) return null;
    const { key: _key, networks, ...found } = row;
    const { tokenId, familyId, applicationId, scopes, expiresAt, ...account } = found;
    const isPersonal = applicationId === PERSONAL_APPLICATION_ID;
    if (isPersonal && !(this.config.personalTokens.isEnabled && mayComeFrom(address, networks ?? []))) return null;
    return { via: 'bearer', tokenId, familyId, applicationId, scopes, expiresAt, account: toAccount(account) };
  }

  private async resolveAdminKey(keyId: string, key: Buffer): Promise<AdminKeyIdentity | null> {
    const row = await this.lookups.find('admin-key', `${keyId} ${key.toString('hex')}`);
    if (!row || !equalsInConstantTime(row.digest, key)) return null;
    const { key: _key, digest: _digest, keyAcls: acls, ...columns } = row;
    const account = toAccount(columns);
    return isInactive(account) ? null : { via: 'admin-key', keyId, acls, account };
  }
}
