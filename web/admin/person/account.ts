import type { ReadonlySignal } from '@preact/signals';
import { formatDateTime, type TranslationKey, t } from '../../core/language.js';
import { FLAGS, hasBit, hasFlag, isErased } from '../parts/flags.js';
import type { AdminUser } from '../rights.js';

/** The properties of each section. */
export interface AboutProps {
  readonly user: AdminUser;
  /** Increases whenever the account may have changed. */
  readonly turn: ReadonlySignal<number>;
}

const FLAG_WORDS: Readonly<Record<number, TranslationKey>> = {
  [FLAGS.STAFF]: 'adminPerson.flag_STAFF',
  [FLAGS.HIGH_GLOBAL_RATE_LIMIT]: 'adminPerson.flag_HIGH_GLOBAL_RATE_LIMIT',
  [FLAGS.DELETED]: 'adminPerson.flag_DELETED',
  [FLAGS.DISABLED_SUSPICIOUS_ACTIVITY]: 'adminPerson.flag_DISABLED_SUSPICIOUS_ACTIVITY',
  [FLAGS.SELF_DELETED]: 'adminPerson.flag_SELF_DELETED',
  [FLAGS.DISABLED]: 'adminPerson.flag_DISABLED',
  [FLAGS.RATE_LIMIT_BYPASS]: 'adminPerson.flag_RATE_LIMIT_BYPASS',
  [FLAGS.NOT_SUSPICIOUS]: 'adminPerson.flag_NOT_SUSPICIOUS',
};

/** Bits of `suspicious_activity_flags` (admin.md 5.1). */
const SUSPICION: Readonly<Record<number, TranslationKey>> = {
  0: 'adminPerson.hold_REQUIRE_VERIFIED_EMAIL',
  1: 'adminPerson.hold_REQUIRE_REVERIFIED_EMAIL',
  2: 'adminPerson.hold_REQUIRE_VERIFIED_PHONE',
  3: 'adminPerson.hold_REQUIRE_REVERIFIED_PHONE',
  4: 'adminPerson.hold_REQUIRE_VERIFIED_EMAIL_OR_VERIFIED_PHONE',
  5: 'adminPerson.hold_REQUIRE_REVERIFIED_EMAIL_OR_VERIFIED_PHONE',
  6: 'adminPerson.hold_REQUIRE_VERIFIED_EMAIL_OR_REVERIFIED_PHONE',
  7: 'adminPerson.hold_REQUIRE_REVERIFIED_EMAIL_OR_REVERIFIED_PHONE',
};

const TRAITS: Readonly<Record<string, TranslationKey>> = {
  captcha_exempt: 'adminPerson.trait_captcha_exempt',
  locked_down: 'adminPerson.trait_locked_down',
  registration_pending_approval: 'adminPerson.trait_registration_pending_approval',
  registration_pending_verification: 'adminPerson.trait_registration_pending_verification',
  registration_rejected: 'adminPerson.trait_registration_rejected',
  sso: 'adminPerson.trait_sso',
};

/** Traits that limit the use of the account. */
const LIMITING_TRAITS = [
  'registration_pending_approval',
  'registration_pending_verification',
  'registration_rejected',
  'locked_down',
];

/** A flag or trait: its name and its meaning, if known. */
export interface Mark {
  readonly name: string;
  readonly words: string | null;
}

function marksOf(bits: bigint, known: Readonly<Record<number, TranslationKey>>): Mark[] {
  const set = Array.from({ length: 64 }, (_, bit) => bit).filter((bit) => hasBit(bits, bit));
  return set.map((bit) => {
    const words = known[bit];
    const name = words?.replace(/^.*?_/, '');
    return { name: name ? `${bit} ${name}` : String(bit), words: words ? t(words) : null };
  });
}

export const flagsOf = ({ flags }: AdminUser): Mark[] => marksOf(BigInt(flags), FLAG_WORDS);

export const holdsOf = ({ suspicious_activity_flags: bits }: AdminUser): Mark[] => marksOf(BigInt(bits), SUSPICION);

const markOfTrait = (name: string): Mark => {
  const words = TRAITS[name];
  return { name, words: words ? t(words) : null };
};

export const traitsOf = ({ traits }: AdminUser): Mark[] => traits.map(markOfTrait);

/** True if an administrator scheduled the deletion. A deletion by the owner is canceled by the next sign-in. */
export const isDeletedByOthers = (user: AdminUser): boolean => hasFlag(user, 'DELETED');

function banOf({ banned, temp_banned_until: until }: AdminUser): string[] {
  if (!banned) return [];
  return [until ? t('adminPerson.bannedUntil', { time: formatDateTime(until) }) : t('adminPerson.bannedForever')];
}

/** Reasons why the account cannot be used, as sentences; empty if it is active. */
export function obstaclesOf(user: AdminUser): string[] {
  if (isErased(user)) return [t('adminPerson.erased')];
  return [
    ...banOf(user),
    ...(hasFlag(user, 'DISABLED_SUSPICIOUS_ACTIVITY') ? [t('adminPerson.lockedForSuspicion')] : []),
    ...(hasFlag(user, 'DISABLED') && !user.banned ? [t('adminPerson.disabled')] : []),
    ...user.traits
      .filter((trait) => LIMITING_TRAITS.includes(trait))
      .flatMap((trait) => markOfTrait(trait).words ?? []),
  ];
}
