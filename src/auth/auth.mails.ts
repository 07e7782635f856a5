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

const reasonIn = (reason: string | undefined, translator: Translator) =>
  reason === undefined ? [] : [[translator.words.labels.publicReason, reason] as const];

/** Link to the page that locks the account down, with the sentence before it. */
const lockdownLink = (
  token: string,
  { validSeconds, link }: Pick<MailContext<TokenFact>, 'validSeconds' | 'link'>,
  translator: Translator,
) => ({
  request: translator.format(translator.words.security_notice.lock, {
    validity: translator.formatDuration(validSeconds),
  }),
  action: { label: translator.words.security_notice.action, url: link('/auth/lockdown', token) },
});

/** Emails about sign-in, registration and the security of an account (auth.md section 13). */
export const authMails = {
  email_verification: builtInMail<TokenFact>({
    sample: { token: SAMPLE_TOKEN },
    validSeconds: 24 * HOUR,
    render: ({ metadata, product, validSeconds, link }, translator) => {
      const { subject, intro, action, closing } = translator.words.email_verification;
      return {
        subject: translator.format(subject, { product }),
        paragraphs: [translator.format(intro, { validity: translator.formatDuration(validSeconds) })],
        action: { label: action, url: link('/auth/verify', metadata.token) },
        closing,
      };
    },
  }),
  password_reset: builtInMail<TokenFact>({
    sample: { token: SAMPLE_TOKEN },
    validSeconds: HOUR,
    render: ({ metadata, product, validSeconds, link }, translator) => {
      const { subject, intro, action, closing } = translator.words.password_reset;
      return {
        subject: translator.format(subject, { product }),
        paragraphs: [translator.format(intro, { validity: translator.formatDuration(validSeconds) })],
        action: { label: action, url: link('/auth/reset', metadata.token) },
        closing,
      };
    },
  }),
  ip_authorization: builtInMail<TokenFact & { readonly ip: string; readonly location: string }>({
    sample: { token: SAMPLE_TOKEN, ip: '203.0.113.7', location: UNKNOWN_LOCATION },
    validSeconds: HOLD_SECONDS,
    render: ({ metadata, product, at, client, validSeconds, link }, translator) => {
      const { subject, intro, confirm, action, closing } = translator.words.ip_authorization;
      const address = translator.formatIpAddress(metadata.ip, metadata.location);
      // An email that is sent again expires with the sign-in.
      const began = new Date(at.getTime() - (HOLD_SECONDS - validSeconds) * 1000);
      const facts = {
        ip: metadata.ip,
        at: began.toISOString(),
        browser: client?.browser ?? '',
        system: client?.system ?? '',
      };
      return {
        subject: translator.format(subject, { product }),
        paragraphs: [intro],
        facts: [
          [translator.words.labels.when, translator.formatTime(began)],
          [translator.words.labels.address, address],
          ...deviceFact(client, translator),
        ],
        request: translator.format(confirm, { validity: translator.formatDuration(validSeconds) }),
        action: { label: action, url: link('/auth/authorize-ip', metadata.token, facts) },
        closing,
      };
    },
  }),
  email_change_revert: builtInMail<TokenFact & { readonly new_email: string }>({
    sample: { token: SAMPLE_TOKEN, new_email: 'new.address@example.com' },
    validSeconds: 24 * HOUR,
    render: ({ metadata, product, validSeconds, link }, translator) => {
      const { subject, intro, undo, action } = translator.words.email_change_revert;
      return {
        subject: translator.format(subject, { product }),
        paragraphs: [translator.format(intro, { email: metadata.new_email })],
        request: translator.format(undo, { validity: translator.formatDuration(validSeconds) }),
        action: { label: action, url: link('/auth/email-revert', metadata.token) },
      };
    },
  }),
  /** Combines several notices if there are too many to send one by one. */
  security_digest: builtInMail<TokenFact & { readonly events: readonly SecurityEvent[] }>({
    sample: { events: ['totp_disabled', 'passkey_removed'], token: SAMPLE_TOKEN },
    validSeconds: LINK_SECONDS,
    render: (context, translator) => {
      const { metadata, product } = context;
      const { security_notice: notice, security_digest: digest, events } = translator.words;
      return {
        subject: translator.format(notice.subject, { product }),
        paragraphs: [digest.intro, ...metadata.events.map((event) => events[event])],
        ...lockdownLink(metadata.token, context, translator),
      };
    },
  }),
  account_deletion_scheduled: builtInMail<{ readonly deadline: string } & Pick<NoticeDetails, 'public_reason'>>({
    sample: { deadline: '2030-01-31T09:05:00.000Z' },
    validSeconds: 0,
    render: ({ metadata, product }, translator) => {
      const { subject, intro, closing } = translator.words.account_deletion_scheduled;
      return {
        subject: translator.format(subject, { product }),
        paragraphs: [translator.format(intro, { deadline: translator.formatTime(new Date(metadata.deadline)) })],
        facts: reasonIn(metadata.public_reason, translator),
        closing,
      };
    },
  }),
  registration_existing_account: builtInMail<NoFacts>({
    sample: {},
    validSeconds: 0,
    render: ({ product }, translator) => {
      const { subject, intro, closing } = translator.words.registration_existing_account;
      return { subject: translator.format(subject, { product }), paragraphs: [intro], closing };
    },
  }),
  registration_approved: builtInMail<NoFacts>({
    sample: {},
    validSeconds: 0,
    render: ({ product, webAppUrl }, translator) => {
      const { subject, intro, action } = translator.words.registration_approved;
      return {
        subject: translator.format(subject, { product }),
        paragraphs: [intro],
        action: { label: action, url: `${webAppUrl}/login` },
        reason: translator.format(translator.words.registration.reason, { product }),
      };
    },
  }),
  registration_rejected: builtInMail<NoFacts>({
    sample: {},
    validSeconds: 0,
    render: ({ product }, translator) => {
      const { subject, intro } = translator.words.registration_rejected;
      return {
        subject: translator.format(subject, { product }),
        paragraphs: [intro],
        reason: translator.format(translator.words.registration.reason, { product }),
      };
    },
  }),
  /** Without a `token`, it has no link that locks the account down. */
  security_notice: builtInMail<NoticeFacts>({
    sample: noticeSample('password_changed'),
    variants: Object.fromEntries(SECURITY_EVENTS.map((event) => [event, noticeSample(event)])),
    validSeconds: LINK_SECONDS,
    render: (context, translator) => {
      const { metadata, product, at, client } = context;
      const { security_notice: notice, events, labels, noEnd } = translator.words;
      const { until, public_reason: reason } = metadata;
      const end =
        until === undefined
          ? []
          : [[labels.until, until === null ? noEnd : translator.formatTime(new Date(until))] as const];
      return {
        subject: translator.format(notice.subject, { product }),
        paragraphs: [events[metadata.event]],
        facts: [
          [labels.when, translator.formatTime(at)],
          ...end,
          ...reasonIn(reason, translator),
          ...deviceFact(client, translator),
        ],
        ...(metadata.token !== undefined && lockdownLink(metadata.token, context, translator)),
      };
    },
  }),
};
