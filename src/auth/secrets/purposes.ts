import type { StoredEpochs } from '../../accounts/account-snapshot.js';
import type { SecretBinding, SecretPurpose } from '../../core/names.js';

/** Purposes whose secrets are always issued for an account. */
export type OwnedPurpose = SecretPurpose<'account' | 'address' | 'owner' | 'mailbox'>;
/** The purpose of a secret. A secret is only valid for its own purpose. */
export type Purpose = SecretPurpose;

/** Whether a secret with this binding is invalid without an account. */
export const isAccountBound = (binding: SecretBinding): boolean => binding !== 'later' && binding !== 'none';

/** Purposes that revert a takeover. Therefore no action of an attacker may revoke them. */
export const takeoverRevertingPurposes = (bindings: ReadonlyMap<string, SecretBinding>): string[] =>
  [...bindings].flatMap(([purpose, binding]) => (binding === 'owner' || binding === 'mailbox' ? [purpose] : []));

/** The columns of a secret that bind it to an account. */
export interface BoundColumns {
  readonly accountId?: string | null;
  readonly epoch?: number | null;
  readonly addressEpoch?: number | null;
}

/** Returns the columns of the account to store with a secret and to compare when it is used. */
export function boundColumns(
  binding: SecretBinding,
  { id: accountId, epoch, addressEpoch }: StoredEpochs,
): BoundColumns {
  if (binding === 'owner') return { accountId };
  return binding === 'address' || binding === 'mailbox'
    ? { accountId, addressEpoch }
    : { accountId, epoch, addressEpoch };
}
