import type { Gatehouse, ServiceEndpoint } from './gatehouse.js';
import { WAIT_TIMEOUT_MS } from './timeouts.js';

/** A message in the development inbox. */
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

/**
 * Repeats `attempt` every 20 ms until it returns a value other than `undefined`.
 * @param what names the event in the error
 * @throws Error after two minutes. Jest needs a longer `testTimeout` to show it
 */
export async function eventually<T>(what: string, attempt: () => Promise<T | undefined>): Promise<T> {
  const deadline = performance.now() + WAIT_TIMEOUT_MS;
  for (;;) {
    const result = await attempt();
    if (result !== undefined) return result;
    if (performance.now() > deadline) throw new Error(`${what} did not happen`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** The messages for an email address or phone number in the inbox, newest first. Does not wait. */
export async function inboxOf(service: ServiceEndpoint, address: string, type?: string): Promise<Message[]> {
  const { body } = await service.anonymous.get('/dev/inbox.json', { query: { to: address, limit: '200' } });
  return (body.messages as Message[]).filter((message) => type === undefined || message.type === type);
}

/** Waits until a recipient has received `count` messages of a type. Returns them, newest first. */
export function mailsTo(service: ServiceEndpoint, address: string, type: string, count: number): Promise<Message[]> {
  return eventually(`mail ${count} of type ${type} to ${address}`, async () => {
    const messages = await inboxOf(service, address, type);
    return messages.length >= count ? messages : undefined;
  });
}

/** Waits until a recipient has received `count` messages of a type. Returns the newest. */
export async function mailTo(service: ServiceEndpoint, address: string, type: string, count = 1): Promise<Message> {
  const [newest] = await mailsTo(service, address, type, count);
  return newest as Message;
}

/** Waits until all pending messages are sent, then reads the inbox. For tests that expect no message. */
export async function inboxAfterDelivery(service: Gatehouse, address: string, type?: string): Promise<Message[]> {
  await waitForDelivery(service);
  return inboxOf(service, address, type);
}

/** Waits until background work is done and no message is waiting to be sent. */
export async function waitForDelivery(service: Gatehouse): Promise<void> {
  await service.idle();
  await eventually('an empty outbox', async () => {
    const [row] = await service.sql(
      `SELECT count(*)::int AS waiting FROM outbox
       WHERE sent_at IS NULL AND parked_at IS NULL AND attempts < 2 AND created_at <= now()`,
    );
    return row?.waiting === 0 ? true : undefined;
  });
}

/** Makes the message of a ticket `seconds` older. `member` is its name in the payload of the ticket. */
export const ageMail = (service: Gatehouse, { id }: { id: string }, member: string, seconds: number) =>
  service.sql(
    `UPDATE one_time_secret SET payload = jsonb_set(payload, ARRAY[$2, 'sentAt'],
       to_jsonb(to_char(((payload #>> ARRAY[$2, 'sentAt'])::timestamptz - $3 * interval '1 second') AT TIME ZONE 'UTC',
         'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
     WHERE subject = $1 AND payload ? $2`,
    [id, member, seconds],
  );
