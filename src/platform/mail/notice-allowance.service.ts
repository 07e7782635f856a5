import { Injectable } from '@nestjs/common';
import { Keyring } from '../../core/secrets.js';
import type { Tx } from '../database/database.js';
import { Outbox } from './outbox.js';
import type { SecurityEvent } from './templates/words/kinds.js';

/** Notices that a recipient gets within any hour. Further ones are combined into one digest. */
const NOTICES_PER_HOUR = 10;
const NOTICES = ['security_notice', 'account_deletion_scheduled', 'security_digest'];

const LATEST_NOTICES = `
  SELECT count(*)::int AS count, min(created_at) + interval '1 hour' AS free_at
  FROM (SELECT created_at FROM outbox
        WHERE lower(recipient) = lower($1) AND type = ANY ($2) AND created_at > now() - interval '1 hour'
        ORDER BY created_at DESC LIMIT ${NOTICES_PER_HOUR}) latest`;

/** A digest that is already being sent accepts no more events. */
const PENDING_DIGEST = `
  SELECT id, payload FROM outbox
  WHERE lower(recipient) = lower($1) AND type = 'security_digest' AND attempts = 0 AND payload IS NOT NULL
  FOR UPDATE`;

interface Digest {
  readonly metadata: { readonly events: readonly SecurityEvent[]; readonly token: string };
}

/** Limits the notices that one mailbox receives, whichever users and operations cause them. */
@Injectable()
export class NoticeAllowance {
  constructor(
    private readonly outbox: Outbox,
    private readonly keyring: Keyring,
  ) {}

  /**
   * Whether a notice of an account that `tx` has locked may be emailed on its own. If not, it goes into a digest that is
   * sent when the hour is over.
   * @param token creates the token of the digest's link
   */
  async admitOrAddToDigest(
    tx: Tx,
    { accountId, to, event }: { readonly accountId: string; readonly to: string; readonly event: SecurityEvent },
    token: () => Promise<{ readonly token: string; readonly seconds: number }>,
  ): Promise<boolean> {
    const [waiting] = await tx.query<{ id: string; payload: Buffer }[]>(PENDING_DIGEST, [to]);
    if (waiting) {
      await this.addToDigest(tx, waiting, event);
      return false;
    }
    const [{ count, free_at: sendAt }] = await tx.query<[{ count: number; free_at: Date }]>(LATEST_NOTICES, [
      to,
      NOTICES,
    ]);
    if (count < NOTICES_PER_HOUR) return true;
    const link = await token();
    const metadata = { events: [event], token: link.token };
    const timing = { sendAt, expiresInSeconds: link.seconds };
    await this.outbox.enqueue(tx, { type: 'security_digest', to, accountId, metadata, ...timing });
    return false;
  }

  private async addToDigest(
    tx: Tx,
    { id, payload }: { id: string; payload: Buffer },
    event: SecurityEvent,
  ): Promise<void> {
    const { metadata, ...rest } = JSON.parse(this.keyring.decrypt('outbox', payload, id)) as Digest;
    if (metadata.events.includes(event)) return;
    const extended: Digest = { ...rest, metadata: { ...metadata, events: [...metadata.events, event] } };
    const box = this.keyring.encrypt('outbox', JSON.stringify(extended), id);
    await tx.query('UPDATE outbox SET payload = $2 WHERE id = $1', [id, box]);
  }
}
