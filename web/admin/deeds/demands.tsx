import { t } from '../../core/language.js';
import type { AdminUser } from '../rights.js';
import { Choices, type Choosing } from './choices.js';

/** Bits of `suspicious_activity_flags` (admin.md section 5.1). */
const BITS = ['0', '1', '2', '3', '4', '5', '6', '7'] as const;
type Bit = (typeof BITS)[number];

export const demandOf = (bit: Bit): string => t(`adminDeeds.demand${bit}`);

export const demandsOf = ({ suspicious_activity_flags: flags }: AdminUser): readonly Bit[] =>
  BITS.filter((bit) => (flags & (1 << Number(bit))) !== 0);

export const bitsOf = ({ has }: Choosing): number =>
  BITS.filter(has).reduce((flags, bit) => flags | (1 << Number(bit)), 0);

/** True if one of these bits is set. */
export const isDemanded = ({ suspicious_activity_flags: flags }: AdminUser, bits: number): boolean =>
  (flags & bits) !== 0;

export const DemandChoices = ({ of }: { readonly of: Choosing }) => (
  <Choices
    legend={t('adminDeeds.demands')}
    options={Object.fromEntries(BITS.map((bit) => [bit, demandOf(bit)]))}
    of={of}
  />
);
