/** The search of the guides. The site and its test use the same index and ranking. */
import MiniSearch from 'minisearch';

/** Words that users search for, with the words that the pages use. */
const SYNONYMS = {
  '2fa': ['two', 'step', 'factor'],
  docker: ['container'],
  k8s: ['kubernetes'],
  login: ['sign', 'log'],
  logout: ['sign', 'log', 'out'],
  signin: ['sign', 'in'],
  signup: ['register'],
  sso: ['single', 'sign', 'on'],
  websocket: ['gateway'],
};

/** Words without a meaning of their own. Questions contain them. */
const STOP_WORDS = new Set(
  'a an and are can do does for how i in is it my of the to what when where which with you'.split(' '),
);

/** Guides rank before the manual, and both before reference texts that mention everything once. */
const BOOSTS = [
  [/^how-to/, 0.2],
  [/^contract\/|^manual\/assurance\//, 0.3],
  [/^manual\/(?:changelog|contributing|architecture|readme|security|code_of_conduct|maintaining)/, 0.3],
  [/^reference\//, 0.6],
  [/^manual\//, 0.8],
];

const boostOf = (id) => BOOSTS.find(([pattern]) => pattern.test(id))?.[1] ?? 1.6;

const OPTIONS = {
  fields: ['title', 'heading', 'keywords', 'text'],
  storeFields: ['title', 'heading'],
  processTerm: (term) => {
    const word = term.toLowerCase();
    return STOP_WORDS.has(word) ? null : word;
  },
};

/** @param sections with `id` (`<page>#<anchor>`), `title`, `heading`, `keywords` and `text` */
export function createIndex(sections) {
  const index = new MiniSearch(OPTIONS);
  index.addAll(sections);
  return index;
}

/** @param json what `JSON.stringify(createIndex(...))` returned */
export const loadIndex = (json) => MiniSearch.loadJSON(json, OPTIONS);

const wordsOf = (query) => query.toLowerCase().split(/[^\p{L}\p{N}]+/u);

/** @returns at most `limit` sections with `id`, `title` and `heading`, the best first */
export function search(index, query, limit = 12) {
  const words = wordsOf(query);
  const synonyms = words.flatMap((word) => SYNONYMS[word] ?? []);
  return index
    .search([...words, ...synonyms].join(' '), {
      boost: { title: 6, keywords: 20, heading: 4 },
      prefix: (term) => term.length > 2,
      fuzzy: (term) => (term.length > 4 ? 0.15 : false),
      boostDocument: (id) => boostOf(id),
      boostTerm: (term) => (words.includes(term) ? 1 : 0.4),
    })
    .slice(0, limit);
}
