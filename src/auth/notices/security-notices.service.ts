import { Injectable } from '@nestjs/common';
import { describeClient, type Origin } from '../../accounts/events/origin.js';
import { type NewEvent, SecurityEvents, toSecurityEvent } from '../../accounts/events/security-events.service.js';
import type { Tx } from '../../platform/database/database.js';
import { NoticeAllowance } from '../../platform/mail/notice-allowance.service.js';
import { Outbox } from '../../platform/mail/outbox.js';
import {
  ADMINISTRATOR_EVENTS,
  type NoticeDetails,
  type SecurityEvent,
} from '../../platform/mail/templates/words/kinds.js';
import type { Account } from '../../policy/account.js';
import type { LifecycleCause, LifecycleEvent, RequiredSubscriber } from '../../policy/lifecycle.js';
import { MailedTokens } from '../secrets/mailed-tokens.service.js';

type NoticedEvent = 'emailChanged' | 'disabled' | 'enabled' | 'banned' | 'deletionScheduled' | 'deletionCanceled';
type Notice = Pick<NewEvent, 'origin'> & { readonly type: SecurityEvent; readonly data: NoticeDetails };

type Decision = 'registration_approved' | 'registration_rejected';

const LINK_SECONDS = 7 * 24 * 3600;

/** The members of event data that the email also shows. */
const emailedFacts = ({ until, public_reason }: NoticeDetails): NoticeDetails => ({
  ...(until !== undefined && { until }),
  ...(public_reason !== undefined && { public_reason }),
});

/**
 * Notifies users of changes to the security of their account: the change, its time and the device (auth.md section 12).
 */
@Injectable()
export class SecurityNotices implements RequiredSubscriber<NoticedEvent> {
  constructor(
    private readonly events: SecurityEvents,
    private readonly tokens: MailedTokens,
    private readonly outbox: Outbox,
    private readonly allowance: NoticeAllowance,
  ) {}

  async handleAll(tx: Tx, events: readonly LifecycleEvent<NoticedEvent>[], cause: LifecycleCause): Promise<void> {
    if (!cause.account) return;
    for (const event of events) await this.sendEmail(tx, cause.account, toSecurityEvent<NoticedEvent>(event, cause));
  }

  /** Records the event in `tx`, which must hold the account, and sends its notice. */
  async send(
    tx: Tx,
    account: Account,
    event: SecurityEvent,
    origin?: Origin,
    data: Readonly<Record<string, unknown>> & NoticeDetails = {},
  ): Promise<void> {
    await this.events.record(tx, { accountId: account.id, type: event, origin, data });
    await this.sendEmail(tx, account, { type: event, origin, data });
  }

  /**
   * After the commit, the verified email address gets an email. It names the device if there is an `origin`. It has a
   * lockdown link unless an administrator made the change.
   */
  private async sendEmail(tx: Tx, account: Account, { type: event, origin, data }: Notice): Promise<void> {
    const to = await this.recipientOf(tx, account, event);
    if (to === null) return;
    const { deadline } = data;
    if (deadline !== undefined) {
      const metadata = { deadline, ...emailedFacts(data) };
      await this.outbox.enqueue(tx, { type: 'account_deletion_scheduled', to, accountId: account.id, metadata });
      return;
    }
    const link = ADMINISTRATOR_EVENTS.has(event) ? null : await this.lockdownLink(tx, account);
    await this.outbox.enqueue(tx, {
      type: 'security_notice',
      to,
      accountId: account.id,
      metadata: { event, ...(link !== null && { token: link }), ...emailedFacts(data) },
      client: origin && describeClient(origin),
      ...(link !== null && { expiresInSeconds: LINK_SECONDS }),
    });
  }

  /**
   * Notifies the user of the decision on a registration. It happens once and before the email address is verified, so
   * no limit applies.
   */
  async sendDecision(tx: Tx, { id, email }: Account, type: Decision): Promise<void> {
    await this.events.record(tx, { accountId: id, type });
    if (email !== null) await this.outbox.enqueue(tx, { type, to: email, accountId: id, metadata: {} });
  }

  /** Returns where to send the notice now. Returns `null` if none is sent or if it goes into a digest. */
  private async recipientOf(tx: Tx, account: Account, event: SecurityEvent): Promise<string | null> {
    const { id: accountId, email: to } = account;
    // An unverified email address may belong to another user.
    if (to === null || !account.emailVerified || !this.outbox.canSend) return null;
    const link = async () => ({ token: await this.lockdownLink(tx, account), seconds: LINK_SECONDS });
    return (await this.allowance.admitOrAddToDigest(tx, { accountId, to, event }, link)) ? to : null;
  }

  private lockdownLink(tx: Tx, account: Account): Promise<string> {
    return this.tokens.issue(tx, 'lockdown', account, {}, LINK_SECONDS);
  }
}
