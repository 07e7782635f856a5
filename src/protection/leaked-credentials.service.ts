import { Injectable } from '@nestjs/common';
import { AccountService } from '../accounts/account.service.js';
import type { RevocationCause } from '../accounts/events/origin.js';
import { Grants } from '../accounts/grants/grants.service.js';
import { PERSONAL_APPLICATION_ID } from '../accounts/grants/personal-application.js';
import { AuditLog } from '../admin/audit/audit.service.js';
import { leakReporter } from '../admin/audit/operator.js';
import { AdminKeys } from '../admin/keys/admin-keys.service.js';
import { SecurityNotices } from '../auth/notices/security-notices.service.js';
import { SessionService } from '../auth/sessions/sessions.service.js';
import { Log } from '../core/log.js';
import { digest, PERSONAL_TOKEN, SESSION_TOKEN, TOKEN } from '../core/secrets.js';
import { BotTokens } from '../oauth/applications/bot-tokens.service.js';
import { PersonalTokens } from '../oauth/personal-tokens/personal-tokens.service.js';
import { Database, type Tx } from '../platform/database/database.js';
import { ADMIN_KEY, BOT_TOKEN, WEBHOOK_URL } from '../policy/credential.js';
import { WebhookService } from '../webhooks/webhooks.service.js';

type Kind = 'session' | 'bot' | 'personal_access_token' | 'oauth2_token' | 'admin_key' | 'webhook';

/** A possible credential: identified by its digest, or by an ID and the digest of the secret that follows it. */
export interface CredentialClaim {
  readonly kind: Kind;
  readonly id?: string;
  readonly digest: Buffer;
}

/** A valid credential with its owner. The revocation uses its `id`. */
interface ValidCredential extends CredentialClaim {
  readonly id: string;
  readonly ownerId: string;
}

interface FoundRow {
  readonly id: string;
  readonly owner_id: string;
  readonly digest: Buffer;
}

const LEAK_CAUSE: RevocationCause = { by: 'finder', reason: 'leaked' };

/**
 * Finds which claims are valid, with one statement per kind. `$1` are digests and `$2` IDs, if the kind has them. A
 * bot, and what it owns, belongs to the owner of its application.
 */
const FIND_VALID_SQL: Readonly<Record<Kind, string>> = {
  session: 'SELECT id, account_id AS owner_id, digest FROM session WHERE digest = ANY ($1) AND revoked_at IS NULL',
  bot: `SELECT p.id, p.owner_id, t.digest FROM bot_token t JOIN application p ON p.id = t.application_id
    WHERE t.digest = ANY ($1) AND p.id = ANY ($2::bigint[])`,
  personal_access_token: `SELECT id, account_id AS owner_id, digest FROM oauth_token
    WHERE digest = ANY ($1) AND expires_at > now() AND application_id = ${PERSONAL_APPLICATION_ID}`,
  oauth2_token: `SELECT application_id AS id, account_id AS owner_id, digest FROM oauth_token
    WHERE digest = ANY ($1) AND expires_at > now()`,
  admin_key: 'SELECT id, owner_id, digest FROM admin_key WHERE digest = ANY ($1) AND id = ANY ($2::bigint[])',
  webhook: `SELECT w.id, coalesce(p.owner_id, w.owner_id) AS owner_id, w.digest
    FROM webhook w LEFT JOIN application p ON p.id = w.owner_id WHERE w.digest = ANY ($1) AND w.id = ANY ($2::bigint[])`,
};

const MAX_ID = 9223372036854775807n;

/** Parses a reported text, which may start with an authentication scheme such as `Bearer`. */
function parseCredential(found: string): CredentialClaim | null {
  const text = found.trim().split(' ').at(-1) ?? '';
  const webhook = WEBHOOK_URL.exec(text);
  if (webhook) return { kind: 'webhook', id: webhook[1] as string, digest: digest(webhook[2] as string) };
  const bot = BOT_TOKEN.exec(text);
  if (bot) return { kind: 'bot', id: bot[1] as string, digest: digest(bot[2] as string) };
  const key = ADMIN_KEY.exec(text);
  if (key) return { kind: 'admin_key', id: key[1] as string, digest: digest(text) };
  if (SESSION_TOKEN.test(text)) return { kind: 'session', digest: digest(text) };
  if (PERSONAL_TOKEN.test(text)) return { kind: 'personal_access_token', digest: digest(text) };
  return TOKEN.test(text) ? { kind: 'oauth2_token', digest: digest(text) } : null;
}

