import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type english from '../words/en-US.json';

/** Supported languages by their own names. */
export const LANGUAGES = {
  'en-US': 'English',
  de: 'Deutsch',
  fr: 'Français',
  'es-ES': 'Español',
  'pt-BR': 'Português',
  ja: '日本語',
  ar: 'العربية',
} as const;

export type Language = keyof typeof LANGUAGES;
type Catalogue = typeof english;
type Entry = string | { readonly [rule: string]: string | undefined; readonly other: string };
/** All translation keys, as `section.name`. */
export type TranslationKey = { [S in keyof Catalogue]: `${S}.${keyof Catalogue[S] & string}` }[keyof Catalogue];
type Values = Readonly<Record<string, string | number>>;
type Part = 'first' | 'account' | 'admin';

/** Where the choice of the user is stored. */
export const CHOICE = 'gatehouse.language';
const RIGHT_TO_LEFT: ReadonlySet<string> = new Set(['ar']);
const load = import.meta.glob<Record<string, Record<string, Entry>>>('../words/*.json', {
  query: '?part=first',
  import: 'default',
});
const loadAccount = import.meta.glob<Record<string, Record<string, Entry>>>('../words/*.json', {
  query: '?part=account',
  import: 'default',
});
const loadAdmin = import.meta.glob<Record<string, Record<string, Entry>>>('../words/*.json', {
  query: '?part=admin',
  import: 'default',
});
const LOADERS: Readonly<Record<Part, typeof load>> = { first: load, account: loadAccount, admin: loadAdmin };

export const language = signal<Language>('en-US');
const catalogue = signal<Readonly<Record<string, Record<string, Entry>>>>({});
const parts = new Set<Part>(['first']);

const findSupportedLanguage = (wanted: string): Language | undefined => {
  const names = Object.keys(LANGUAGES) as Language[];
  const [primary] = wanted.toLowerCase().split('-');
  return (
    names.find((name) => name.toLowerCase() === wanted.toLowerCase()) ??
    names.find((name) => name.split('-')[0] === primary)
  );
};

/** The language that an application asks for, the chosen one, or the first supported language of the browser. */
export function preferredLanguage(): Language {
  const hinted = new URLSearchParams(location.search).get('ui_locales') ?? '';
  const wanted = [...hinted.split(' '), localStorage.getItem(CHOICE) ?? '', ...navigator.languages];
  return wanted.map(findSupportedLanguage).find((name) => name !== undefined) ?? 'en-US';
}

/** The last change. Loading an earlier one may take longer. */
let last = { wanted: 'en-US', isChoice: false, isLoaded: Promise.resolve() };

async function loadLanguage(wanted: string, isChoice: boolean): Promise<void> {
  const next = findSupportedLanguage(wanted) ?? 'en-US';
  const loaded = await Promise.all([...parts].map((part) => LOADERS[part][`../words/${next}.json`]?.()));
  if (last.wanted !== wanted) return last.isLoaded;
  catalogue.value = Object.assign({}, ...loaded);
  language.value = next;
  if (isChoice) localStorage.setItem(CHOICE, next);
  document.documentElement.lang = next;
  document.documentElement.dir = RIGHT_TO_LEFT.has(next) ? 'rtl' : 'ltr';
}

/**
 * Changes the language. The last call decides.
 * @param isChoice true if it is the choice of the user, which is stored for the next page
 */
export function setLanguage(wanted: string, isChoice = false): Promise<void> {
  last = { wanted, isChoice, isLoaded: last.isLoaded };
  last.isLoaded = loadLanguage(wanted, isChoice).catch((error) => {
    if (last.wanted === wanted) last.wanted = language.value;
    throw error;
  });
  return last.isLoaded;
}

/** Loads the translations of another part of the pages. */
export async function loadTranslations(part: Part): Promise<void> {
  if (parts.has(part)) return;
  parts.add(part);
  await setLanguage(last.wanted, last.isChoice);
}

function entryOf(key: string): Entry | undefined {
  const [section = '', name = ''] = key.split('.');
  return catalogue.value[section]?.[name];
}

function pluralForm(key: string, values: Values): string {
  const entry = entryOf(key);
  if (entry === undefined) return key;
  if (typeof entry === 'string') return entry;
  const rule = new Intl.PluralRules(language.value).select(Number(values.count ?? 0));
  return entry[rule] ?? entry.other;
}

/** In right-to-left text, isolates a value so that it keeps its own direction. */
export const isolateDirection = (value: string): string =>
  RIGHT_TO_LEFT.has(language.value) ? `\u2068${value}\u2069` : value;

/** Translates a key and fills in `{name}` placeholders. `count` selects the plural form. */
export function t(key: TranslationKey, values: Values = {}): string {
  return pluralForm(key, values).replace(/\{(\w+)\}/g, (place, name: string) => {
    const value = values[name];
    if (value === undefined) return place;
    return isolateDirection(typeof value === 'number' ? new Intl.NumberFormat(language.value).format(value) : value);
  });
}

/** Like `t`, with elements as values. */
export function rich(key: TranslationKey, values: Readonly<Record<string, ComponentChildren>>): ComponentChildren[] {
  return pluralForm(key, {})
    .split(/(\{\w+\})/)
    .map((piece) => (piece.startsWith('{') ? values[piece.slice(1, -1)] : piece));
}

/** Text of an extension: in the current language, a regional variant of it, or English. */
export function localizedText(words: Readonly<Record<string, string>>): {
  readonly language: string;
  readonly text: string;
} {
  const [primary = ''] = language.value.split('-');
  const others = Object.keys(words).filter((name) => name.startsWith(`${primary}-`));
  const found = [language.value, primary, ...others].find((name) => Object.hasOwn(words, name)) ?? 'en-US';
  return { language: found, text: words[found] ?? '' };
}

/** The translation of a key that comes from the service, such as an action. Undefined if there is none. */
export function findTranslation(key: string): string | undefined {
  const entry = entryOf(key);
  return typeof entry === 'string' ? entry : undefined;
}

/** The translation of an error code; undefined for unknown codes. */
export const wordsOfCode = (code: string): string | undefined => findTranslation(`codes.${code}`);

/** A waiting time in whole units, rounded up: minutes from 60 seconds, hours from 60 minutes. */
export function formatWait(seconds: number): string {
  const [unit, size] =
    seconds < 60 ? (['second', 1] as const) : seconds < 3600 ? (['minute', 60] as const) : (['hour', 3600] as const);
  const format = new Intl.NumberFormat(language.value, { style: 'unit', unit, unitDisplay: 'long' });
  return format.format(Math.ceil(seconds / size));
}

export const formatDateTime = (time: string | number | Date): string =>
  new Intl.DateTimeFormat(language.value, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(time));

/** A date without time. */
export const formatDate = (time: string | number | Date): string =>
  new Intl.DateTimeFormat(language.value, { dateStyle: 'long' }).format(new Date(time));

const UNITS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** How long ago a time was, in its largest whole unit, such as "3 days ago". */
export function formatAgo(time: string | number | Date): string {
  const seconds = Math.max(0, (Date.now() - new Date(time).getTime()) / 1000);
  const [unit, size] = UNITS.find(([, length]) => seconds >= length) ?? (['second', Number.POSITIVE_INFINITY] as const);
  const format = new Intl.RelativeTimeFormat(language.value, { numeric: 'auto' });
  return format.format(-Math.floor(seconds / size), unit);
}
