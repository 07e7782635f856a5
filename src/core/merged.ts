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
  /** The binding of each one-time secret, by its purpose. */
  readonly secrets: object;
  /** The facts of each email, by its type. */
  readonly mails: object;
  /** The payload of each background job, by its name. */
  readonly jobs: object;
  /** The data of each event of the gateway, by its name. */
  readonly events: object;
  /** The data of each outgoing event, by its type. */
  readonly outgoingEvents: object;
  /** The type and the labels of each metric, by its name. */
  readonly metrics: object;
}

/** All features by name. Each feature adds itself, so that the compiler knows its names. */
// biome-ignore lint/suspicious/noEmptyInterface: an empty interface is what declaration merging needs
export interface Features {}

/**
 * The payload of the one-time secrets of a purpose. Merge yours in, so that the compiler knows its members:
 * `declare module '@gatehouse-auth/server' { interface SecretPayloads { 'notes-invite': { noteId: string } } }`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: an empty interface is what declaration merging needs
export interface SecretPayloads {}
