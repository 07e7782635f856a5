import { Injectable } from '@nestjs/common';
import { IS_ACTIVE } from '../accounts/account-facts.js';
import { Config } from '../core/config/config.js';
import { Refusal } from '../core/errors.js';
import { digest, matches } from '../core/secrets.js';
import { Database } from '../platform/database/database.js';
import { addressCaller, Limiter } from '../platform/store/limits.js';
import type { Call } from '../policy/call.js';

/** A webhook whose token the caller knows. */
export interface OpenWebhook {
  readonly id: string;
  readonly ownerId: string;
  readonly applicationId: string | null;
  readonly name: string;
  readonly avatar: string | null;
}

interface TokenRow {
  readonly id: string;
  readonly owner_id: string;
  readonly application_id: string | null;
  readonly name: string;
  readonly avatar: string | null;
  readonly digest: Buffer;
}

/** Whatever the cause of a refusal, the answer is one and the same row, so that each takes the same time. */
type NoRow = { readonly [K in keyof TokenRow]: null };

/** What it is compared with. */
const NOBODY = digest('');

/** Who may use a webhook: whoever knows its token, whatever the reason why another may not (webhooks.md section 3). */
@Injectable()
export class WebhookTokenService {
  constructor(
    private readonly database: Database,
    private readonly limiter: Limiter,
    private readonly config: Config,
  ) {}

  /**
   * The webhook that id and token of the path open. A miss counts against the caller's address.
   * @throws Refusal UNKNOWN_WEBHOOK, the same for every cause
   */
  async resolve(call: Call, { id, token }: { id: string; token: string }): Promise<OpenWebhook> {
    const presented = digest(token);
    const [row] = await this.database.manager.query<[TokenRow | NoRow]>(
      `SELECT w.id, w.owner_id, w.application_id, w.name, w.avatar, w.digest
       FROM (SELECT 1) one LEFT JOIN
         (webhook w JOIN account a ON a.id = w.owner_id AND a.deletion_at IS NULL AND ${IS_ACTIVE})
         ON w.id = $1 AND w.digest = $2`,
      [id, presented],
    );
    const isRight = matches(row.digest ?? NOBODY, presented);
    if (row.id !== null && isRight) {
      return {
        ...{ id, ownerId: row.owner_id, applicationId: row.application_id },
        ...{ name: row.name, avatar: row.avatar },
      };
    }
    if (this.config.rateLimits) await this.limiter.route('webhook:miss', addressCaller(call.address));
    throw new Refusal('UNKNOWN_WEBHOOK');
  }
}
