/**
 * Interfaces that extensions merge their own into:
 * `declare module '@gatehouse-auth/server' { interface ExtraMails { ... } }`. The package exports this file as a whole,
 * because declaration merging works only for such exports.
 */

/** Error codes that an extension registers: merge `{ MY_CODE: true }`. */
// biome-ignore lint/suspicious/noEmptyInterface: an empty interface is what declaration merging needs
export interface ExtraErrorCodes {}

/** Purposes of one-time secrets of an extension. A secret of each can be bound to an account or to none. */
// biome-ignore lint/suspicious/noEmptyInterface: it is there to be merged with
export interface ExtraPurposes {}

/** Emails of an extension: the variables of each email by its name. Values are texts and numbers. */
// biome-ignore lint/suspicious/noEmptyInterface: it is there to be merged with
export interface ExtraMails {}
