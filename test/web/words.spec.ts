import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { featureRegistry } from '../../src/features.js';

type Entry = string | Record<string, string>;
type Catalogue = Record<string, Record<string, Entry>>;

const FOLDER = join(import.meta.dirname, '../../web/words');
const names = readdirSync(FOLDER).map((file) => file.replace('.json', ''));
const read = (name: string): Catalogue => JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8'));
const english = read('en-US');
const others = names.filter((name) => name !== 'en-US');

const flat = (catalogue: Catalogue): Map<string, Entry> =>
  new Map(
    Object.entries(catalogue).flatMap(([section, entries]) =>
      Object.entries(entries).map(([key, entry]) => [`${section}.${key}`, entry] as const),
    ),
  );
const formsOf = (entry: Entry): string[] => (typeof entry === 'string' ? [entry] : Object.values(entry));
const placesOf = (text: string): string[] => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort();

/** Texts that are the same in another language: names, and words with the same spelling. */
const ALIKE = new Set(['login.or']);

describe('web.md 1: the languages', () => {
  test('are those of the contract', () => {
    expect(names.sort()).toEqual(['ar', 'de', 'en-US', 'es-ES', 'fr', 'ja', 'pt-BR'].sort());
  });

  test.each(others)('%s says everything that English says, and nothing else', (name) => {
    expect([...flat(read(name)).keys()]).toEqual([...flat(english).keys()]);
  });

  test.each(names)('%s fills in the same values, in every form', (name) => {
    const original = flat(english);
    for (const [key, entry] of flat(read(name))) {
      const wanted = placesOf(formsOf(original.get(key) as Entry).join(' '));
      expect({ key, places: placesOf(formsOf(entry).join(' ')) }).toEqual({ key, places: wanted });
      for (const form of formsOf(entry)) expect({ key, isEmpty: form.trim() === '' }).toEqual({ key, isEmpty: false });
    }
  });

  test.each(names)('%s has every form of a plural that its language has', (name) => {
    // Some languages have a form for millions. No count here is that high.
    const rules = new Intl.PluralRules(name)
      .resolvedOptions()
      .pluralCategories.filter((rule) => name === 'ar' || rule !== 'many');
    for (const [key, entry] of flat(read(name))) {
      if (typeof entry === 'string') continue;
      const forms = Object.keys(entry).filter((form) => name === 'ar' || form !== 'many');
      expect({ key, forms: forms.sort() }).toEqual({ key, forms: [...rules].sort() });
    }
  });

  test.each(others)('%s leaves nothing in English', (name) => {
    const original = flat(english);
    const left = [...flat(read(name))].filter(([key, entry]) => {
      const words = formsOf(entry).join(' ');
      return (
        words === formsOf(original.get(key) as Entry).join(' ') && /[a-z]{3,} [a-z]{2,}/i.test(words) && !ALIKE.has(key)
      );
    });
    expect(left.map(([key]) => key)).toEqual([]);
  });

  test.each(names)('%s has words for every code of the error table', (name) => {
    const said = Object.keys(read(name).codes ?? {});
    const codes = [...featureRegistry().errors, ...featureRegistry().fieldErrors].map(([code]) => code);
    expect(codes.filter((code) => !said.includes(code))).toEqual([]);
  });
});
