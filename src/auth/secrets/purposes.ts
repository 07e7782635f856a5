import type { StoredEpochs } from '../../accounts/account-snapshot.js';
import type { ExtraPurposes } from '../../core/merged.js';

/**
 * What a secret of each purpose is bound to.
 * `account`: the account with its epochs. A change that raises an epoch or changes the email address revokes the
 * secret.
 * `later`: like `account`, but the account becomes known only later.
 * `address`: the account and its email address. For secrets that prove only control of the email address.
 * `owner`: the account, whatever changes.
 * `mailbox`: the account, while it has the same email address.
 * `nobody`: no account.
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
  // A password reset keeps it (auth.md section 6), because it grants no access.
  'email-verification': 'address',
  // It reverts a takeover, including a changed password and removed factors (auth.md section 7).
  'email-revert': 'owner',
  // Like `email-revert`: the owner must be able to lock the account for days after a takeover. After a completed change
  // of the email address, the old mailbox must not be able to lock the account.
  lockdown: 'mailbox',
  'webauthn-login': 'nobody',
  'sso-state': 'nobody',
  'captcha-spent': 'nobody',
} as const satisfies Record<string, 'account' | 'later' | 'address' | 'owner' | 'mailbox' | 'nobody'>;

type BuiltInPurpose = keyof typeof PURPOSES;
type PurposeBoundTo<B> = { [P in BuiltInPurpose]: (typeof PURPOSES)[P] extends B ? P : never }[BuiltInPurpose];

/** Purposes whose secrets are always issued for an account. */
export type OwnedPurpose = PurposeBoundTo<'account' | 'address' | 'owner' | 'mailbox'>;
/** The purpose of a secret. A secret is only valid for its own purpose. */
export type Purpose = BuiltInPurpose | (keyof ExtraPurposes & string);

const bindingOf = (purpose: Purpose): (typeof PURPOSES)[BuiltInPurpose] | undefined =>
  Object.hasOwn(PURPOSES, purpose) ? PURPOSES[purpose as BuiltInPurpose] : undefined;

/** Whether a secret of this purpose is invalid without an account. */
export const isAccountBound = (purpose: Purpose): boolean => {
  const binding = bindingOf(purpose);
  return binding !== undefined && binding !== 'later' && binding !== 'nobody';
};

/** Purposes that revert a takeover. Therefore no action of an attacker may revoke them. */
export const TAKEOVER_REVERTING_PURPOSES: readonly string[] = Object.entries(PURPOSES)
  .filter(([, binding]) => binding === 'owner' || binding === 'mailbox')
  .map(([purpose]) => purpose);

/** Returns the columns of the account to store with a secret and to compare when it is used. */
export function boundColumns(purpose: Purpose, { id: accountId, epoch, addressEpoch }: StoredEpochs) {
  const binding = bindingOf(purpose);
  if (binding === 'owner') return { accountId };
  return binding === 'address' || binding === 'mailbox'
    ? { accountId, addressEpoch }
    : { accountId, epoch, addressEpoch };
}
