import type { Transporter } from 'nodemailer';
import type { Config } from '../../core/config/config.js';
import type { Outbound } from '../outbound/outbound.js';
import type { Inbox } from './inbox.js';

/** A rendered message to one email address. */
export interface Mail {
  /** The same for every attempt, so that receivers can detect duplicates. */
  readonly id: string;
  readonly to: string;
  /** The account that the message is about. */
  readonly accountId: string | null;
  readonly type: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** The receiving server permanently rejected the recipient: the email address does not work. */
export class RecipientRejected extends Error {}
/** The receiving server permanently rejected the message. Another attempt would fail the same way. */
export class MessageRejected extends Error {}

/** The email endpoint returned a status other than 2xx. */
export class EndpointRejected extends Error {}

/** Sends email. */
export interface MailTransport {
  /** @throws RecipientRejected, MessageRefused; after any other error, the message can be sent again */
  send(mail: Mail): Promise<void>;
  close(): Promise<void>;
}

class InboxTransport implements MailTransport {
  constructor(private readonly inbox: Inbox) {}

  async send({ to, ...mail }: Mail): Promise<void> {
    await this.inbox.receive({ ...mail, channel: 'email', recipient: to });
  }

  async close(): Promise<void> {}
}

const SMTP_CONNECT_TIMEOUT_MS = 10_000;
const SMTP_IDLE_TIMEOUT_MS = 20_000;

class SmtpTransport implements MailTransport {
  private transporter: Promise<Transporter> | undefined;
  private readonly host: string;

  constructor(
    private readonly url: string,
    private readonly from: string,
    publicOrigin: string,
  ) {
    this.host = new URL(publicOrigin).hostname;
  }

  async send({ id, to, subject, text, html }: Mail): Promise<void> {
    const transporter = await this.open();
    try {
      await transporter.sendMail({
        messageId: `<${id}@${this.host}>`,
        from: this.from,
        to: { name: '', address: to },
        subject,
        text,
        html,
        headers: { 'Auto-Submitted': 'auto-generated' },
      });
    } catch (error) {
      throw toTransportError(error);
    }
  }

  private open(): Promise<Transporter> {
    this.transporter ??= import('nodemailer').then(({ createTransport }) =>
      createTransport({
        url: this.url,
        pool: true,
        maxConnections: 4,
        connectionTimeout: SMTP_CONNECT_TIMEOUT_MS,
        greetingTimeout: SMTP_CONNECT_TIMEOUT_MS,
        socketTimeout: SMTP_IDLE_TIMEOUT_MS,
        disableFileAccess: true,
        disableUrlAccess: true,
      }),
    );
    return this.transporter;
  }

  async close(): Promise<void> {
    (await this.transporter)?.close();
  }
}

/**
 * Maps an SMTP error to its meaning for the message. The text of the response is dropped because it may contain the
 * email address.
 */
function toTransportError(error: unknown): unknown {
  const { responseCode, command } = error as { responseCode?: number; command?: string };
  if (responseCode === undefined || responseCode < 500) return error;
  if (command === 'RCPT TO') return new RecipientRejected(`the server rejected the recipient with ${responseCode}`);
  if (command === 'DATA') return new MessageRejected(`the server rejected the message with ${responseCode}`);
  return error;
}

class HttpTransport implements MailTransport {
  constructor(
    private readonly outbound: Outbound,
    private readonly url: string,
  ) {}

  async send({ id, to, subject, type, text, html, metadata }: Mail): Promise<void> {
    const { status } = await this.outbound.request({
      url: this.url,
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': id },
      body: JSON.stringify({ to, subject, type, text, html, metadata }),
    });
    if (status < 200 || status > 299) throw new EndpointRejected(`the email endpoint responded with ${status}`);
  }

  async close(): Promise<void> {}
}

/** Returns the transport of `MAIL_TRANSPORT`, or `null` if the instance sends no email. */
export function mailTransport(config: Config, inbox: Inbox, outbound: Outbound): MailTransport | null {
  switch (config.mailTransport) {
    case 'inbox':
      return new InboxTransport(inbox);
    case 'smtp':
      return new SmtpTransport(config.smtpUrl ?? '', config.mailFrom ?? '', config.publicOrigin);
    case 'http':
      return new HttpTransport(outbound, config.mailHttpUrl ?? '');
    case 'none':
      return null;
  }
}
