import type { ExtraMails } from '../../../core/merged.js';
import { LANGUAGES, type Language } from '../../../core/text/languages.js';
import { isOneLine } from '../../../core/text/text.js';
import { CONTENTS, type Content, type Occasion } from './contents.js';
import { PLACE, type Speech, speechOf } from './speech.js';

/** The type of an email of an extension. */
export type TeamMailType = keyof ExtraMails & string;

/**
 * The text of an extension's email in one language, in reading order. `{name}` is replaced by the fact of that name.
 * `{product}` and `{validity}` (how long the token or code is valid) are always available.
 */
export interface TeamMailWords {
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
export interface TeamMail<M> {
  /** Texts by language. English is required and is the fallback for missing languages. */
  readonly words: { readonly 'en-US': TeamMailWords } & { readonly [L in Language]?: TeamMailWords };
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
type AnyTeamMail = TeamMail<Facts>;

/** A type that only text messages use. */
const SMS = 'phone_verification';
const ALWAYS_THERE = ['product', 'validity'];
const SAMPLE_SECONDS = 3600;

const mails = new Map<string, AnyTeamMail>();

/** Thrown for an email type that this process does not know, because another version of the extension wrote it. */
export class UnknownMail extends Error {}

/** Types of all emails of extensions. */
export const teamMails = (): readonly string[] => [...mails.keys()];

/** @throws UnknownMail */
export function teamMail(type: string): AnyTeamMail {
  const mail = mails.get(type);
  if (!mail) throw new UnknownMail(`no module has registered the mail ${type}`);
  return mail;
}

const textsOf = ({ subject, paragraphs, facts = [], request, action, closing, reason }: TeamMailWords): string[] =>
  [subject, ...paragraphs, ...facts.flat(), request, action, closing, reason].filter((text) => text !== undefined);

function* faultsOf({ words, link, sample }: AnyTeamMail): Generator<string> {
  if (words['en-US'] === undefined) yield 'has no words in en-US';
  const known = new Set([...ALWAYS_THERE, ...Object.keys(sample)]);
  for (const [language, said] of Object.entries(words)) {
    if (!LANGUAGES.includes(language as Language)) yield `has words in ${language}, which no mail speaks`;
    if (said.paragraphs.length === 0) yield `has no paragraph in ${language}`;
    if ((said.action === undefined) !== (link === undefined))
      yield `has a link or words for it, not both, in ${language}`;
    for (const text of textsOf(said)) {
      if (!isOneLine(text)) yield `says in ${language} what is not one line: ${JSON.stringify(text)}`;
      for (const [, name = ''] of text.matchAll(PLACE)) {
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
export function registerMail<T extends TeamMailType>(type: T, mail: TeamMail<ExtraMails[T]>): void {
  add(type, mail as unknown as AnyTeamMail);
}

function add(type: string, mail: AnyTeamMail): void {
  const isTaken = Object.hasOwn(CONTENTS, type) || type === SMS || mails.has(type);
  if (isTaken || !/^[a-z][a-z0-9_]{0,63}$/.test(type)) throw new Error(`the mail ${type} cannot be added`);
  const [fault] = faultsOf(mail);
  if (fault !== undefined) throw new Error(`the mail ${type} ${fault}`);
  mails.set(type, mail);
}

/** Formats facts for use in a sentence, each as one line. */
function saidFacts({ metadata, product, validSeconds }: Occasion<Facts>, speech: Speech): Record<string, string> {
  const said = Object.entries(metadata).map(([name, value]) => [
    name,
    typeof value === 'number' ? speech.number(value) : value.replace(/\s+/g, ' '),
  ]);
  return { ...Object.fromEntries(said), product, validity: speech.duration(validSeconds) };
}

function addressOf(link: AnyTeamMail['link'], { metadata, webAppUrl }: Occasion<Facts>): string {
  const { protocol, href } = new URL(link?.(metadata, webAppUrl) ?? '');
  if (protocol !== 'https:' && protocol !== 'http:') throw new Error(`a mail cannot lead to ${protocol}`);
  return href;
}

/**
 * Renders an extension's email in a language, or in English if it has no text in that language.
 * @throws UnknownMail
 */
export function mailOfTeam(type: string, occasion: Occasion<Facts>, spoken: Language) {
  const { words, link, code } = teamMail(type);
  const language = words[spoken] ? spoken : 'en-US';
  const speech = speechOf(language);
  const facts = saidFacts(occasion, speech);
  const say = (text: string) => speech.say(text, facts);
  const {
    subject,
    paragraphs,
    facts: labelled = [],
    request,
    action,
    closing,
    reason,
  } = words[language] as TeamMailWords;
  const content: Content = {
    subject: say(subject),
    paragraphs: paragraphs.map(say),
    facts: labelled.map(([label, value]) => [say(label), say(value)]),
    ...(request !== undefined && { request: say(request) }),
    ...(code && { code: code(occasion.metadata) }),
    ...(action !== undefined && { action: { label: say(action), url: addressOf(link, occasion) } }),
    ...(closing !== undefined && { closing: say(closing) }),
    reason: say(reason),
  };
  return { content, language, speech };
}

/** The example facts of an extension's email. */
export const sampleFacts = (type: string) => ({ metadata: teamMail(type).sample, validSeconds: SAMPLE_SECONDS });
