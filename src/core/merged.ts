/**
 * Interfaces that features merge their own into:
 * `declare module '@gatehouse-auth/server' { interface Features { notes: typeof notes } }`. The package exports this
 * file as a whole, because declaration merging works only for such exports.
 */

/** The names that a feature declares, by kind. */
export interface FeatureNames {
  readonly errors: string;
  readonly fieldErrors: string;
  readonly buckets: string;
  readonly scopes: string;
  readonly acls: string;
  readonly auditActions: string;
  readonly securityEvents: string;
  readonly encryptedColumns: string;
  /** The facts of each email, by its type. */
  readonly mails: object;
}

/** All features by name. Each feature adds itself, so that the compiler knows its names. */
// biome-ignore lint/suspicious/noEmptyInterface: an empty interface is what declaration merging needs
export interface Features {}

type NamesOf<F> = F extends { readonly names?: infer N extends FeatureNames } ? N : never;

/** A name of one kind that some feature declares, such as `NameOf<'scopes'>`. */
export type NameOf<K extends Exclude<keyof FeatureNames, 'mails'>> = {
  [F in keyof Features]: NamesOf<Features[F]>[K];
}[keyof Features];

type MailsOf<F> = NamesOf<F>['mails'];

/** The type of a email that some feature declares. */
export type ExtensionMailType = { [F in keyof Features]: keyof MailsOf<Features[F]> & string }[keyof Features];

/** The facts of a email. */
export type ExtensionMailFacts<T extends string> = {
  [F in keyof Features]: T extends keyof MailsOf<Features[F]> ? MailsOf<Features[F]>[T] : never;
}[keyof Features];

/** Purposes of one-time secrets of an extension. A secret of each can be bound to an account or to none. */
// biome-ignore lint/suspicious/noEmptyInterface: it is there to be merged with
export interface ExtraPurposes {}
