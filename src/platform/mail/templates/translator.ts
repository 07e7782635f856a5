import { directionOf, intlLocaleOf, type Language } from '../../../core/text/languages.js';
import { ar } from './words/ar.js';
import { de } from './words/de.js';
import { enUS } from './words/en-US.js';
import { esES } from './words/es-ES.js';
import { fr } from './words/fr.js';
import { ja } from './words/ja.js';
import { type Device, UNKNOWN_LOCATION } from './words/kinds.js';
import { ptBR } from './words/pt-BR.js';
import type { Plural, Words } from './words/words.js';

export const WORDS: Readonly<Record<Language, Words>> = {
  'en-US': enUS,
  'es-ES': esES,
  'pt-BR': ptBR,
  ...{ de, fr, ja, ar },
};

const [ISOLATE, END_OF_ISOLATE] = ['\u2068', '\u2069'];
/** A placeholder: a name in braces. */
export const PLACEHOLDER = /\{([a-z_]+)\}/g;
const HOUR = 3600;
const DAY = 24 * HOUR;
const MINUTE = 60;

/** Formats names, numbers and times in one language. */
export class Translator {
  readonly words: Words;
  private readonly isRightToLeft: boolean;
  private readonly plurals: Intl.PluralRules;
  private readonly numbers: Intl.NumberFormat;
  private readonly times: Intl.DateTimeFormat;

  constructor(language: Language) {
    this.words = WORDS[language];
    this.isRightToLeft = directionOf(language) === 'rtl';
    const locale = intlLocaleOf(language);
    this.plurals = new Intl.PluralRules(locale);
    this.numbers = new Intl.NumberFormat(locale);
    this.times = new Intl.DateTimeFormat(locale, {
      ...{ year: 'numeric', month: 'long', day: 'numeric', hour: 'numeric', minute: '2-digit' },
      ...{ timeZone: 'UTC', timeZoneName: 'short' },
    });
  }

  /** Fills the placeholders of a text. */
  format(text: string, facts: Readonly<Record<string, string>> = {}): string {
    return text.replace(PLACEHOLDER, (_, name: string) => {
      const fact = facts[name];
      if (fact === undefined) throw new Error(`The placeholder {${name}} has no value`);
      return this.isolate(fact);
    });
  }

  /** Isolates a value that may be left-to-right inside right-to-left text, so that its characters keep their order. */
  private isolate(fact: string): string {
    return this.isRightToLeft ? `${ISOLATE}${fact}${END_OF_ISOLATE}` : fact;
  }

  formatTime(date: Date): string {
    return this.times.format(date);
  }

  /** Formats a duration in whole days if it is at least two days, otherwise in hours, or in minutes below one hour. */
  formatDuration(seconds: number): string {
    const { days, hours, minutes } = this.words;
    if (seconds < HOUR) return this.formatCount(minutes, Math.max(1, Math.floor(seconds / MINUTE)));
    return seconds < 2 * DAY
      ? this.formatCount(hours, Math.floor(seconds / HOUR))
      : this.formatCount(days, Math.floor(seconds / DAY));
  }

  formatNumber(value: number): string {
    return this.numbers.format(value);
  }

  formatCount(plural: Plural, count: number): string {
    const text = plural[this.plurals.select(count)] ?? plural.other;
    return text.replace('{count}', this.numbers.format(count));
  }

  formatDevice({ browser, system }: Device): string {
    const { device, unknownBrowser, unknownSystem } = this.words;
    return this.format(device, { browser: browser ?? unknownBrowser, system: system ?? unknownSystem });
  }

  formatIpAddress(ip: string, location: string): string {
    const { place, unknownPlace } = this.words;
    return this.format(place, { address: ip, place: location === UNKNOWN_LOCATION ? unknownPlace : location });
  }
}

const translators = new Map<Language, Translator>();

export function getTranslator(language: Language): Translator {
  const speech = translators.get(language) ?? new Translator(language);
  translators.set(language, speech);
  return speech;
}
