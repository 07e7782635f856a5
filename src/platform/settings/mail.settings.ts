import { settings } from '../../core/config/declared.js';
import { hideMembers } from '../../core/config/reader.js';
import { InstanceSettings } from './instance.settings.js';

const SENDER = /^(?:[^<>@\r\n]{0,100}<[^<>\s@]+@[^<>\s@]+>|[^<>\s@]+@[^<>\s@]+)$/;

/** Emails. */
export class MailSettings extends settings('Mail', (read) => {
  const { production } = read.of(InstanceSettings);
  const mailTransport = read.choice(
    'MAIL_TRANSPORT',
    'How emails are sent: inbox (development only), smtp, http or none. Required in production',
    ['inbox', 'smtp', 'http', 'none'],
    production ? 'none' : 'inbox',
  );
  if (production && read.peek('MAIL_TRANSPORT') === undefined) {
    read.fault('MAIL_TRANSPORT', 'is required in production. Use smtp or http, or none to send no email');
  } else if (production && mailTransport === 'inbox') {
    read.fault('MAIL_TRANSPORT', 'must not be inbox in production');
  }
  const required = { smtp: ['SMTP_URL', 'MAIL_FROM'], http: ['MAIL_HTTP_URL'], inbox: [], none: [] }[mailTransport];
  for (const name of required) {
    if (read.peek(name) === undefined) read.fault(name, `is required with MAIL_TRANSPORT=${mailTransport}`);
  }
  const mailFrom = read.text('MAIL_FROM', 'Sender, as an email address or Name <address>. Required with smtp');
  if (mailFrom !== undefined && !SENDER.test(mailFrom)) {
    read.fault('MAIL_FROM', 'must be an email address, or a name with an email address in angle brackets');
  }
  const values = {
    mailTransport,
    mailFrom,
    smtpUrl: read.url(
      'SMTP_URL',
      'SMTP server, as smtp://user:password@host:587 or smtps://. Required with smtp',
      undefined,
      ['smtp:', 'smtps:'],
      { secret: true },
    ),
    mailHttpUrl: read.url(
      'MAIL_HTTP_URL',
      'URL to which each email is posted as JSON. Required with http',
      undefined,
      ['http:', 'https:'],
      { secret: true },
    ),
    emailDnsCheck: read.onOff('EMAIL_DNS_CHECK', 'Reject email addresses whose domain cannot receive email', false),
  };
  return hideMembers(values, 'smtpUrl', 'mailHttpUrl');
}) {}

/** Text messages. */
export class SmsSettings extends settings('Text messages', (read) => {
  const { production } = read.of(InstanceSettings);
  const smsTransport = read.choice(
    'SMS_TRANSPORT',
    'How text messages are sent: none, inbox (development only) or http',
    ['none', 'inbox', 'http'],
    'none',
  );
  const smsHttpUrl = read.url(
    'SMS_HTTP_URL',
    'URL to which each text message is posted as {to, type, text, metadata}. metadata contains the code. Required with http',
    undefined,
    ['http:', 'https:'],
    { secret: true },
  );
  const phoneBlockedPrefixes = read.list(
    'PHONE_BLOCKED_PREFIXES',
    'Prefixes of phone numbers that get no messages, for example +1900',
  );
  if (production && smsTransport === 'inbox') read.fault('SMS_TRANSPORT', 'must not be inbox in production');
  if (smsTransport === 'http' && !smsHttpUrl) read.fault('SMS_HTTP_URL', 'is required with SMS_TRANSPORT=http');
  if (phoneBlockedPrefixes.some((prefix) => !/^\+[1-9]\d{0,14}$/.test(prefix))) {
    read.fault('PHONE_BLOCKED_PREFIXES', 'must be a list of prefixes such as +1900');
  }
  return hideMembers({ smsTransport, smsHttpUrl, phoneBlockedPrefixes }, 'smsHttpUrl');
}) {}
