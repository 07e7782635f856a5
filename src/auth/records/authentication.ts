/** The level of an authentication (openid.md section 3): one factor, two factors, or a passkey. */
export type AuthenticationLevel = 1 | 2 | 3;

/** How a user authenticated, as ID tokens report it. */
export interface Authentication {
  /** Methods of RFC 8176, or those that an identity provider reported. */
  readonly amr: readonly string[];
  /** Only factors that the service verified raise the level. */
  readonly level: AuthenticationLevel;
  /** When it happened. Default: now. */
  readonly at?: Date;
}

/** Proof of an email address or a registration without a password. It counts as no method. */
export const NO_METHOD: Authentication = { amr: [], level: 1 };
export const BY_PASSWORD: Authentication = { amr: ['pwd'], level: 1 };
export const BY_CODE: Authentication = { amr: ['otp'], level: 1 };

/** How long a sign-in from a new network waits for approval (auth.md section 8). */
export const HOLD_SECONDS = 900;

/** A passkey that cannot be backed up never leaves its hardware. */
export const byPasskey = ({ isBackupEligible }: { readonly isBackupEligible: boolean }): Authentication => ({
  amr: isBackupEligible ? ['pop'] : ['pop', 'hwk'],
  level: 3,
});

export function withSecondFactor(first: readonly string[], second: Authentication): Authentication {
  if (first.length === 0) return second;
  return { amr: [...first, ...second.amr, 'mfa'], level: second.level === 3 ? 3 : 2 };
}
