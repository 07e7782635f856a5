import { t } from '../../core/language.js';
import type { AdminUser } from '../rights.js';
import { Choices, type Selection } from './choices.js';

/** Bits of `suspicious_activity_flags` (admin.md section 5.1). */
const BITS = ['0', '1', '2', '3', '4', '5', '6', '7'] as const;
type Bit = (typeof BITS)[number];

export const requirementText = (bit: Bit): string => t(`adminActions.demand${bit}`);

export const requirementsOf = ({ suspicious_activity_flags: flags }: AdminUser): readonly Bit[] =>
  BITS.filter((bit) => (flags & (1 << Number(bit))) !== 0);

export const bitsOf = ({ has }: Selection): number =>
  BITS.filter(has).reduce((flags, bit) => flags | (1 << Number(bit)), 0);

/** True if one of these bits is set. */
export const hasRequirement = ({ suspicious_activity_flags: flags }: AdminUser, bits: number): boolean =>
  (flags & bits) !== 0;

export const RequirementChoices = ({ of }: { readonly of: Selection }) => (
  <Choices
    legend={t('adminActions.demands')}
    options={Object.fromEntries(BITS.map((bit) => [bit, requirementText(bit)]))}
    of={of}
  />
);
