import type { Translator } from './translator.js';
import type { Device, MailMetadata, MailType } from './words/kinds.js';

/** The facts from which an email is rendered. */
export interface MailContext<M = MailMetadata[MailType]> {
  readonly metadata: M;
  readonly product: string;
  readonly at: Date;
  /** Validity of the token or code. */
  readonly validSeconds: number;
  /** The client device of the request. */
  readonly client: Device | undefined;
  /** `WEB_APP_URL`, the base of page URLs. */
  readonly webAppUrl: string;
  /** Returns a URL of the web application with a token in its fragment, which is never sent to a server or logged. */
  link(path: string, token: string): string;
}

/** The text of one message, in reading order. */
export interface Content {
  readonly subject: string;
  readonly paragraphs: readonly string[];
  readonly facts?: readonly (readonly [label: string, value: string])[];
  /** Sentence before the action. */
  readonly request?: string;
  readonly code?: string;
  readonly action?: { readonly label: string; readonly url: string };
  readonly closing?: string;
  /** Why the recipient gets the message, if not for account security. */
  readonly reason?: string;
}

type CodeMail = 'email_change_original' | 'email_change_new' | 'password_change' | 'backup_codes_challenge';
type MailRenderer<T extends MailType> = (occasion: MailContext<MailMetadata[T]>, speech: Translator) => Content;

const deviceIn = (client: Device | undefined, speech: Translator) =>
  client ? [[speech.words.labels.device, speech.formatDevice(client)] as const] : [];

const reasonIn = (reason: string | undefined, speech: Translator) =>
  reason === undefined ? [] : [[speech.words.labels.publicReason, reason] as const];

/** Link to the page that locks the account down, with the sentence before it. */
const lockdownLink = (
  token: string,
  { validSeconds, link }: Pick<MailContext, 'validSeconds' | 'link'>,
  speech: Translator,
) => ({
  request: speech.format(speech.words.security_notice.lock, { validity: speech.formatDuration(validSeconds) }),
  action: { label: speech.words.security_notice.action, url: link('/auth/lockdown', token) },
});

const createCodeRenderer =
  (type: CodeMail): MailRenderer<CodeMail> =>
  ({ metadata, client, validSeconds }, speech) => ({
    subject: speech.words[type].subject,
    paragraphs: [speech.format(speech.words[type].intro, { validity: speech.formatDuration(validSeconds) })],
    facts: deviceIn(client, speech),
    code: metadata.code,
    closing: speech.words.codeClosing,
  });

/** The renderer of each kind of email. */
export const MAIL_RENDERERS: { readonly [T in MailType]: MailRenderer<T> } = {
  email_verification: ({ metadata, product, validSeconds, link }, speech) => {
    const { subject, intro, action, closing } = speech.words.email_verification;
    return {
      subject: speech.format(subject, { product }),
      paragraphs: [speech.format(intro, { validity: speech.formatDuration(validSeconds) })],
      action: { label: action, url: link('/auth/verify', metadata.token) },
      closing,
    };
  },
  password_reset: ({ metadata, product, validSeconds, link }, speech) => {
    const { subject, intro, action, closing } = speech.words.password_reset;
    return {
      subject: speech.format(subject, { product }),
      paragraphs: [speech.format(intro, { validity: speech.formatDuration(validSeconds) })],
      action: { label: action, url: link('/auth/reset', metadata.token) },
      closing,
    };
  },
  ip_authorization: ({ metadata, product, client, validSeconds, link }, speech) => {
    const { subject, intro, confirm, action, closing } = speech.words.ip_authorization;
    const address = speech.formatIpAddress(metadata.ip, metadata.location);
    return {
      subject: speech.format(subject, { product }),
      paragraphs: [intro],
      facts: [[speech.words.labels.address, address], ...deviceIn(client, speech)],
      request: speech.format(confirm, { validity: speech.formatDuration(validSeconds) }),
      action: { label: action, url: link('/auth/authorize-ip', metadata.token) },
      closing,
    };
  },
  email_change_original: createCodeRenderer('email_change_original'),
  email_change_new: createCodeRenderer('email_change_new'),
  password_change: createCodeRenderer('password_change'),
  backup_codes_challenge: createCodeRenderer('backup_codes_challenge'),
  email_change_revert: ({ metadata, product, validSeconds, link }, speech) => {
    const { subject, intro, undo, action } = speech.words.email_change_revert;
    return {
      subject: speech.format(subject, { product }),
      paragraphs: [speech.format(intro, { email: metadata.new_email })],
      request: speech.format(undo, { validity: speech.formatDuration(validSeconds) }),
      action: { label: action, url: link('/auth/email-revert', metadata.token) },
    };
  },
  security_notice: (occasion, speech) => {
    const { metadata, product, at, client } = occasion;
    const { security_notice: notice, events, labels, noEnd } = speech.words;
    const { until, public_reason: reason } = metadata;
    const end =
      until === undefined ? [] : [[labels.until, until === null ? noEnd : speech.formatTime(new Date(until))] as const];
    return {
      subject: speech.format(notice.subject, { product }),
      paragraphs: [events[metadata.event]],
      facts: [[labels.when, speech.formatTime(at)], ...end, ...reasonIn(reason, speech), ...deviceIn(client, speech)],
      ...(metadata.token !== undefined && lockdownLink(metadata.token, occasion, speech)),
    };
  },
  security_digest: (occasion, speech) => {
    const { metadata, product } = occasion;
    const { security_notice: notice, security_digest: digest, events } = speech.words;
    return {
      subject: speech.format(notice.subject, { product }),
      paragraphs: [digest.intro, ...metadata.events.map((event) => events[event])],
      ...lockdownLink(metadata.token, occasion, speech),
    };
  },
  account_deletion_scheduled: ({ metadata, product }, speech) => {
    const { subject, intro, closing } = speech.words.account_deletion_scheduled;
    return {
      subject: speech.format(subject, { product }),
      paragraphs: [speech.format(intro, { deadline: speech.formatTime(new Date(metadata.deadline)) })],
      facts: reasonIn(metadata.public_reason, speech),
      closing,
    };
  },
  registration_existing_account: ({ product }, speech) => {
    const { subject, intro, closing } = speech.words.registration_existing_account;
    return { subject: speech.format(subject, { product }), paragraphs: [intro], closing };
  },
  registration_approved: ({ product, webAppUrl }, speech) => {
    const { subject, intro, action } = speech.words.registration_approved;
    return {
      subject: speech.format(subject, { product }),
      paragraphs: [intro],
      action: { label: action, url: `${webAppUrl}/login` },
      reason: speech.format(speech.words.registration.reason, { product }),
    };
  },
  registration_rejected: ({ product }, speech) => {
    const { subject, intro } = speech.words.registration_rejected;
    return {
      subject: speech.format(subject, { product }),
      paragraphs: [intro],
      reason: speech.format(speech.words.registration.reason, { product }),
    };
  },
  mail_test: ({ product }, speech) => {
    const { subject, intro, reason } = speech.words.mail_test;
    return {
      subject: speech.format(subject, { product }),
      paragraphs: [speech.format(intro, { product })],
      reason: speech.format(reason, { product }),
    };
  },
};
