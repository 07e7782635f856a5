import { language } from '../../core/language.js';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const UNITS = [
  ['day', DAY],
  ['hour', HOUR],
  ['minute', MINUTE],
] as const;

export type Format = (value: number) => string;

/** Two decimals below ten, because request rates are often small. */
export const rate: Format = (value) =>
  new Intl.NumberFormat(language.value, { maximumFractionDigits: value < 10 ? 2 : 0 }).format(value);

export const whole: Format = (value) =>
  new Intl.NumberFormat(language.value, { maximumFractionDigits: 0 }).format(value);

export const milliseconds: Format = (value) =>
  new Intl.NumberFormat(language.value, { style: 'unit', unit: 'millisecond', maximumFractionDigits: 1 }).format(value);

/** A time of day with seconds. */
export const clock = (at: number): string =>
  new Intl.DateTimeFormat(language.value, { timeStyle: 'medium' }).format(new Date(at));

/** A time of day without seconds. */
export const minuteClock = (at: number): string =>
  new Intl.DateTimeFormat(language.value, { timeStyle: 'short' }).format(new Date(at));

/** A duration in the largest fitting unit. */
export function duration(seconds: number): string {
  const [unit, size] = UNITS.find(([, length]) => seconds >= length) ?? (['second', 1] as const);
  const value = Math.max(0, Math.floor(seconds / size));
  return new Intl.NumberFormat(language.value, { style: 'unit', unit, unitDisplay: 'long' }).format(value);
}

export function ago(seconds: number): string {
  const format = new Intl.RelativeTimeFormat(language.value, { numeric: 'auto' });
  const past = Math.max(0, Math.round(seconds));
  return past < MINUTE ? format.format(-past || 0, 'second') : format.format(-Math.round(past / MINUTE), 'minute');
}
