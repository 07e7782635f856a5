import { settings } from '../../core/config/declared.js';
import { hideMembers } from '../../core/config/reader.js';
import { InstanceSettings } from './instance.settings.js';

const SENDER = /^(?:[^<>@\r\n]{0,100}<[^<>\s@]+@[^<>\s@]+>|[^<>\s@]+@[^<>\s@]+)$/;

/** Emails. */
export class MailSettings extends settings('Mail', (read) => {
  const { production } = read.of(InstanceSettings);
  const mailTransport = read.choice(
    'MAIL_TRANSPORT',
    'inbox (development only), smtp, http or none; production has no default',
    ['inbox', 'smtp', 'http', 'none'],
    production ? 'none' : 'inbox',
  );
  if (production && read.peek('MAIL_TRANSPORT') === undefined) {
    read.fault('MAIL_TRANSPORT', 'is required in production: smtp or http, or none where no mail is to be sent');
  } else if (production && mailTransport === 'inbox') {
    read.fault('MAIL_TRANSPORT', 'must not be inbox in production');
  }
  const required = { smtp: ['SMTP_URL', 'MAIL_FROM'], http: ['MAIL_HTTP_URL'], inbox: [], none: [] }[mailTransport];
  for (const name of required) {
    if (read.peek(name) === undefined) read.fault(name, `is required with MAIL_TRANSPORT=${mailTransport}`);
  }
  const mailFrom = read.text('MAIL_FROM', 'Sender, as an address or Name <address>; required with smtp');
  if (mailFrom !== undefined && !SENDER.test(mailFrom)) {
    read.fault('MAIL_FROM', 'must be an address, or a name and an address in angle brackets');
  }
  const values = {
    mailTransport,
    mailFrom,
    smtpUrl: read.url(
      'SMTP_URL',
      'Server, as smtp://user:password@host:587 or smtps://; required with smtp',
      undefined,
      ['smtp:', 'smtps:'],
      { secret: true },
    ),
    mailHttpUrl: read.url(
      'MAIL_HTTP_URL',
      'Where each message is posted as JSON; required with http',
      undefined,
      ['http:', 'https:'],
      { secret: true },
    ),
    emailDnsCheck: read.onOff('EMAIL_DNS_CHECK', 'Refuses addresses whose domain receives no mail', false),
  };
  return hideMembers(values, 'smtpUrl', 'mailHttpUrl');
}) {}

/** Text messages. */
export class SmsSettings extends settings('Text messages', (read) => {
  const { production } = read.of(InstanceSettings);
  const smsTransport = read.choice(
    'SMS_TRANSPORT',
    'none, inbox (development only) or http',
    ['none', 'inbox', 'http'],
    'none',
  );
  const smsHttpUrl = read.url(
    'SMS_HTTP_URL',
    'With http: takes a POST of {to, type, text, metadata}, where metadata holds the code',
    undefined,
    ['http:', 'https:'],
    { secret: true },
  );
  const phoneBlockedPrefixes = read.list(
    'PHONE_BLOCKED_PREFIXES',
    'Prefixes of numbers, such as +1900, that get no message',
  );
  if (production && smsTransport === 'inbox') read.fault('SMS_TRANSPORT', 'must not be inbox in production');
  if (smsTransport === 'http' && !smsHttpUrl) read.fault('SMS_HTTP_URL', 'is required with SMS_TRANSPORT=http');
  if (phoneBlockedPrefixes.some((prefix) => !/^\+[1-9]\d{0,14}$/.test(prefix))) {
    read.fault('PHONE_BLOCKED_PREFIXES', 'must be a list of prefixes such as +1900');
  }
  return hideMembers({ smsTransport, smsHttpUrl, phoneBlockedPrefixes }, 'smsHttpUrl');
}) {}
