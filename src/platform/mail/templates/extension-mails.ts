import type { ExtraMails } from '../../../core/merged.js';
import { LANGUAGES, type Language } from '../../../core/text/languages.js';
import { isOneLine } from '../../../core/text/text.js';
import { type Content, MAIL_RENDERERS, type MailContext } from './contents.js';
import { getTranslator, PLACEHOLDER, type Translator } from './translator.js';

/** The type of an email of an extension. */
export type ExtensionMailType = keyof ExtraMails & string;

/**
 * The text of an extension's email in one language, in reading order. `{name}` is replaced by the fact of that name.
 * `{product}` and `{validity}` (how long the token or code is valid) are always available.
 */
export interface ExtensionMailTexts {
  readonly subject: string;
  readonly paragraphs: readonly string[];
  readonly facts?: readonly (readonly [label: string, value: string])[];
  /** Sentence before the action. */
  readonly request?: string;
  /** Label of the button, if the email has one. */
  readonly action?: string;
  readonly closing?: string;
  /** Why the recipient gets the email, shown in the footer. */
  readonly reason: string;
}

/** An email of an extension. */
export interface ExtensionMail<M> {
  /** Texts by language. English is required and is the fallback for missing languages. */
  readonly words: { readonly 'en-US': ExtensionMailTexts } & { readonly [L in Language]?: ExtensionMailTexts };
  /** URL of the button. It may be a page of the web application. */
  readonly link?: (facts: M, webAppUrl: string) => string;
  /** A code that the user types in, shown on a line of its own. */
  readonly code?: (facts: M) => string;
  /** If true, it is also sent to users who only want email about the security of their accounts. */
  readonly isSecurity?: boolean;
  /** Example facts, with which `/dev/mails` shows the email. */
  readonly sample: M;
}

type Facts = Readonly<Record<string, string | number>>;
type AnyExtensionMail = ExtensionMail<Facts>;

/** A type that only text messages use. */
const TEXT_MESSAGE_TYPE = 'phone_verification';
const BUILT_IN_PLACEHOLDERS = ['product', 'validity'];
const SAMPLE_SECONDS = 3600;

const registeredMails = new Map<string, AnyExtensionMail>();

/** Thrown for an email type that this process does not know, because another version of the extension wrote it. */
export class UnknownMailError extends Error {}

/** Types of all emails of extensions. */
export const extensionMailTypes = (): readonly string[] => [...registeredMails.keys()];

/** @throws UnknownMailError */
export function requireExtensionMail(type: string): AnyExtensionMail {
  const mail = registeredMails.get(type);
  if (!mail) throw new UnknownMailError(`no module has registered the mail ${type}`);
  return mail;
}

const allTexts = ({
  subject,
  paragraphs,
  facts = [],
  request,
  action,
  closing,
  reason,
}: ExtensionMailTexts): string[] =>
  [subject, ...paragraphs, ...facts.flat(), request, action, closing, reason].filter((text) => text !== undefined);

function* findFaults({ words, link, sample }: AnyExtensionMail): Generator<string> {
  if (words['en-US'] === undefined) yield 'has no words in en-US';
  const known = new Set([...BUILT_IN_PLACEHOLDERS, ...Object.keys(sample)]);
  for (const [language, said] of Object.entries(words)) {
    if (!LANGUAGES.includes(language as Language)) yield `has words in ${language}, which no mail speaks`;
    if (said.paragraphs.length === 0) yield `has no paragraph in ${language}`;
    if ((said.action === undefined) !== (link === undefined))
      yield `has a link or words for it, not both, in ${language}`;
    for (const text of allTexts(said)) {
      if (!isOneLine(text)) yield `says in ${language} what is not one line: ${JSON.stringify(text)}`;
      for (const [, name = ''] of text.matchAll(PLACEHOLDER)) {
        if (!known.has(name)) yield `has nothing to say for {${name}} in ${language}`;
      }
    }
  }
}

/**
 * Registers an email of an extension. It gets the branding and languages of the built-in emails.
 * @param type its key in `ExtraMails`, which the extension declares with the facts of the email
 * @throws Error if the type is taken or a text is invalid
 */
export function registerMail<T extends ExtensionMailType>(type: T, mail: ExtensionMail<ExtraMails[T]>): void {
  addMail(type, mail as unknown as AnyExtensionMail);
}

function addMail(type: string, mail: AnyExtensionMail): void {
  const isTaken = Object.hasOwn(MAIL_RENDERERS, type) || type === TEXT_MESSAGE_TYPE || registeredMails.has(type);
  if (isTaken || !/^[a-z][a-z0-9_]{0,63}$/.test(type)) throw new Error(`the mail ${type} cannot be added`);
  const [fault] = findFaults(mail);
  if (fault !== undefined) throw new Error(`the mail ${type} ${fault}`);
  registeredMails.set(type, mail);
}

/** Formats facts for use in a sentence, each as one line. */
function formatFacts(
  { metadata, product, validSeconds }: MailContext<Facts>,
  speech: Translator,
): Record<string, string> {
  const said = Object.entries(metadata).map(([name, value]) => [
    name,
    typeof value === 'number' ? speech.formatNumber(value) : value.replace(/\s+/g, ' '),
  ]);
  return { ...Object.fromEntries(said), product, validity: speech.formatDuration(validSeconds) };
}

function resolveLink(link: AnyExtensionMail['link'], { metadata, webAppUrl }: MailContext<Facts>): string {
  const { protocol, href } = new URL(link?.(metadata, webAppUrl) ?? '');
  if (protocol !== 'https:' && protocol !== 'http:') throw new Error(`a mail cannot lead to ${protocol}`);
  return href;
}

/**
 * Renders an extension's email in a language, or in English if it has no text in that language.
 * @throws UnknownMailError
 */
export function renderExtensionMail(type: string, occasion: MailContext<Facts>, spoken: Language) {
  const { words, link, code } = requireExtensionMail(type);
  const language = words[spoken] ? spoken : 'en-US';
  const speech = getTranslator(language);
  const facts = formatFacts(occasion, speech);
  const say = (text: string) => speech.format(text, facts);
  const {
    subject,
    paragraphs,
    facts: labelled = [],
    request,
    action,
    closing,
    reason,
  } = words[language] as ExtensionMailTexts;
  const content: Content = {
    subject: say(subject),
    paragraphs: paragraphs.map(say),
    facts: labelled.map(([label, value]) => [say(label), say(value)]),
    ...(request !== undefined && { request: say(request) }),
    ...(code && { code: code(occasion.metadata) }),
    ...(action !== undefined && { action: { label: say(action), url: resolveLink(link, occasion) } }),
    ...(closing !== undefined && { closing: say(closing) }),
    reason: say(reason),
  };
  return { content, language, speech };
}

/** The example facts of an extension's email. */
export const sampleFacts = (type: string) => ({
  metadata: requireExtensionMail(type).sample,
  validSeconds: SAMPLE_SECONDS,
});
