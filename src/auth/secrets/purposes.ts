import type { Begun } from '../../accounts/seen.js';
import type { ExtraPurposes } from '../../core/merged.js';

/**
 * What a secret of each purpose is bound to. `account`: whoever it was begun for, as the account was then; every change
 * that raises the epoch voids it, and so does another address. `later`: the same, from when an account takes part.
 * `address`: the account and its address alone, for what proves nothing but that. `owner`: the account, whatever becomes
 * of it. `mailbox`: the same, as long as it has the address. `nobody`: no account.
 */
export const PURPOSES = {
  'mfa-ticket': 'account',
  'ip-ticket': 'account',
  'ip-token': 'account',
  'password-reset': 'account',
  'email-change': 'account',
  'bounced-email-change': 'account',
  'email-token': 'account',
  'password-change': 'account',
  'backup-codes-challenge': 'account',
  'phone-code': 'account',
  'webauthn-mfa': 'account',
  'webauthn-sudo': 'account',
  'webauthn-registration': 'account',
  'webauthn-bridge': 'later',
  'bridge-ceremony': 'later',
  handoff: 'later',
  // A password reset leaves it as it is (auth.md section 6): it opens nothing.
  'email-verification': 'address',
  // It undoes what a thief did, a changed password and removed factors included (auth.md section 7).
  'email-revert': 'owner',
  // The same: who reads the notice of a changed password must still get in its way, also in the days after it. After a
  // completed change of address, whoever reads the former mailbox must not be able to lock the account.
  lockdown: 'mailbox',
  'webauthn-login': 'nobody',
  'sso-state': 'nobody',
  'captcha-spent': 'nobody',
} as const satisfies Record<string, 'account' | 'later' | 'address' | 'owner' | 'mailbox' | 'nobody'>;

type Known = keyof typeof PURPOSES;
type Bound<B> = { [P in Known]: (typeof PURPOSES)[P] extends B ? P : never }[Known];

/** Begins with an account, always. */
export type OwnedPurpose = Bound<'account' | 'address' | 'owner' | 'mailbox'>;
/** What a secret works for. A secret of one purpose is unknown to every other. */
export type Purpose = Known | (keyof ExtraPurposes & string);

const bindingOf = (purpose: Purpose): (typeof PURPOSES)[Known] | undefined =>
  Object.hasOwn(PURPOSES, purpose) ? PURPOSES[purpose as Known] : undefined;

/** Without an account a secret of this purpose does nothing. */
export const isAccountBound = (purpose: Purpose): boolean => {
  const binding = bindingOf(purpose);
  return binding !== undefined && binding !== 'later' && binding !== 'nobody';
};

/** What undoes the deeds of a thief, so that nothing that a thief may do ends it. */
export const OUTLASTING: readonly string[] = Object.entries(PURPOSES)
  .filter(([, binding]) => binding === 'owner' || binding === 'mailbox')
  .map(([purpose]) => purpose);

/** What of an account is stored with a secret, to be compared when it is used. */
export function partsOf(purpose: Purpose, { id: accountId, epoch, addressEpoch }: Begun) {
  const binding = bindingOf(purpose);
  if (binding === 'owner') return { accountId };
  return binding === 'address' || binding === 'mailbox'
    ? { accountId, addressEpoch }
    : { accountId, epoch, addressEpoch };
}
