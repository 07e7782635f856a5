import type { ReadonlySignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { formatDate, formatDateTime, type TranslationKey, t } from '../../core/language.js';
import type { Facts } from '../../kit/facts.js';
import { AclWords } from '../parts/acl-words.js';
import { FLAGS, hasBit, hasFlag, isErased } from '../parts/flags.js';
import { type AdminUser, registry } from '../rights.js';
import type { KeptReads } from './fresh.js';

export interface OfUser {
  readonly user: AdminUser;
}

/** The properties of each section. */
export interface AboutProps extends OfUser {
  /** Increases whenever the account may have changed. */
  readonly turn: ReadonlySignal<number>;
}

/** The properties of sections whose requests are recorded in the audit log. */
export interface RecordedProps extends AboutProps {
  readonly kept: KeptReads;
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
  connection: 'adminPerson.trait_connection',
};

/** Traits that limit the use of the account. */
const LIMITING_TRAITS: Readonly<Record<string, TranslationKey>> = {
  registration_pending_approval: 'adminPerson.trait_registration_pending_approval',
  registration_pending_verification: 'adminPerson.trait_registration_pending_verification',
  registration_rejected: 'adminPerson.trait_registration_rejected',
  locked_down: 'adminPerson.lockedByOwner',
};

/** A flag or trait: its name and its meaning, if known. */
export interface Mark {
  readonly name: string;
  readonly words: ComponentChildren;
}

export const yesOrNo = (is: boolean): string => t(is ? 'adminPerson.yes' : 'adminPerson.no');

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

/** Unknown names come from extensions that are not installed. */
export const aclsOf = ({ acls }: AdminUser): Mark[] =>
  acls.map((name) => ({ name, words: registry.value?.acls.includes(name) ? <AclWords acl={name} /> : null }));

/** The state of the account in a few words. */
export interface Chip {
  readonly kind: 'good' | 'warn' | 'bad';
  readonly words: string;
}

const chip = (kind: Chip['kind'], words: string): Chip => ({ kind, words });

function bansOf({ banned, temp_banned_until: until }: AdminUser): Chip[] {
  if (!banned) return [];
  const time = until && formatDateTime(until);
  return [chip('bad', time ? t('adminPerson.bannedUntil', { time }) : t('adminPerson.bannedForever'))];
}

function locksOf(user: AdminUser): Chip[] {
  return [
    ...(hasFlag(user, 'DISABLED_SUSPICIOUS_ACTIVITY')
      ? [chip('bad', t('adminPerson.flag_DISABLED_SUSPICIOUS_ACTIVITY'))]
      : []),
    ...(hasFlag(user, 'DISABLED') && !user.banned ? [chip('warn', t('adminPerson.flag_DISABLED'))] : []),
    ...Object.entries(LIMITING_TRAITS)
      .filter(([trait]) => user.traits.includes(trait))
      .map(([, words]) => chip('warn', t(words))),
  ];
}

function deletionsOf({ pending_deletion_at: time }: AdminUser): Chip[] {
  return time === null ? [] : [chip('bad', t('adminPerson.deletionOn', { date: formatDate(time) }))];
}

function emailsOf({ email, email_verified: isVerified, email_bounced: hasBounced }: AdminUser): Chip[] {
  if (email === null) return [];
  return [
    ...(isVerified ? [] : [chip('warn', t('adminPerson.emailNotVerified'))]),
    ...(hasBounced ? [chip('warn', t('adminPerson.emailBouncing'))] : []),
  ];
}

/** Whether the account can be used and reached. */
export function chipsOf(user: AdminUser): Chip[] {
  if (isErased(user)) return [chip('bad', t('adminPerson.deleted'))];
  const limits = [...bansOf(user), ...locksOf(user), ...deletionsOf(user)];
  return [...(limits.length > 0 ? limits : [chip('good', t('adminPerson.active'))]), ...emailsOf(user)];
}

/** How the account can be used again, as sentences. */
export function obstaclesOf(user: AdminUser): string[] {
  if (isErased(user)) return [t('adminPerson.erased')];
  return [
    ...(hasFlag(user, 'DISABLED_SUSPICIOUS_ACTIVITY') ? [t('adminPerson.lockedForSuspicion')] : []),
    ...(hasFlag(user, 'DISABLED') && !user.banned ? [t('adminPerson.disabled')] : []),
    ...(user.traits.includes('locked_down') ? [t('adminPerson.trait_locked_down')] : []),
  ];
}

const REASONS = {
  1: 'adminPerson.reason_USER_REQUESTED',
  2: 'adminPerson.reason_OTHER',
  3: 'adminPerson.reason_ABUSE',
  4: 'adminPerson.reason_COMPROMISED_ACCOUNT',
  5: 'adminPerson.reason_LEGAL',
} as const;

/** The reason of a scheduled deletion. */
export function deletionFacts({
  deletion_reason_code: code,
  deletion_public_reason: reason,
}: AdminUser): Parameters<typeof Facts>[0]['facts'] {
  const words = REASONS[code as keyof typeof REASONS];
  return [
    ['adminPerson.deletionReason', words ? t(words) : (code ?? t('adminPerson.none'))],
    ['adminPerson.publicReason', reason ? <bdi key="reason">{reason}</bdi> : t('adminPerson.none')],
  ];
}
