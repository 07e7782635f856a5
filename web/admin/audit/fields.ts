import { findTranslation, language, type TranslationKey, t } from '../../core/language.js';
import { MEMBERS } from '../instance/members.js';
import { FLAGS, type Flag, hasBit } from '../parts/flags.js';

/** The bits of the required verification, lowest first (account.md section 7). */
const REQUIREMENTS = [
  ...['REQUIRE_VERIFIED_EMAIL', 'REQUIRE_REVERIFIED_EMAIL', 'REQUIRE_VERIFIED_PHONE', 'REQUIRE_REVERIFIED_PHONE'],
  ...['REQUIRE_VERIFIED_EMAIL_OR_VERIFIED_PHONE', 'REQUIRE_REVERIFIED_EMAIL_OR_VERIFIED_PHONE'],
  ...['REQUIRE_VERIFIED_EMAIL_OR_REVERIFIED_PHONE', 'REQUIRE_REVERIFIED_EMAIL_OR_REVERIFIED_PHONE'],
] as const;

const unit = (value: number, name: 'hour' | 'day'): string =>
  new Intl.NumberFormat(language.value, { style: 'unit', unit: name, unitDisplay: 'long' }).format(value);

const wordsOfFlags = (bits: bigint): string[] =>
  (Object.keys(FLAGS) as Flag[])
    .filter((flag) => hasBit(bits, FLAGS[flag]))
    .map((flag) => t(`adminPerson.flag_${flag}`));

const wordsOfRequirements = (bits: bigint): string[] =>
  REQUIREMENTS.filter((_, bit) => hasBit(bits, bit)).map((name) => t(`adminExplain.flag:${name}` as TranslationKey));

/** Paths of settings, as their labels. */
const settingsText = (paths: string): string =>
  paths
    .split(',')
    .map((path) => {
      const label = MEMBERS.find((member) => member.path === path)?.label;
      return label ? t(label) : path;
    })
    .join(', ');

const WHOLE = /^\d{1,19}$/;

/** Masks of the account, or of its required verification. Unknown bits stay a number. */
function flagsText(value: string, action: string): string {
  const words = (action === 'update_flags' ? wordsOfFlags : wordsOfRequirements)(BigInt(value));
  return words.length > 0 ? words.join(', ') : value;
}

/** The name of a metadata member in words. For members of extensions, the name itself. */
export const fieldText = (name: string): string | undefined => findTranslation(`adminAudit.field_${name}`);

/** A metadata value with its unit, or in words. Values of unknown members stay as they are. */
export function valueText(name: string, value: string, action: string): string {
  if (value === 'true') return t('adminPerson.yes');
  if (value === 'false') return t('adminPerson.no');
  if (name === 'changed') return settingsText(value);
  if (!WHOLE.test(value)) return value;
  if (name === 'duration_hours') return value === '0' ? t('adminBans.forEver') : unit(Number(value), 'hour');
  if (name === 'days') return unit(Number(value), 'day');
  if (/(?:^|_)flags$/.test(name)) return value === '0' ? t('adminPerson.none') : flagsText(value, action);
  if (/(?:^|_)count$/.test(name)) return new Intl.NumberFormat(language.value).format(Number(value));
  return value;
}
