import { Injectable } from '@nestjs/common';
import { AccountService } from '../accounts/account.service.js';
import type { Ending } from '../accounts/events/origin.js';
import { Grants } from '../accounts/grants/grants.service.js';
import { AuditLog } from '../admin/audit/audit.service.js';
import { theFinder } from '../admin/audit/operator.js';
import { AdminKeys } from '../admin/keys/admin-keys.service.js';
import { SecurityNotices } from '../auth/notices/security-notices.service.js';
import { SessionService } from '../auth/sessions/sessions.service.js';
import { Log } from '../core/log.js';
import { digest, SESSION_TOKEN, TOKEN } from '../core/secrets.js';
import { Bots } from '../oauth/applications/bots.service.js';
import { Database, type Tx } from '../platform/database/database.js';
import { ADMIN_KEY, BOT_TOKEN, WEBHOOK_ADDRESS } from '../policy/credential.js';
import { WebhookService } from '../webhooks/webhooks.service.js';

type Kind = 'session' | 'bot' | 'oauth2_token' | 'admin_key' | 'webhook';

/** A possible credential: identified by its digest, or by an ID and the digest of the secret that follows it. */
export interface Claim {
  readonly kind: Kind;
  readonly id?: string;
  readonly digest: Buffer;
}

/** A valid credential with its owner. The revocation uses its `id`. */
interface Held extends Claim {
  readonly id: string;
  readonly ownerId: string;
}

interface FoundRow {
  readonly id: string;
  readonly owner_id: string;
  readonly digest: Buffer;
}

const ENDING: Ending = { by: 'finder', reason: 'leaked' };

/**
 * Finds which claims are valid, with one statement per kind. `$1` are digests and `$2` IDs, if the kind has them. A
 * bot, and what it owns, belongs to the owner of its application.
 */
const HELD: Readonly<Record<Kind, string>> = {
  session: 'SELECT id, account_id AS owner_id, digest FROM session WHERE digest = ANY ($1) AND revoked_at IS NULL',
  bot: 'SELECT id, owner_id, bot_digest AS digest FROM application WHERE bot_digest = ANY ($1) AND id = ANY ($2::bigint[])',
  oauth2_token: `SELECT application_id AS id, account_id AS owner_id, digest FROM oauth_token
    WHERE digest = ANY ($1) AND expires_at > now()`,
  admin_key: 'SELECT id, owner_id, digest FROM admin_key WHERE digest = ANY ($1) AND id = ANY ($2::bigint[])',
  webhook: `SELECT w.id, coalesce(p.owner_id, w.owner_id) AS owner_id, w.digest
    FROM webhook w LEFT JOIN application p ON p.id = w.owner_id WHERE w.digest = ANY ($1) AND w.id = ANY ($2::bigint[])`,
};

const MAX_ID = 9223372036854775807n;

/** Parses a reported text, which may start with an authentication scheme such as `Bearer`. */
function claimOf(found: string): Claim | null {
  const text = found.trim().split(' ').at(-1) ?? '';
  const webhook = WEBHOOK_ADDRESS.exec(text);
  if (webhook) return { kind: 'webhook', id: webhook[1] as string, digest: digest(webhook[2] as string) };
  const bot = BOT_TOKEN.exec(text);
  if (bot) return { kind: 'bot', id: bot[1] as string, digest: digest(bot[2] as string) };
  const key = ADMIN_KEY.exec(text);
  if (key) return { kind: 'admin_key', id: key[1] as string, digest: digest(text) };
  if (SESSION_TOKEN.test(text)) return { kind: 'session', digest: digest(text) };
  return TOKEN.test(text) ? { kind: 'oauth2_token', digest: digest(text) } : null;
}

/**
 * Returns the possible credentials in the reported texts. Texts that do not have the format of a credential are
 * skipped.
 */
export const claimsIn = (found: readonly string[]): Claim[] =>
  found.flatMap((one) => claimOf(one) ?? []).filter(({ id = '0' }) => BigInt(id) <= MAX_ID);

/** Revokes leaked credentials that were reported (web.md section 6). */
@Injectable()
export class LeakedCredentials {
  constructor(
    private readonly database: Database,
    private readonly accounts: AccountService,
    private readonly sessions: SessionService,
    private readonly bots: Bots,
    private readonly grants: Grants,
    private readonly keys: AdminKeys,
    private readonly webhooks: WebhookService,
    private readonly notices: SecurityNotices,
    private readonly audit: AuditLog,
    private readonly log: Log,
  ) {}

  /** Revokes all known credentials. Returns false if some could not be revoked; repeat the call to revoke the rest. */
  async endAll(claims: readonly Claim[], requestId: string): Promise<boolean> {
    let isDone = true;
    for (const kind of Object.keys(HELD) as Kind[]) {
      for (const held of await this.heldOf(kind, claims)) {
        isDone = (await this.isDealtWith(held, requestId)) && isDone;
      }
    }
    return isDone;
  }

  /** Revokes one credential. A failure does not affect the others. */
  private async isDealtWith(held: Held, requestId: string): Promise<boolean> {
    try {
      await this.database.transaction((tx) => this.end(tx, held, requestId));
      return true;
    } catch (error) {
      this.log.error('a leaked credential could not be ended', { kind: held.kind, error });
      return false;
    }
  }

  private async heldOf(kind: Kind, claims: readonly Claim[]): Promise<Held[]> {
    const ofKind = claims.filter((claim) => claim.kind === kind);
    if (ofKind.length === 0) return [];
    const ids = ofKind.flatMap(({ id }) => id ?? []);
    const digests = ofKind.map((claim) => claim.digest);
    const values = ids.length > 0 ? [digests, ids] : [digests];
    const rows = await this.database.manager.query<FoundRow[]>(HELD[kind], values);
    return rows.map((row) => ({ kind, id: row.id, digest: row.digest, ownerId: row.owner_id }));
  }

  /** Revokes a credential as its owner would, and notifies the owner. Of concurrent reports, only one takes effect. */
  private async end(tx: Tx, held: Held, requestId: string): Promise<void> {
    const { kind, ownerId } = held;
    const owner = await this.accounts.lock(tx, ownerId);
    if (!owner || !(await this.isEnded(tx, held))) return;
    await this.notices.send(tx, owner, 'credential_leaked', undefined, { kind });
    await this.audit.record(tx, theFinder(requestId), {
      action: 'end_leaked_credential',
      target: { type: 'user', id: ownerId },
      metadata: { kind },
    });
  }

  private async isEnded(tx: Tx, { kind, id, digest, ownerId }: Held): Promise<boolean> {
    switch (kind) {
      case 'session':
        return this.sessions.endLeaked(tx, ownerId, digest, ENDING);
      case 'bot':
        return this.bots.replaceToken(tx, id, digest, ENDING);
      case 'oauth2_token':
        return (await this.grants.revoke(tx, ownerId, [id], ENDING)).length > 0;
      case 'admin_key':
        return this.keys.endKey(tx, id, digest, ENDING);
      case 'webhook':
        return this.webhooks.replaceToken(tx, id, digest, ENDING);
    }
  }
}
