import type { Config } from '../../core/config/config.js';
import type { Snowflakes } from '../../core/snowflake.js';
import type { Outbound } from '../outbound/outbound.js';
import type { Inbox } from './inbox.js';

export const SMS_TRANSPORT = Symbol('SmsTransport');

/** A text message with a code. */
export interface TextMessage {
  readonly to: string;
  /** The account that requested it. It is not passed to a provider. */
  readonly accountId: string;
  readonly type: 'phone_verification';
  readonly text: string;
  readonly metadata: { readonly code: string };
}

/** Sends text messages while the caller waits, because users expect a code within seconds. */
export interface SmsTransport {
  /** @throws Error if the provider did not accept the message */
  send(message: TextMessage): Promise<void>;
}

class InboxSms implements SmsTransport {
  constructor(
    private readonly inbox: Inbox,
    private readonly snowflakes: Snowflakes,
  ) {}

  async send({ to, ...message }: TextMessage): Promise<void> {
    const id = this.snowflakes.next();
    await this.inbox.receive({ ...message, id, channel: 'sms', recipient: to, subject: null, html: null });
  }
}

class HttpSms implements SmsTransport {
  constructor(
    private readonly outbound: Outbound,
    private readonly url: string,
  ) {}

  async send({ accountId: _, ...message }: TextMessage): Promise<void> {
    const { status } = await this.outbound.request({
      url: this.url,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(message),
    });
    if (status < 200 || status > 299) throw new Error(`The provider returned ${status}`);
  }
}

/** Returns the configured transport, or `null` if text messages cannot be sent. */
export function smsTransport(
  { smsTransport: kind, smsHttpUrl: url }: Config,
  inbox: Inbox,
  outbound: Outbound,
  snowflakes: Snowflakes,
): SmsTransport | null {
  if (kind === 'http' && url) return new HttpSms(outbound, url);
  return kind === 'inbox' ? new InboxSms(inbox, snowflakes) : null;
}
