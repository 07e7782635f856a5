import { adminMails } from '../admin/admin.mails.js';
import { authMails } from '../auth/auth.mails.js';
import type { Language } from '../core/text/languages.js';
import { personalTokenMails } from '../oauth/personal-tokens/personal-tokens.mails.js';
import { linkWithFragment } from '../platform/mail/templates/contents.js';
import { sampleFacts } from '../platform/mail/templates/extension-mails.js';
import { type MailBranding, type RenderedMail, renderMail } from '../platform/mail/templates/render.js';
import { codeMessage } from '../platform/mail/templates/text-message.js';
import type { BuiltInMail } from '../policy/feature-mail.js';
import type { FeatureRegistry } from '../policy/feature-registry.js';
import { userMails } from '../users/users.mails.js';

const BUILT_IN: Readonly<Record<string, BuiltInMail>> = {
  ...authMails,
  ...userMails,
  ...adminMails,
  ...personalTokenMails,
};
const SMS = 'phone_verification';

/** An example of a built-in email. An email with variants has one example for each, such as `security_notice.locked_down`. */
const EXAMPLES = new Map(
  Object.entries(BUILT_IN)
    .sort(([, one], [, other]) => Number('variants' in one) - Number('variants' in other))
    .flatMap(([type, { sample, variants, validSeconds }]) =>
      Object.entries(variants ?? { '': sample }).map(
        ([name, metadata]) => [name ? `${type}.${name}` : type, { type, metadata, validSeconds }] as const,
      ),
    ),
);

/** Every kind of built-in message, with one entry per event of the security notice. */
export const SAMPLES: readonly string[] = [...EXAMPLES.keys(), SMS];

/** The built-in messages, then those of extensions. */
export const allSamples = ({ mails }: FeatureRegistry): readonly string[] => [
  ...SAMPLES,
  ...[...mails.keys()].filter((type) => !Object.hasOwn(BUILT_IN, type)),
];

export interface SampleOptions {
  readonly product: string;
  readonly webAppUrl: string;
  readonly look: MailBranding;
}

export type ShownMessage = Omit<RenderedMail, 'html' | 'subject'> & Partial<RenderedMail>;

/** Renders a message as its recipient would see it, with sample data. */
export function renderSample(
  features: FeatureRegistry,
  kind: string,
  language: Language,
  { product, webAppUrl, look }: SampleOptions,
): ShownMessage {
  if (kind === SMS) return { text: codeMessage(language, product, '482913', 600) };
  const { type, ...sample } = EXAMPLES.get(kind) ?? { type: kind, ...sampleFacts(features.mails, kind) };
  const context = {
    ...{ ...sample, product },
    at: new Date('2030-01-24T15:40:00.000Z'),
    client: { browser: 'Firefox', system: 'Linux' },
    webAppUrl,
    link: (path: string, secret: string, facts?: Readonly<Record<string, string>>) =>
      linkWithFragment(`${webAppUrl}${path}`, secret, facts),
  };
  return renderMail(features.mails, type, context, language, look);
}
