import type { ExtensionMailType } from '../core/merged.js';
import type { Language } from '../core/text/languages.js';
import { sampleFacts } from '../platform/mail/templates/extension-mails.js';
import {
  type AnyMailType,
  type MailBranding,
  type RenderedMail,
  renderMail,
} from '../platform/mail/templates/render.js';
import { codeMessage } from '../platform/mail/templates/text-message.js';
import {
  ADMINISTRATOR_EVENTS,
  type MailMetadata,
  type MailType,
  SECURITY_EVENTS,
  type SecurityEvent,
  UNKNOWN_LOCATION,
} from '../platform/mail/templates/words/kinds.js';
import type { FeatureRegistry } from '../policy/feature-registry.js';

const token = 'Sample0'.repeat(10).slice(0, 64);
const code = 'K7QF-2XMB';
const HOUR = 3600;

type Sample<M> = { readonly metadata: M; readonly validSeconds: number };

const MAILS: { readonly [T in Exclude<MailType, 'security_notice'>]: Sample<MailMetadata[T]> } = {
  email_verification: { metadata: { token }, validSeconds: 24 * HOUR },
  password_reset: { metadata: { token }, validSeconds: HOUR },
  ip_authorization: { metadata: { token, ip: '203.0.113.7', location: UNKNOWN_LOCATION }, validSeconds: 900 },
  email_change_original: { metadata: { code }, validSeconds: 600 },
  email_change_new: { metadata: { code }, validSeconds: 600 },
  password_change: { metadata: { code }, validSeconds: 600 },
  backup_codes_challenge: { metadata: { code }, validSeconds: 600 },
  email_change_revert: { metadata: { token, new_email: 'new.address@example.com' }, validSeconds: 24 * HOUR },
  security_digest: { metadata: { events: ['totp_disabled', 'passkey_removed'], token }, validSeconds: 7 * 24 * HOUR },
  account_deletion_scheduled: {
    metadata: { deadline: '2030-01-31T09:05:00.000Z' },
    validSeconds: 0,
  },
  registration_existing_account: { metadata: {}, validSeconds: 0 },
  registration_approved: { metadata: {}, validSeconds: 0 },
  registration_rejected: { metadata: {}, validSeconds: 0 },
  mail_test: { metadata: {}, validSeconds: 0 },
};

const NOTICE = 'security_notice.';
const SMS = 'phone_verification';

/** Every kind of built-in message, with one entry per event of the security notice. */
export const SAMPLES: readonly string[] = [
  ...Object.keys(MAILS),
  ...SECURITY_EVENTS.map((event) => NOTICE + event),
  SMS,
];

/** The built-in messages, then those of extensions. */
export const allSamples = ({ mails }: FeatureRegistry): readonly string[] => [...SAMPLES, ...mails.keys()];

export interface SampleOptions {
  readonly product: string;
  readonly webAppUrl: string;
  readonly look: MailBranding;
}

export type ShownMessage = Omit<RenderedMail, 'html' | 'subject'> & Partial<RenderedMail>;

const noticeSample = (event: SecurityEvent): Sample<MailMetadata['security_notice']> => ({
  metadata: ADMINISTRATOR_EVENTS.has(event) ? { event } : { event, token },
  validSeconds: 7 * 24 * HOUR,
});

function findSample(
  { mails }: FeatureRegistry,
  kind: string,
): { type: AnyMailType; metadata: object; validSeconds: number } {
  const event = SECURITY_EVENTS.find((name) => kind === NOTICE + name);
  if (event) return { type: 'security_notice', ...noticeSample(event) };
  if (Object.hasOwn(MAILS, kind)) return { type: kind as MailType, ...MAILS[kind as keyof typeof MAILS] };
  return { type: kind as ExtensionMailType, ...sampleFacts(mails, kind) };
}

/** Renders a message as its recipient would see it, with sample data. */
export function renderSample(
  features: FeatureRegistry,
  kind: string,
  language: Language,
  { product, webAppUrl, look }: SampleOptions,
): ShownMessage {
  if (kind === SMS) return { text: codeMessage(language, product, '482913', 600) };
  const { type, ...sample } = findSample(features, kind);
  const occasion = {
    ...{ ...sample, metadata: sample.metadata as never, product },
    at: new Date('2030-01-24T15:40:00.000Z'),
    client: { browser: 'Firefox', system: 'Linux' },
    webAppUrl,
    link: (path: string, secret: string) => `${webAppUrl}${path}#token=${secret}`,
  };
  return renderMail(features.mails, type, occasion, language, look);
}
