import { Injectable } from '@nestjs/common';
import { IS_ACTIVE_SQL } from '../accounts/account-facts.js';
import { Config } from '../core/config/config.js';
import { ApiError } from '../core/errors.js';
import { digest, equalsInConstantTime } from '../core/secrets.js';
import { UNASSIGNED_ID } from '../core/snowflake.js';
import { Database, type Tx } from '../platform/database/database.js';
import { anonymousCallerKey, Limiter } from '../platform/store/limits.js';
import type { Call } from '../policy/call.js';

/** A webhook whose token has been verified. */
export interface AuthenticatedWebhook {
  readonly id: string;
  readonly ownerId: string;
  readonly applicationId: string | null;
  readonly name: string;
  readonly avatar: string | null;
  /** Digest of the verified token. */
  readonly digest: Buffer;
}

interface TokenRow {
  readonly isOpen: boolean;
  readonly owner_id: string;
  readonly application_id: string | null;
  readonly name: string;
  readonly avatar: string | null;
  readonly digest: Buffer;
}

/**
 * Checks that the token is still valid, and locks the owner and the webhook.
 * The owner is locked first, as in every operation that deletes one of the two, so that they cannot deadlock.
 */
const LOCK_WEBHOOK = `WITH owner AS MATERIALIZED (
    SELECT a.id FROM account a WHERE a.id = $3 AND a.deletion_at IS NULL AND ${IS_ACTIVE_SQL} FOR NO KEY UPDATE)
  SELECT 1 FROM owner JOIN webhook w ON w.owner_id = owner.id WHERE w.id = $1 AND w.digest = $2 FOR SHARE OF w`;

/** A dummy row that is returned for every failure, so that all take the same time. */
const DUMMY_WEBHOOK = { id: UNASSIGNED_ID, digest: digest('') };

/**
 * Verifies the token of a webhook. The token alone grants access, and all failures are indistinguishable (webhooks.md
 * section 3).
 */
@Injectable()
export class WebhookTokenService {
  constructor(
    private readonly database: Database,
    private readonly limiter: Limiter,
    private readonly config: Config,
  ) {}

  /**
   * Resolves ID and token of the path to a webhook. A failure counts against the caller's IP address.
   * @throws ApiError UNKNOWN_WEBHOOK, the same for every cause
   */
  async resolve(call: Call, { id, token }: { id: string; token: string }): Promise<AuthenticatedWebhook> {
    const presented = digest(token);
    const [row] = await this.database.manager.query<[TokenRow]>(
      `SELECT coalesce(a.deletion_at IS NULL AND ${IS_ACTIVE_SQL}, false) AS "isOpen",
         coalesce(w.owner_id, $3) AS owner_id, w.application_id, coalesce(w.name, '') AS name, w.avatar,
         coalesce(w.digest, $4) AS digest
       FROM (SELECT 1) one
         LEFT JOIN webhook w ON w.id = $1 AND w.digest = $2
         LEFT JOIN account a ON a.id = coalesce(w.owner_id, 0)`,
      [id, presented, DUMMY_WEBHOOK.id, DUMMY_WEBHOOK.digest],
    );
    if (equalsInConstantTime(row.digest, presented) && row.isOpen) {
      return {
        ...{ id, ownerId: row.owner_id, applicationId: row.application_id },
        ...{ name: row.name, avatar: row.avatar, digest: presented },
      };
    }
    if (this.config.rateLimits) await this.limiter.route('webhook:miss', anonymousCallerKey(call.address));
    throw new ApiError('UNKNOWN_WEBHOOK');
  }

  /**
   * Locks a webhook until `tx` ends and checks the token again, because the body may have stalled since `resolve`.
   * @throws ApiError UNKNOWN_WEBHOOK
   */
  async lock(tx: Tx, { id, digest: presented, ownerId }: AuthenticatedWebhook): Promise<void> {
    const held = await tx.query<unknown[]>(LOCK_WEBHOOK, [id, presented, ownerId]);
    if (held.length === 0) throw new ApiError('UNKNOWN_WEBHOOK');
  }
}
