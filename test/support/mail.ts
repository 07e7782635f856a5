import type { Front, Gatehouse } from './gatehouse.js';
import { PATIENCE_MS } from './patience.js';

/** A message of the development inbox. */
export interface Message {
  readonly id: string;
  readonly to: string;
  readonly channel: 'email' | 'sms';
  readonly type: string;
  readonly subject: string | null;
  readonly text: string;
  readonly html: string | null;
  /** The token or code of the message, by name. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly created_at: string;
}

const PAUSE_MS = 20;

/** Tries `attempt` until it answers something other than `undefined`. */
export async function eventually<T>(what: string, attempt: () => Promise<T | undefined>): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const result = await attempt();
    if (result !== undefined) return result;
    if (performance.now() > deadline) throw new Error(`${what} did not happen`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** What the inbox holds for an address, newest first; waits for nothing. */
export async function inboxOf(service: Front, address: string, type?: string): Promise<Message[]> {
  const { body } = await service.anonymous.get('/dev/inbox.json', { query: { to: address, limit: '200' } });
  return (body.messages as Message[]).filter((message) => type === undefined || message.type === type);
}

/** Waits until an address has got `count` messages of a type and returns them, newest first. */
export function mailsTo(service: Front, address: string, type: string, count: number): Promise<Message[]> {
  return eventually(`mail ${count} of type ${type} to ${address}`, async () => {
    const messages = await inboxOf(service, address, type);
    return messages.length >= count ? messages : undefined;
  });
}

/** Waits for a message of a type to an address: the newest, or the one that follows `count - 1` others. */
export async function mailTo(service: Front, address: string, type: string, count = 1): Promise<Message> {
  const [newest] = await mailsTo(service, address, type, count);
  return newest as Message;
}

/** Waits until everything that was to be sent is sent, then reads the inbox: for mail that must not be there. */
export async function settledInboxOf(service: Gatehouse, address: string, type?: string): Promise<Message[]> {
  await settled(service);
  return inboxOf(service, address, type);
}

/** Waits until work that follows an answer is done and no mail waits to be sent. */
export async function settled(service: Gatehouse): Promise<void> {
  await service.idle();
  await eventually('an empty outbox', async () => {
    const [row] = await service.sql(
      `SELECT count(*)::int AS waiting FROM outbox
       WHERE sent_at IS NULL AND parked_at IS NULL AND attempts < 2 AND created_at <= now()`,
    );
    return row?.waiting === 0 ? true : undefined;
  });
}

/** Lets the mail of a ticket be `seconds` older than it is; `member`: what the ticket remembers it by. */
export const ageMail = (service: Gatehouse, { id }: { id: string }, member: string, seconds: number) =>
  service.sql(
    `UPDATE one_time_secret SET payload = jsonb_set(payload, ARRAY[$2, 'sentAt'],
       to_jsonb(to_char(((payload #>> ARRAY[$2, 'sentAt'])::timestamptz - $3 * interval '1 second') AT TIME ZONE 'UTC',
         'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
     WHERE subject = $1 AND payload ? $2`,
    [id, member, seconds],
  );
