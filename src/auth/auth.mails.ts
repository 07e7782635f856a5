import { builtInMail, deviceFact, type MailContext } from '../platform/mail/templates/contents.js';
import type { Translator } from '../platform/mail/templates/translator.js';
import {
  ADMINISTRATOR_EVENTS,
  type NoticeDetails,
  SECURITY_EVENTS,
  type SecurityEvent,
  UNKNOWN_LOCATION,
} from '../platform/mail/templates/words/kinds.js';
import { HOLD_SECONDS } from './records/authentication.js';

export interface TokenFact {
  readonly token: string;
}
type NoticeFacts = Partial<TokenFact> & { readonly event: SecurityEvent } & NoticeDetails;
type NoFacts = Readonly<Record<string, never>>;

const HOUR = 3600;
const LINK_SECONDS = 7 * 24 * HOUR;
const SAMPLE_TOKEN = 'Sample0'.repeat(10).slice(0, 64);

const noticeSample = (event: SecurityEvent): NoticeFacts =>
  ADMINISTRATOR_EVENTS.has(event) ? { event } : { event, token: SAMPLE_TOKEN };

const reasonIn = (reason: string | undefined, speech: Translator) =>
  reason === undefined ? [] : [[speech.words.labels.publicReason, reason] as const];

/** Link to the page that locks the account down, with the sentence before it. */
const lockdownLink = (
  token: string,
  { validSeconds, link }: Pick<MailContext<TokenFact>, 'validSeconds' | 'link'>,
  speech: Translator,
) => ({
  request: speech.format(speech.words.security_notice.lock, { validity: speech.formatDuration(validSeconds) }),
  action: { label: speech.words.security_notice.action, url: link('/auth/lockdown', token) },
});

