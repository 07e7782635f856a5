import { builtinModules } from 'node:module';
import { NAME } from '../../core/own-package.js';
import { UsageError } from '../terminal/command.js';
import { isReserved, isReservedFeatureName } from './reserved.js';

/** All spellings of a noun that a feature needs. */
export interface Names {
  /** `news-story` */
  readonly one: string;
  /** `news-stories` */
  readonly many: string;
  /** `NewsStory` */
  readonly One: string;
  /** `NewsStories` */
  readonly Many: string;
  /** `newsStory` */
  readonly camel: string;
  /** `newsStories`, the constant of the feature */
  readonly manyCamel: string;
  /** `news_story` */
  readonly snake: string;
  /** `news_stories`, the name of the feature */
  readonly manySnake: string;
  /** `NEWS_STORIES`, the prefix of its error codes and events */
  readonly MANY: string;
  /** `news story` */
  readonly word: string;
  /** `news stories` */
  readonly words: string;
  /** `News stories` */
  readonly Words: string;
}

/** Keeps database names and lines short enough. */
const MAX_NOUN_LENGTH = 28;
/** Audit actions start with the name of the feature, which can have 32 characters there. */
const MAX_PLURAL_LENGTH = 32;
const KEBAB = /^[a-z][a-z0-9]*(?:-[a-z][a-z0-9]*)*$/;
const PASCAL = /^(?:[A-Z][a-z0-9]+)+$/;

const IRREGULAR: Readonly<Record<string, string>> = {
  analysis: 'analyses',
  child: 'children',
  crisis: 'crises',
  criterion: 'criteria',
  foot: 'feet',
  half: 'halves',
  index: 'indexes',
  knife: 'knives',
  leaf: 'leaves',
  life: 'lives',
  loaf: 'loaves',
  man: 'men',
  mouse: 'mice',
  person: 'people',
  quiz: 'quizzes',
  self: 'selves',
  shelf: 'shelves',
  thief: 'thieves',
  tooth: 'teeth',
  wife: 'wives',
  wolf: 'wolves',
  woman: 'women',
};

/** Words without a plural. Their plural is formed with `-items`. */
const UNCOUNTABLE = new Set([
  ...['advice', 'aircraft', 'data', 'deer', 'equipment', 'feedback', 'furniture', 'hardware', 'information', 'luggage'],
  ...['media', 'metadata', 'money', 'music', 'news', 'research', 'series', 'sheep', 'software', 'species', 'traffic'],
]);

function pluralOfWord(word: string): string {
  if (UNCOUNTABLE.has(word)) return `${word}-items`;
  if (Object.hasOwn(IRREGULAR, word)) return IRREGULAR[word] as string;
  if (/[^aeiou]y$|quy$/.test(word)) return `${word.slice(0, -1)}ies`;
  if (/(?:s|x|z|ch|sh)$/.test(word)) return `${word}es`;
  return `${word}s`;
}

/** The plural of a noun in kebab case. Only its last word changes. */
export function pluralOf(noun: string): string {
  const words = noun.split('-');
  return [...words.slice(0, -1), pluralOfWord(words.at(-1) as string)].join('-');
}

const capital = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);
const pascal = (kebab: string): string => kebab.split('-').map(capital).join('');
const camelOf = (kebab: string): string => pascal(kebab).replace(/^./, (letter) => letter.toLowerCase());
const snakeOf = (kebab: string): string => kebab.replaceAll('-', '_');
const spaced = (kebab: string): string => kebab.replaceAll('-', ' ');
const kebabOf = (noun: string): string =>
  PASCAL.test(noun) ? noun.replace(/(?!^)[A-Z]/g, (letter) => `-${letter}`).toLowerCase() : noun;

function parseNoun(noun: string): string {
  const kebab = kebabOf(noun);
  if (!KEBAB.test(kebab))
    throw new UsageError(`Invalid noun "${noun}". Use kebab case or Pascal case, such as news-story or NewsStory.`);
  if (kebab.length < 2 || kebab.length > MAX_NOUN_LENGTH) {
    throw new UsageError(`Invalid noun "${noun}". A noun must be 2 to ${MAX_NOUN_LENGTH} characters long.`);
  }
  return kebab;
}

/**
 * All spellings of a noun.
 * @param plural if the regular English plural is not suitable
 * @throws UsageError with the reason if the noun cannot be used
 */
export function deriveNames(noun: string, plural?: string): Names {
  const one = parseNoun(noun);
  const many = plural === undefined ? pluralOf(one) : parseNoun(plural);
  if (one === many)
    throw new UsageError(`The plural of ${one} must differ from it. Set --plural, for example to ${one}-list.`);
  if (many.length > MAX_PLURAL_LENGTH) {
    throw new UsageError(
      `The plural ${many} must be at most ${MAX_PLURAL_LENGTH} characters long. Use a shorter noun, or set --plural.`,
    );
  }
  for (const name of [one, many]) {
    if (isReserved(name))
      throw new UsageError(`The name ${name} is reserved by TypeScript or Gatehouse. Use another noun.`);
  }
  if (isReservedFeatureName(snakeOf(many))) {
    throw new UsageError(`The feature name ${snakeOf(many)} is reserved. Use a noun that starts with another word.`);
  }
  return {
    ...{ one, many, One: pascal(one), Many: pascal(many) },
    ...{ camel: camelOf(one), manyCamel: camelOf(many) },
    ...{ snake: snakeOf(one), manySnake: snakeOf(many) },
    MANY: snakeOf(many).toUpperCase(),
    ...{ word: spaced(one), words: spaced(many), Words: capital(spaced(many)) },
  };
}

const PACKAGE_NAME = /^(?:@[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?\/)?[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?$/;
const RESERVED_PACKAGE_NAMES = ['node_modules', 'favicon.ico', 'gatehouse', NAME, ...builtinModules];

/** @throws UsageError if npm or Docker does not accept the name, or if it is taken */
export function assertPackageName(name: string): void {
  if (name.length > 214 || !PACKAGE_NAME.test(name)) {
    throw new UsageError(
      `Invalid package name "${name}". Use lowercase letters, digits and hyphens, such as notes-service.`,
    );
  }
  if (RESERVED_PACKAGE_NAMES.includes(name)) throw new UsageError(`The name ${name} is reserved. Use another name.`);
}
