import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { WORDS } from '../../src/platform/mail/templates/translator.js';

const WEB = join(import.meta.dirname, '../../web');
const LANGUAGES = Object.keys(WORDS) as (keyof typeof WORDS)[];
type Language = (typeof LANGUAGES)[number];

/** Every text below a value, with its path. */
const textsOf = (value: unknown, path = ''): [string, string][] =>
  typeof value === 'string'
    ? [[path, value]]
    : Object.entries(value as object).flatMap(([name, inner]) =>
        textsOf(inner, path === '' ? name : `${path}.${name}`),
      );
const pageTexts = (language: Language) =>
  textsOf(JSON.parse(readFileSync(join(WEB, 'words', `${language}.json`), 'utf8')));

/**
 * Words that are not used, and the term that is used instead. `email` is also the name of a scope, and a logout token is a
 * term of OpenID Connect.
 */
const BANNED: Readonly<Record<Language, readonly (readonly [RegExp, string])[]>> = {
  'en-US': [
    [/\be-mails?\b|\bmail(?:s|ed|ing)?\b/i, 'email'],
    [/(?<!\b(?:email|IP) |\bBecause the )\baddress(?:es)?\b/i, 'email, IP address, URL or redirect URI'],
    [/\bconfirmed\b/i, 'verified, approved'],
    [/second (?:step|factor)/i, 'two-step verification'],
    [/\bgo(?:es)? on\b/i, 'continue'],
    [/\badmin(?:istrat(?:or|ion))? keys?\b/i, 'API key'],
    [/\bapplications?\b/i, 'app'],
    [/\bdisabled?\b|\blocked down\b|\block ?down\b/i, 'deactivated, suspended or locked'],
    [/\bfor good\b|\bfor ?ever\b/i, 'permanent'],
    [/\bwhoever\b|\b(?:no|some|every)body\b/i, 'you, anyone, no one, someone, everyone'],
    [/colour|authoris|organis|recognis|cancell(?:ed|ing)|behaviour/i, 'the American spelling'],
    [/\bat once\b|\banew\b|\bmeanwhile\b|\bonce more\b/i, 'right away, again, in the meantime'],
    [/\brefus(?:e[sd]?|als?)\b/i, 'decline, deny, reject'],
    [/(?<!profile )\bpictures?\b/i, 'image'],
    [/\blog(?:ged)?[ -](?:in|out)\b|\blogin\b/i, 'sign in, sign out'],
    [/\bregist(?:er|ration)/i, 'sign up'],
    [/\bcannot\b|\b(?:are|can|could|did|do|does|has|have|is|was|were|will|would) not\b/i, 'a contraction'],
    [/\b(?:you|we|they) (?:are|will)\b|\bit is\b/i, 'a contraction'],
    [/'/, 'the typographic apostrophe'],
  ],
  de: [
    [/\bE?mails?\b|\bEmail/, 'E-Mail'],
    [/einlogg|auslogg|\bLogin\b/i, 'anmelden, abmelden'],
  ],
  fr: [
    [/(?<!identify )\bemails?\b|\bcourriels?\b/i, 'e-mail'],
    [/\blogin\b/i, 'connexion'],
  ],
  'es-ES': [
    [/(?<!identify )\be-?mails?\b/i, 'correo electrónico'],
    [/\blogin\b/i, 'inicio de sesión'],
  ],
  'pt-BR': [
    [/(?<!identify )\bemails?\b/i, 'e-mail'],
    [/\bfazer logout\b|\bdeslogar/i, 'sair'],
  ],
  ja: [[/ログイン|(?<!バックチャネル)ログアウト(?!トークン)|Eメール/, 'サインイン, サインアウト, メール']],
  ar: [[/إيميل|تسجيل الولوج/, 'بريد إلكتروني, تسجيل الدخول']],
};

/** The terms that a text breaks. Placeholders are not text. */
const brokenTerms = (language: Language, text: string): string[] => {
  const prose = text.replace(/\{\w+\}/g, 'X');
  return BANNED[language].filter(([pattern]) => pattern.test(prose)).map(([, term]) => term);
};

/** Where the source uses a key, and the most characters that an English text has there. */
const PLACES = {
  button: [/<(?:Button|LinkButton|DecisionButton)\b(?:[^>]|=>)*>\s*\{t\('([\w.:*@-]+)'/g, 35],
  label: [/\blabel=\{t\('([\w.:*@-]+)'/g, 55],
  heading: [/<h[1-3]\b[^>]*>\s*\{t\('([\w.:*@-]+)'|\btitle(?:=|: )\{?(?:t\()?'(\w+\.[\w:]+)'/g, 45],
  toast: [/\btoast\(\s*t\('([\w.:*@-]+)'/g, 70],
  hint: [/\bhint=\{t\('([\w.:*@-]+)'/g, 120],
} as const;
type Place = keyof typeof PLACES;
/** Any text of the pages. */
const LONGEST = 200;
/** How much longer than English a text in another language can be. */
const longer = (language: Language): number => (language === 'en-US' ? 1 : 1.65);

const source = readdirSync(WEB, { recursive: true, encoding: 'utf8' })
  .filter((file) => /^(?!node_modules).+\.tsx?$/.test(file))
  .map((file) => readFileSync(join(WEB, file), 'utf8'))
  .join('\n');
const keysOf = (place: Place): Set<string> =>
  new Set([...source.matchAll(PLACES[place][0])].map(([, ...keys]) => keys.find(Boolean) as string));

/** The texts that are too long for their place. */
const tooLong = (language: Language, texts: readonly (readonly [string, string])[]): string[] => {
  const factor = longer(language);
  const limits = (Object.keys(PLACES) as Place[]).map((place) => [place, keysOf(place), PLACES[place][1]] as const);
  return texts.flatMap(([path, text]) => {
    const key = path.split('.').slice(0, 2).join('.');
    const broken = limits.filter(([, keys, most]) => keys.has(key) && text.length > most * factor);
    const names = [...broken.map(([place]) => place), ...(text.length > LONGEST * factor ? ['text'] : [])];
    return names.map((name) => `${name} ${path}: ${text}`);
  });
};

describe('one term for each concept', () => {
  test.each(LANGUAGES)('the pages in %s', (language) => {
    expect(pageTexts(language).filter(([, text]) => brokenTerms(language, text).length > 0)).toEqual([]);
  });

  test.each(LANGUAGES)('the emails in %s', (language) => {
    expect(textsOf(WORDS[language]).filter(([, text]) => brokenTerms(language, text).length > 0)).toEqual([]);
  });

  test.each<[Language, string, string[]]>([
    ['en-US', 'Confirm your e-mail', ['email']],
    ['en-US', 'Enter your address', ['email, IP address, URL or redirect URI']],
    ['en-US', 'Enter your email address or an IP address', []],
    ['en-US', 'Your address {email}', ['email, IP address, URL or redirect URI']],
    ['en-US', '{address} is banned by {application}', []],
    ['en-US', 'Your email is confirmed', ['verified, approved']],
    ['en-US', 'Second step', ['two-step verification']],
    ['en-US', 'You are signed in', ['a contraction']],
    ['en-US', "You're signed in", ['the typographic apostrophe']],
    ['en-US', 'You cannot log in', ['sign in, sign out', 'a contraction']],
    ['en-US', 'Somebody made an application', ['app', 'you, anyone, no one, someone, everyone']],
    ['de', 'Die Email ist da', ['E-Mail']],
    ['de', 'Die E-Mail ist da', []],
    ['fr', 'Votre email', ['e-mail']],
    ['ja', 'ログイン', ['サインイン, サインアウト, メール']],
  ])('%s: "%s" breaks %j', (language, text, terms) => {
    expect(brokenTerms(language, text)).toEqual(terms);
  });
});

describe('no text is longer than its place allows', () => {
  test.each(LANGUAGES)('the pages in %s', (language) => {
    expect(tooLong(language, pageTexts(language))).toEqual([]);
  });

  test.each(LANGUAGES)('the subjects, labels and buttons of emails in %s', (language) => {
    const most = (path: string) => (/\.action$|^labels\./.test(path) ? 30 : /\.subject$/.test(path) ? 60 : LONGEST);
    const texts = textsOf(WORDS[language]);
    expect(texts.filter(([path, text]) => text.length > most(path) * longer(language))).toEqual([]);
  });

  test('every kind of place is found in the source, and each limit applies', () => {
    for (const place of Object.keys(PLACES) as Place[]) {
      const keys = [...keysOf(place)];
      expect([place, keys.length > 20]).toEqual([place, true]);
      const most = PLACES[place][1];
      const text = (length: number) => [[keys[0] as string, 'x'.repeat(length)]] as const;
      expect(tooLong('en-US', text(most))).toEqual([]);
      expect(tooLong('en-US', text(most + 1))).toContainEqual(expect.stringContaining(place));
      expect(tooLong('de', text(Math.floor(most * 1.65) + 1))).toContainEqual(expect.stringContaining(place));
    }
    expect(tooLong('en-US', [['codes.NOT_FOUND', 'x'.repeat(LONGEST + 1)]])).toHaveLength(1);
  });
});
