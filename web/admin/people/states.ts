import type { TranslationKey } from '../../core/language.js';
import { hasFlag, isErased } from '../parts/flags.js';
import type { AdminUser } from '../rights.js';
import type { STATES } from './filters.js';

export type State = (typeof STATES)[number];

export const STATE_WORDS: Readonly<Record<State, TranslationKey>> = {
  active: 'adminPeople.active',
  suspended: 'adminPeople.suspended',
  disabled: 'adminPerson.flag_DISABLED',
  pending_approval: 'adminPeople.pendingApproval',
  deletion_scheduled: 'adminPeople.deletionScheduled',
  locked: 'adminPeople.locked',
};

/** The states of an account; empty if its data is deleted. */
export function statesOf(user: AdminUser): readonly State[] {
  if (isErased(user)) return [];
  const { banned, traits, pending_deletion_at: deletion } = user;
  const all: readonly (readonly [State, boolean])[] = [
    ['suspended', banned],
    ['deletion_scheduled', deletion !== null],
    ['locked', traits.includes('locked_down')],
    // A suspension sets the flag of a deactivation.
    ['disabled', (hasFlag(user, 'DISABLED') && !banned) || hasFlag(user, 'DISABLED_SUSPICIOUS_ACTIVITY')],
    ['pending_approval', traits.includes('registration_pending_approval')],
  ];
  const found = all.filter(([, is]) => is).map(([state]) => state);
  return found.length > 0 ? found : ['active'];
}