/** Emails about sign-in, registration and the security of an account (auth.md section 13). */
export const authMails = {
  email_verification: builtInMail<TokenFact>({
    sample: { token: SAMPLE_TOKEN },
    validSeconds: 24 * HOUR,
    render: ({ metadata, product, validSeconds, link }, speech) => {
      const { subject, intro, action, closing } = speech.words.email_verification;
      return {
        subject: speech.format(subject, { product }),
        paragraphs: [speech.format(intro, { validity: speech.formatDuration(validSeconds) })],
        action: { label: action, url: link('/auth/verify', metadata.token) },
        closing,
      };
    },
  }),
  password_reset: builtInMail<TokenFact>({
    sample: { token: SAMPLE_TOKEN },
    validSeconds: HOUR,
    render: ({ metadata, product, validSeconds, link }, speech) => {
      const { subject, intro, action, closing } = speech.words.password_reset;
      return {
        subject: speech.format(subject, { product }),
        paragraphs: [speech.format(intro, { validity: speech.formatDuration(validSeconds) })],
        action: { label: action, url: link('/auth/reset', metadata.token) },
        closing,
      };
    },
  }),
  ip_authorization: builtInMail<TokenFact & { readonly ip: string; readonly location: string }>({
    sample: { token: SAMPLE_TOKEN, ip: '203.0.113.7', location: UNKNOWN_LOCATION },
    validSeconds: HOLD_SECONDS,
    render: ({ metadata, product, at, client, validSeconds, link }, speech) => {
      const { subject, intro, confirm, action, closing } = speech.words.ip_authorization;
      const address = speech.formatIpAddress(metadata.ip, metadata.location);
      // An email that is sent again expires with the sign-in.
      const began = new Date(at.getTime() - (HOLD_SECONDS - validSeconds) * 1000);
      const facts = {
        ip: metadata.ip,
        at: began.toISOString(),
        browser: client?.browser ?? '',
        system: client?.system ?? '',
      };
      return {
        subject: speech.format(subject, { product }),
        paragraphs: [intro],
        facts: [
          [speech.words.labels.when, speech.formatTime(began)],
          [speech.words.labels.address, address],
          ...deviceFact(client, speech),
        ],
        request: speech.format(confirm, { validity: speech.formatDuration(validSeconds) }),
        action: { label: action, url: link('/auth/authorize-ip', metadata.token, facts) },
        closing,
      };
    },
  }),
  email_change_revert: builtInMail<TokenFact & { readonly new_email: string }>({
    sample: { token: SAMPLE_TOKEN, new_email: 'new.address@example.com' },
    validSeconds: 24 * HOUR,
    render: ({ metadata, product, validSeconds, link }, speech) => {
      const { subject, intro, undo, action } = speech.words.email_change_revert;
      return {
        subject: speech.format(subject, { product }),
        paragraphs: [speech.format(intro, { email: metadata.new_email })],
        request: speech.format(undo, { validity: speech.formatDuration(validSeconds) }),
        action: { label: action, url: link('/auth/email-revert', metadata.token) },
      };
    },
  }),
  /** Combines several notices if there are too many to send one by one. */
  security_digest: builtInMail<TokenFact & { readonly events: readonly SecurityEvent[] }>({
    sample: { events: ['totp_disabled', 'passkey_removed'], token: SAMPLE_TOKEN },
    validSeconds: LINK_SECONDS,
    render: (occasion, speech) => {
      const { metadata, product } = occasion;
      const { security_notice: notice, security_digest: digest, events } = speech.words;
      return {
        subject: speech.format(notice.subject, { product }),
        paragraphs: [digest.intro, ...metadata.events.map((event) => events[event])],
        ...lockdownLink(metadata.token, occasion, speech),
      };
    },
  }),
  account_deletion_scheduled: builtInMail<{ readonly deadline: string } & Pick<NoticeDetails, 'public_reason'>>({
    sample: { deadline: '2030-01-31T09:05:00.000Z' },
    validSeconds: 0,
    render: ({ metadata, product }, speech) => {
      const { subject, intro, closing } = speech.words.account_deletion_scheduled;
      return {
        subject: speech.format(subject, { product }),
        paragraphs: [speech.format(intro, { deadline: speech.formatTime(new Date(metadata.deadline)) })],
        facts: reasonIn(metadata.public_reason, speech),
        closing,
      };
    },
  }),
  registration_existing_account: builtInMail<NoFacts>({
    sample: {},
    validSeconds: 0,
    render: ({ product }, speech) => {
      const { subject, intro, closing } = speech.words.registration_existing_account;
      return { subject: speech.format(subject, { product }), paragraphs: [intro], closing };
    },
  }),
  registration_approved: builtInMail<NoFacts>({
    sample: {},
    validSeconds: 0,
    render: ({ product, webAppUrl }, speech) => {
      const { subject, intro, action } = speech.words.registration_approved;
      return {
        subject: speech.format(subject, { product }),
        paragraphs: [intro],
        action: { label: action, url: `${webAppUrl}/login` },
        reason: speech.format(speech.words.registration.reason, { product }),
      };
    },
  }),
  registration_rejected: builtInMail<NoFacts>({
    sample: {},
    validSeconds: 0,
    render: ({ product }, speech) => {
      const { subject, intro } = speech.words.registration_rejected;
      return {
        subject: speech.format(subject, { product }),
        paragraphs: [intro],
        reason: speech.format(speech.words.registration.reason, { product }),
      };
    },
  }),
  /** Without a `token`, it has no link that locks the account down. */
  security_notice: builtInMail<NoticeFacts>({
    sample: noticeSample('password_changed'),
    variants: Object.fromEntries(SECURITY_EVENTS.map((event) => [event, noticeSample(event)])),
    validSeconds: LINK_SECONDS,
    render: (occasion, speech) => {
      const { metadata, product, at, client } = occasion;
      const { security_notice: notice, events, labels, noEnd } = speech.words;
      const { until, public_reason: reason } = metadata;
      const end =
        until === undefined
          ? []
          : [[labels.until, until === null ? noEnd : speech.formatTime(new Date(until))] as const];
      return {
        subject: speech.format(notice.subject, { product }),
        paragraphs: [events[metadata.event]],
        facts: [
          [labels.when, speech.formatTime(at)],
          ...end,
          ...reasonIn(reason, speech),
          ...deviceFact(client, speech),
        ],
        ...(metadata.token !== undefined && lockdownLink(metadata.token, occasion, speech)),
      };
    },
  }),
};
