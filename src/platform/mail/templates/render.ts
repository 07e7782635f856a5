import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Eta } from 'eta/core';
import type { Config } from '../../../core/config/config.js';
import { directionOf, type Language } from '../../../core/text/languages.js';
import { CONTENTS, type Content, type Occasion } from './contents.js';
import { darkRules, paletteOf } from './palette.js';
import { asPlainText, type Footer } from './plain-text.js';
import { type Speech, speechOf } from './speech.js';
import { mailOfTeam, type TeamMailType } from './team-mails.js';
import type { MailType } from './words/kinds.js';

const eta = new Eta({ autoEscape: true, cache: true });
eta.loadTemplate('@layout', readFileSync(join(import.meta.dirname, 'layout.html.eta'), 'utf8'));

export interface RenderedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** How the platform shows itself in a message. */
export interface Look extends Pick<Config['brand'], 'accent'> {
  readonly logo: string | undefined;
  readonly supportUrl: string | null | undefined;
  readonly termsUrl: string | null | undefined;
  readonly privacyUrl: string | null | undefined;
}

/** The look of the configuration; its logo if mail programs can load and show it. */
export function lookOf(
  { brand, web }: Pick<Config, 'brand' | 'web'>,
  legal: Pick<Look, 'termsUrl' | 'privacyUrl'>,
): Look {
  const { logo, accent, supportUrl } = brand;
  const isShown = logo?.inMails === true && (logo.file === undefined || web.pages);
  return { accent, logo: isShown ? logo.url : undefined, supportUrl, ...legal };
}

export type AnyMailType = MailType | TeamMailType;
/** Which facts belong to which kind is held where messages are written. */
type AnyOccasion = Occasion<never>;

interface Spoken {
  readonly content: Content;
  readonly language: Language;
  readonly speech: Speech;
}

const isOurs = (type: AnyMailType): type is MailType => Object.hasOwn(CONTENTS, type);

/** A message in a language, or in English where a team has no words in that language. */
function spokenContent(type: AnyMailType, occasion: AnyOccasion, spoken: Language): Spoken {
  if (!isOurs(type)) return mailOfTeam(type, occasion, spoken);
  const speech = speechOf(spoken);
  return { content: CONTENTS[type](occasion, speech), language: spoken, speech };
}

const ISOLATES = /[\u2066-\u2069]/g;

/** A mail as plain text and as HTML with the same facts, where everything that is not ours is escaped. */
export function renderMail(type: AnyMailType, occasion: AnyOccasion, spoken: Language, look: Look): RenderedMail {
  const { content, language, speech } = spokenContent(type, occasion, spoken);
  const { words } = speech;
  const { product } = occasion;
  const footer: Footer = {
    product,
    reason: content.reason ?? speech.say(words.reason, { product }),
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
    light: paletteOf('light', look.accent),
    darkRules: darkRules(paletteOf('dark', look.accent)),
  });
  // Programs that list subjects know no isolates, and a header is one line.
  const subject = content.subject.replace(ISOLATES, '').replace(/\s+/g, ' ').trim();
  return { subject, text: asPlainText(content, footer, language, speech), html };
}
