import { Injectable } from '@nestjs/common';
import { describeClient, type Origin } from '../../accounts/events/origin.js';
import { SecurityEvents } from '../../accounts/events/security-events.service.js';
import type { Tx } from '../../platform/database/database.js';
import { Outbox } from '../../platform/mail/outbox.js';
import { DONE_BY_OTHERS, type SecurityEvent } from '../../platform/mail/templates/words/kinds.js';
import type { Account } from '../../policy/account.js';
import { MailedTokens } from '../secrets/mailed-tokens.service.js';

const LINK_SECONDS = 7 * 24 * 3600;

/** Tells the owner of an account what changed about its security: what, when, by which device (auth.md section 12). */
@Injectable()
export class SecurityNotices {
  constructor(
    private readonly events: SecurityEvents,
    private readonly tokens: MailedTokens,
    private readonly outbox: Outbox,
  ) {}

  /**
   * Recorded in `tx`, and mailed after its commit to the address that the account has; without an `origin` no device is
   * named. The mail holds a link that locks the account down, unless it tells what administrators did.
   */
  async send(
    tx: Tx,
    account: Account,
    event: SecurityEvent,
    origin?: Origin,
    data: Readonly<Record<string, unknown>> = {},
  ): Promise<void> {
    const { id, email } = account;
    await this.events.record(tx, { accountId: id, type: event, origin, data });
    if (email === null || !this.outbox.isOpen) return;
    const link = DONE_BY_OTHERS.has(event) ? null : await this.tokens.issue(tx, 'lockdown', account, {}, LINK_SECONDS);
    await this.outbox.enqueue(tx, {
      type: 'security_notice',
      to: email,
      accountId: id,
      metadata: { event, ...(link !== null && { token: link }) },
      client: origin && describeClient(origin),
      ...(link !== null && { expiresInSeconds: LINK_SECONDS }),
    });
  }
}