/**
 * Returns the possible credentials in the reported texts. Texts that do not have the format of a credential are
 * skipped.
 */
export const parseCredentials = (found: readonly string[]): CredentialClaim[] =>
  found.flatMap((one) => parseCredential(one) ?? []).filter(({ id = '0' }) => BigInt(id) <= MAX_ID);

/** Revokes leaked credentials that were reported (web.md section 6). */
@Injectable()
export class LeakedCredentials {
  constructor(
    private readonly database: Database,
    private readonly accounts: AccountService,
    private readonly sessions: SessionService,
    private readonly botTokens: BotTokens,
    private readonly grants: Grants,
    private readonly personalTokens: PersonalTokens,
    private readonly keys: AdminKeys,
    private readonly webhooks: WebhookService,
    private readonly notices: SecurityNotices,
    private readonly audit: AuditLog,
    private readonly log: Log,
  ) {}

  /** Revokes all known credentials. Returns false if some could not be revoked; repeat the call to revoke the rest. */
  async revokeAll(claims: readonly CredentialClaim[], requestId: string): Promise<boolean> {
    let isDone = true;
    for (const kind of Object.keys(FIND_VALID_SQL) as Kind[]) {
      for (const held of await this.findValid(kind, claims)) {
        isDone = (await this.tryRevoke(held, requestId)) && isDone;
      }
    }
    return isDone;
  }

  /** Revokes one credential. A failure does not affect the others. */
  private async tryRevoke(held: ValidCredential, requestId: string): Promise<boolean> {
    try {
      await this.database.transaction((tx) => this.revoke(tx, held, requestId));
      return true;
    } catch (error) {
      this.log.error('revoking a leaked credential failed', { kind: held.kind, error });
      return false;
    }
  }

  private async findValid(kind: Kind, claims: readonly CredentialClaim[]): Promise<ValidCredential[]> {
    const ofKind = claims.filter((claim) => claim.kind === kind);
    if (ofKind.length === 0) return [];
    const ids = ofKind.flatMap(({ id }) => id ?? []);
    const digests = ofKind.map((claim) => claim.digest);
    const values = ids.length > 0 ? [digests, ids] : [digests];
    const rows = await this.database.manager.query<FoundRow[]>(FIND_VALID_SQL[kind], values);
    return rows.map((row) => ({ kind, id: row.id, digest: row.digest, ownerId: row.owner_id }));
  }

  /** Revokes a credential as its owner would, and notifies the owner. Of concurrent reports, only one takes effect. */
  private async revoke(tx: Tx, held: ValidCredential, requestId: string): Promise<void> {
    const { kind, ownerId } = held;
    const owner = await this.accounts.lock(tx, ownerId);
    if (!owner || !(await this.revokeByKind(tx, held))) return;
    await this.notices.send(tx, owner, 'credential_leaked', undefined, { kind });
    await this.audit.record(tx, leakReporter(requestId), {
      action: 'end_leaked_credential',
      target: { type: 'user', id: ownerId },
      metadata: { kind },
    });
  }

  private async revokeByKind(tx: Tx, { kind, id, digest, ownerId }: ValidCredential): Promise<boolean> {
    switch (kind) {
      case 'session':
        return this.sessions.endLeaked(tx, ownerId, digest, LEAK_CAUSE);
      case 'bot':
        return this.botTokens.endLeaked(tx, id, digest, LEAK_CAUSE);
      case 'personal_access_token':
        return this.personalTokens.end(tx, ownerId, id);
      case 'oauth2_token':
        return (await this.grants.revoke(tx, ownerId, [id], LEAK_CAUSE)).length > 0;
      case 'admin_key':
        return this.keys.revokeByDigest(tx, id, digest, LEAK_CAUSE);
      case 'webhook':
        return this.webhooks.rotateLeakedToken(tx, id, digest, LEAK_CAUSE);
    }
  }
}
