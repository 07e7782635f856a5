import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Eta } from 'eta/core';
import type { Config } from '../../../core/config/config.js';
import { directionOf, type Language } from '../../../core/text/languages.js';
import type { MailFacts } from '../../../policy/feature-mail.js';
import type { FeatureRegistry } from '../../../policy/feature-registry.js';
import type { Content, MailContext } from './contents.js';
import { isBuiltIn, renderExtensionMail } from './extension-mails.js';
import { createPalette, darkRules } from './palette.js';
import { type Footer, renderPlainText } from './plain-text.js';
import { getTranslator, type Translator } from './translator.js';

const eta = new Eta({ autoEscape: true, cache: true });
eta.loadTemplate('@layout', readFileSync(join(import.meta.dirname, 'layout.html.eta'), 'utf8'));

export interface RenderedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Branding of an email. */
export interface MailBranding extends Pick<Config['brand'], 'accent'> {
  readonly logo: string | undefined;
  readonly supportUrl: string | null | undefined;
  readonly termsUrl: string | null | undefined;
  readonly privacyUrl: string | null | undefined;
}

/** Branding from the configuration. It includes the logo only if email clients can load and display it. */
export function mailBranding(
  { brand, web }: Pick<Config, 'brand' | 'web'>,
  legal: Pick<MailBranding, 'termsUrl' | 'privacyUrl'>,
): MailBranding {
  const { logo, accent, supportUrl } = brand;
  const isShown = logo?.inMails === true && (logo.file === undefined || web.pages);
  return { accent, logo: isShown ? logo.url : undefined, supportUrl, ...legal };
}

/** The emails of all features. */
type Mails = FeatureRegistry['mails'];

/** The caller that writes a message checks that the facts match its type. */
type AnyMailContext = MailContext<unknown>;

interface LocalizedContent {
  readonly content: Content;
  readonly language: Language;
  readonly translator: Translator;
}

/** Renders a message in a language. If an extension has no text in it, English is used. */
function renderContent(mails: Mails, type: string, context: AnyMailContext, language: Language): LocalizedContent {
  const mail = mails.get(type);
  if (!mail || !isBuiltIn(mail)) return renderExtensionMail(mails, type, context as MailContext<MailFacts>, language);
  const translator = getTranslator(language);
  return { content: mail.render(context, translator) as Content, language, translator };
}

const ISOLATES = /[\u2066-\u2069]/g;

/** Renders an email as plain text and as HTML with the same facts. Everything that comes from outside is escaped. */
export function renderMail(
  mails: Mails,
  type: string,
  context: AnyMailContext,
  requestedLanguage: Language,
  look: MailBranding,
): RenderedMail {
  const { content, language, translator } = renderContent(mails, type, context, requestedLanguage);
  const { words } = translator;
  const { product } = context;
  const footer: Footer = {
    product,
    reason: content.reason ?? translator.format(words.reason, { product }),
    links: (['support', 'terms', 'privacy'] as const).flatMap((name) => {
      const url = look[`${name}Url`];
      return url ? [{ label: words.links[name], url }] : [];
    }),
  };
  const html = eta.render('@layout', {
    ...content,
    ...footer,
    language,
    direction: directionOf(language),
    logo: look.logo,
    fallback: words.fallback,
    labelled: (label: string) =>
      words.fact
        .replace('{label}', () => label)
        .replace('{value}', '')
        .trimEnd(),
    light: createPalette('light', look.accent),
    darkRules: darkRules(createPalette('dark', look.accent)),
  });
  // Mail clients show isolate characters in subjects as garbage, and a header must be one line.
  const subject = content.subject.replace(ISOLATES, '').replace(/\s+/g, ' ').trim();
  return { subject, text: renderPlainText(content, footer, language, translator), html };
}
