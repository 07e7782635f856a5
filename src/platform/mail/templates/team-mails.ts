import type { ExtraMails } from '../../../core/merged.js';
import { LANGUAGES, type Language } from '../../../core/text/languages.js';
import { isOneLine } from '../../../core/text/text.js';
import { CONTENTS, type Content, type Occasion } from './contents.js';
import { PLACE, type Speech, speechOf } from './speech.js';

/** The name of a mail of a team. */
export type TeamMailType = keyof ExtraMails & string;

/**
 * What a mail of a team says in one language, in the order in which it is read. `{name}` is filled with the fact of that
 * name; `{product}` and `{validity}`, how long what was sent works, are always there.
 */
export interface TeamMailWords {
  readonly subject: string;
  readonly paragraphs: readonly string[];
  readonly facts?: readonly (readonly [label: string, value: string])[];
  /** What leads to the action. */
  readonly request?: string;
  /** The words of the button, where the mail has one. */
  readonly action?: string;
  readonly closing?: string;
  /** Why people get the mail, at its end. */
  readonly reason: string;
}

/** A mail of a team. */
export interface TeamMail<M> {
  /** By language, English always; whoever reads another one gets English. */
  readonly words: { readonly 'en-US': TeamMailWords } & { readonly [L in Language]?: TeamMailWords };
  /** Where the button leads: an address, which may begin with that of the web application. */
  readonly link?: (facts: M, webAppUrl: string) => string;
  /** What is to be typed in somewhere, shown by itself. */
  readonly code?: (facts: M) => string;
  /** Is sent to those as well who want no mail but about the security of their accounts. */
  readonly isSecurity?: boolean;
  /** Made-up facts: `/dev/mails` shows the mail with them. */
  readonly sample: M;
}

type Facts = Readonly<Record<string, string | number>>;
type AnyTeamMail = TeamMail<Facts>;

/** A kind that is text messages' own. */
const SMS = 'phone_verification';
const ALWAYS_THERE = ['product', 'validity'];
const SAMPLE_SECONDS = 3600;

const mails = new Map<string, AnyTeamMail>();

/** A mail that this process was not told of: another version of the team's modules wrote it. */
export class UnknownMail extends Error {}

/** The names of the mails of teams. */
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
 * Adds a mail of a team's own, in the look and the languages of all others.
 * @param type merged into `ExtraMails` with the facts that it is made of
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

/** Facts as they stand in a sentence: each is one line. */
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

/** A mail of a team in a language, or in English where it has no words in that language. @throws UnknownMail */
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

/** The made-up facts of a mail of a team. */
export const sampleFacts = (type: string) => ({ metadata: teamMail(type).sample, validSeconds: SAMPLE_SECONDS });
