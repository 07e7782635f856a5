import type { Language } from '../core/text/languages.js';

/** The facts of an email by name: texts and numbers. */
export type MailFacts = Readonly<Record<string, string | number>>;

/**
 * The text of a feature's email in one language, in reading order. `{name}` is replaced by the fact of that name.
 * `{product}` and `{validity}` (how long the token or code is valid) are always available.
 */
export interface FeatureMailTexts {
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

/**
 * An email of the service. Its texts are in the language files of `platform/mail`. Features declare it with `builtInMail`,
 * which knows the types of the arguments and of the result of `render`.
 */
export interface BuiltInMail<F extends object = object> {
  render(context: object, translator: object): object;
  /** Example facts, with which `/dev/mails` shows the email. */
  readonly sample: F;
  /** More examples by name, if the text depends on the facts. */
  readonly variants?: Readonly<Record<string, F>>;
  /** Validity of the token or code in the example. */
  readonly validSeconds: number;
}

/** An email of a feature. */
export interface FeatureMail {
  /** Texts by language. English is required and is the fallback for missing languages. */
  readonly words: { readonly 'en-US': FeatureMailTexts } & { readonly [L in Language]?: FeatureMailTexts };
  /** URL of the button. It may be a page of the web application. */
  readonly link?: (facts: MailFacts, webAppUrl: string) => string;
  /** A code that the user types in, shown on a line of its own. */
  readonly code?: (facts: MailFacts) => string;
  /** If true, it is also sent to users who only want email about the security of their accounts. */
  readonly isSecurity?: boolean;
  /** Example facts, with which `/dev/emails` shows the email. */
  readonly sample: MailFacts;
}
