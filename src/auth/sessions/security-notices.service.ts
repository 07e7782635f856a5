import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/database.js';
import { Outbox } from '../../platform/mail/outbox.js';
import type { SecurityEvent } from '../../platform/mail/templates/contents.js';
import type { Account } from '../../policy/account.js';
import { describeClient, type Origin } from './sessions.service.js';

/** Tells the owner of an account what changed about its security: what, when, by which device (auth.md section 12). */
@Injectable()
export class SecurityNotices {
  constructor(private readonly outbox: Outbox) {}

  /** Mailed after the commit of `tx` to the address that the account has; without an `origin` no device is named. */
  async send(tx: Tx, { id, email }: Account, event: SecurityEvent, origin?: Origin): Promise<void> {
    if (email === null) return;
    const client = origin && describeClient(origin);
    await this.outbox.enqueue(tx, { type: 'security_notice', to: email, accountId: id, metadata: { event }, client });
  }
}
