import type { BuiltInMail } from '../../../policy/feature-mail.js';
import type { Translator } from './translator.js';
import type { Device } from './words/kinds.js';

/** The facts from which an email is rendered. */
export interface MailContext<M> {
  readonly metadata: M;
  readonly product: string;
  readonly at: Date;
  /** Validity of the token or code. */
  readonly validSeconds: number;
  /** The client device of the request. */
  readonly client: Device | undefined;
  /** `WEB_APP_URL`, the base of page URLs. */
  readonly webAppUrl: string;
  /**
   * Returns a URL of the web application with a token in its fragment, which is never sent to a server or logged.
   * @param facts further values for the built-in page. Other front ends get only the token
   */
  link(path: string, token: string, facts?: Readonly<Record<string, string>>): string;
}

/** Returns a link with the token and further values in its fragment. */
export const linkWithFragment = (url: string, token: string, facts: Readonly<Record<string, string>> = {}): string =>
  `${url}#${new URLSearchParams({ token, ...facts })}`;

/** The text of one message, in reading order. */
export interface Content {
  readonly subject: string;
  readonly paragraphs: readonly string[];
  readonly facts?: readonly (readonly [label: string, value: string])[];
  /** Sentence before the action. */
  readonly request?: string;
  readonly code?: string;
  readonly action?: { readonly label: string; readonly url: string };
  readonly closing?: string;
  /** Why the recipient gets the message, if not for account security. */
  readonly reason?: string;
}

interface BuiltInMailDeclaration<F extends object> extends BuiltInMail<F> {
  /** Builds the text in the language of the recipient. */
  readonly render: (context: MailContext<F>, translator: Translator) => Content;
}

/** Declares an email of the service, whose texts are in `words/`. `F` has its facts, such as a token or a code. */
export const builtInMail = <F extends object>(mail: BuiltInMailDeclaration<F>): BuiltInMail<F> => mail;

/** The line that names the client device, if it is known. */
export const deviceFact = (client: Device | undefined, translator: Translator) =>
  client ? [[translator.words.labels.device, translator.formatDevice(client)] as const] : [];
