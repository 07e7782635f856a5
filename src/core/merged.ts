/**
 * Interfaces that a team merges its own into: `declare module 'gatehouse' { interface ExtraMails { ... } }`. They stand in a
 * file of their own, which the package exports whole, because only so can be merged what is imported.
 */

/** Error codes that a team's module registers: merge `{ MY_CODE: true }`. */
// biome-ignore lint/suspicious/noEmptyInterface: an empty interface is what declaration merging needs
export interface ExtraErrorCodes {}

/** Purposes of one-time secrets that a team adds; each may begin with an account or without one. */
// biome-ignore lint/suspicious/noEmptyInterface: it is there to be merged with
export interface ExtraPurposes {}

/** Mails of a team: what each is made of, by its name. Members are texts and numbers. */
// biome-ignore lint/suspicious/noEmptyInterface: it is there to be merged with
export interface ExtraMails {}
