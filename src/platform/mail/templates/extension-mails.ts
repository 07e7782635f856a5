import { LANGUAGES, type Language } from '../../../core/text/languages.js';
import { suggest } from '../../../core/text/similar.js';
import { isOneLine } from '../../../core/text/text.js';
import type { Feature } from '../../../policy/feature.js';
import type { BuiltInMail, FeatureMail, FeatureMailTexts, MailFacts } from '../../../policy/feature-mail.js';
import { assertNoFaults } from '../../../policy/feature-registry.js';
import type { Content, MailContext } from './contents.js';
import { getTranslator, PLACEHOLDER, type Translator } from './translator.js';

type Mails = ReadonlyMap<string, FeatureMail | BuiltInMail>;

export const isBuiltIn = (mail: FeatureMail | BuiltInMail): mail is BuiltInMail => 'render' in mail;

const BUILT_IN_PLACEHOLDERS = ['product', 'validity'];
const SAMPLE_SECONDS = 3600;

/** Thrown for an email type that this process does not know, because another version of the extension wrote it. */
export class UnknownMailError extends Error {}

/** @throws UnknownMailError */
export function requireExtensionMail(mails: Mails, type: string): FeatureMail {
  const mail = mails.get(type);
  if (!mail || isBuiltIn(mail))
    throw new UnknownMailError(`Unknown email ${type}. Declare it in \`mails\` of a feature`);
  return mail;
}

const allTexts = ({ subject, paragraphs, facts = [], request, action, closing, reason }: FeatureMailTexts): string[] =>
  [subject, ...paragraphs, ...facts.flat(), request, action, closing, reason].filter((text) => text !== undefined);

function* findFaults({ words, link, sample }: FeatureMail): Generator<string> {
  if (words['en-US'] === undefined) yield 'has no texts in en-US';
  const known = new Set([...BUILT_IN_PLACEHOLDERS, ...Object.keys(sample)]);
  const list = [...known].map((name) => `{${name}}`).join(', ');
  for (const [language, translation] of Object.entries(words)) {
    if (!LANGUAGES.includes(language as Language)) yield `has texts in ${language}, which is not a language of emails`;
    if (translation.paragraphs.length === 0) yield `has no paragraph in ${language}`;
    if ((translation.action === undefined) !== (link === undefined))
      yield `has only one of link and action in ${language}. Set both, or neither`;
    for (const text of allTexts(translation)) {
      if (!isOneLine(text)) yield `has a text in ${language} that is not one line: ${JSON.stringify(text)}`;
      for (const [, name = ''] of text.matchAll(PLACEHOLDER)) {
        if (!known.has(name))
          yield `uses the unknown placeholder {${name}} in ${language}. Add it to sample, or use one of ${list}${suggest(name, known)}`;
      }
    }
  }
}

/** @throws StartError with every invalid text of an email */
export function assertValidMails(features: readonly Feature[]): void {
  const faults = features.flatMap(({ name, mails = {} }) =>
    Object.entries(mails).flatMap(([type, mail]) =>
      isBuiltIn(mail) ? [] : [...findFaults(mail)].map((fault) => `${name}: the email ${type} ${fault}`),
    ),
  );
  assertNoFaults(faults);
}

/** Formats facts for use in a sentence, each as one line. */
function formatFacts(
  { metadata, product, validSeconds }: MailContext<MailFacts>,
  translator: Translator,
): Record<string, string> {
  const formatted = Object.entries(metadata).map(([name, value]) => [
    name,
    typeof value === 'number' ? translator.formatNumber(value) : value.replace(/\s+/g, ' '),
  ]);
  return { ...Object.fromEntries(formatted), product, validity: translator.formatDuration(validSeconds) };
}

function resolveLink(link: FeatureMail['link'], { metadata, webAppUrl }: MailContext<MailFacts>): string {
  const { protocol, href } = new URL(link?.(metadata, webAppUrl) ?? '');
  if (protocol !== 'https:' && protocol !== 'http:')
    throw new Error(`Invalid link in an email: ${protocol}. Use https or http`);
  return href;
}

/**
 * Renders an extension's email in a language, or in English if it has no text in that language.
 * @throws UnknownMailError
 */
export function renderExtensionMail(mails: Mails, type: string, context: MailContext<MailFacts>, spoken: Language) {
  const { words, link, code } = requireExtensionMail(mails, type);
  const language = words[spoken] ? spoken : 'en-US';
  const translator = getTranslator(language);
  const facts = formatFacts(context, translator);
  const say = (text: string) => translator.format(text, facts);
  const {
    subject,
    paragraphs,
    facts: labelled = [],
    request,
    action,
    closing,
    reason,
  } = words[language] as FeatureMailTexts;
  const content: Content = {
    subject: say(subject),
    paragraphs: paragraphs.map(say),
    facts: labelled.map(([label, value]) => [say(label), say(value)]),
    ...(request !== undefined && { request: say(request) }),
    ...(code && { code: code(context.metadata) }),
    ...(action !== undefined && { action: { label: say(action), url: resolveLink(link, context) } }),
    ...(closing !== undefined && { closing: say(closing) }),
    reason: say(reason),
  };
  return { content, language, translator };
}

/** The example facts of an extension's email. */
export const sampleFacts = (mails: Mails, type: string) => ({
  metadata: requireExtensionMail(mails, type).sample,
  validSeconds: SAMPLE_SECONDS,
});
