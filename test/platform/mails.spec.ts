import { LOCALES } from '../../src/accounts/locales.js';
import { directionOf, LANGUAGES, type Language, matchLanguage } from '../../src/core/text/languages.js';
import { featureRegistry, loadConfig } from '../../src/features.js';
import { contrast } from '../../src/platform/brand/accent.js';
import { createPalette } from '../../src/platform/mail/templates/palette.js';
import { mailBranding } from '../../src/platform/mail/templates/render.js';
import { Translator, WORDS } from '../../src/platform/mail/templates/translator.js';
import {
  ADMINISTRATOR_EVENTS,
  SECURITY_EVENTS,
  type SecurityEvent,
} from '../../src/platform/mail/templates/words/kinds.js';
import type { Plural } from '../../src/platform/mail/templates/words/words.js';
import { renderSample, SAMPLES } from '../../src/service/mail-samples.js';

const config = loadConfig({
  GATEHOUSE_SECRET: 'c2VjcmV0IHNlY3JldCBzZWNyZXQgMTIzNDU2Nzg5MDEyMzQ1Njc4OTA=',
  BRAND_LOGO_URL: 'https://cdn.example/logo.png',
  BRAND_SUPPORT_URL: 'mailto:help@example.com',
});
const legal = { termsUrl: 'https://example.com/terms', privacyUrl: 'https://example.com/privacy?a=1&b=2' };
const look = mailBranding(config, legal);
const show = (kind: string, language: Language, product = 'Gatehouse') =>
  renderSample(featureRegistry(), kind, language, { product, webAppUrl: 'https://id.example', look });

const OTHERS = LANGUAGES.filter((language) => language !== 'en-US');
const PLURALS = ['minutes', 'hours', 'days'];
/** Every text of a language with its path. */
function textsOf(value: unknown, at = ''): [string, string][] {
  if (typeof value === 'string') return [[at, value]];
  return Object.entries(value as object).flatMap(([name, inner]) => textsOf(inner, at ? `${at}.${name}` : name));
}
const isPlural = (at: string) => PLURALS.includes(at.split('.')[0] as string);
const single = (language: Language) => textsOf(WORDS[language]).filter(([at]) => !isPlural(at));
const places = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();
const bare = (text: string) => text.replace(/[\u2066-\u2069]/g, '');
const unescaped = (html: string) =>
  html
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&nbsp;', ' ')
    .replaceAll('&amp;', '&');

describe('web.md 1, languages: one complete catalog for each', () => {
  test.each(OTHERS)('%s has the keys and placeholders of English', (language) => {
    const shape = (of: Language) => Object.fromEntries(single(of).map(([at, text]) => [at, places(text)]));
    expect(shape(language)).toEqual(shape('en-US'));
  });

  test.each(LANGUAGES)('%s has a text for every plural form of the language, and no other', (language) => {
    const rules = new Intl.PluralRules(language);
    const needed = new Set(Array.from({ length: 1000 }, (_, count) => rules.select(count)));
    for (const plural of PLURALS.map((name) => WORDS[language][name as 'minutes'] as Plural)) {
      expect(new Set(Object.keys(plural))).toEqual(new Set([...needed, 'other']));
      for (const [rule, text] of Object.entries(plural)) {
        // Arabic writes one and two without a number.
        if (!['one', 'two'].includes(rule)) expect(text).toContain('{count}');
        expect(places(text).filter((name) => name !== 'count')).toEqual([]);
      }
    }
  });

  test.each(OTHERS)('nothing in %s is left in English', (language) => {
    const english = new Map(single('en-US'));
    const hasWords = (text: string) => /\p{L}/u.test(text.replace(/\{\w+\}/g, ''));
    expect(single(language).filter(([at, text]) => hasWords(text) && english.get(at) === text)).toEqual([]);
  });

  test.each(LANGUAGES)('%s: no text has extra white space, and no two events have the same text', (language) => {
    const texts = single(language).filter(([at]) => !at.startsWith('labels.'));
    expect(texts.filter(([, text]) => text !== text.trim() || / {2}/.test(text))).toEqual([]);
    const events = SECURITY_EVENTS.map((event) => WORDS[language].events[event]);
    expect(new Set(events).size).toBe(events.length);
  });

  test('every German text has its duration in the dative, so that days end in “Tagen”', () => {
    const texts = single('de').filter(([, text]) => text.includes('{validity}'));
    expect(texts.length).toBeGreaterThan(5);
    expect(texts.filter(([, text]) => !/ (?:in|innerhalb von) \{validity\}/.test(text))).toEqual([]);
  });

  test('durations follow the plural of the language', () => {
    const said = (language: Language, seconds: number) => new Translator(language).formatDuration(seconds);
    expect([60, 600, 3600, 86_400].map((seconds) => said('en-US', seconds))).toEqual([
      ...['1 minute', '10 minutes', '1 hour', '24 hours'],
    ]);
    expect([60, 120, 300, 900].map((seconds) => said('ar', seconds))).toEqual([
      ...['دقيقة واحدة', 'دقيقتين', '5 دقائق', '15 دقيقة'],
    ]);
    expect(said('de', 899)).toBe('14 Minuten');
    expect(said('en-US', 20)).toBe('1 minute');
    expect([said('en-US', 604_800), said('de', 172_800), said('ar', 604_800)]).toEqual(['7 days', '2 Tagen', '7 أيام']);
  });

  test('times are those of the language, in UTC', () => {
    const at = new Date('2030-01-31T23:05:00Z');
    const said = (language: Language) => new Translator(language).formatTime(at).replace(/\s/g, ' ');
    expect(said('en-US')).toMatch(/^January 31, 2030 at 11:05 PM UTC$/);
    expect(said('de')).toMatch(/^31\. Januar 2030 um 23:05 UTC$/);
    expect(said('ja')).toMatch(/^2030年1月31日 23:05 UTC$/);
    for (const language of LANGUAGES) expect(said(language)).toMatch(/31.*2030.*05.*UTC|2030.*31.*05.*UTC/);
  });

  test('an unsupported locale gets English, one of another region its language', () => {
    const pairs = { 'en-GB': 'en-US', ko: 'en-US', 'zh-CN': 'en-US', it: 'en-US', 'de-AT': 'de', 'es-MX': 'es-ES' };
    for (const [locale, language] of Object.entries(pairs)) expect(matchLanguage(locale)).toBe(language);
    expect(matchLanguage(null, undefined, 'tlh', 'PT', 'fr')).toBe('pt-BR');
    expect(matchLanguage()).toBe('en-US');
    expect(LANGUAGES.filter((language) => !LOCALES.includes(language))).toEqual([]);
    expect(LANGUAGES.map(directionOf).filter((direction) => direction === 'rtl')).toHaveLength(1);
  });
});

const MAILS = SAMPLES.filter((kind) => kind !== 'phone_verification');
const LEFT_OVER = /\{\w+\}|undefined|null|NaN|Invalid/;
const URLS = /(?:https?|mailto):\S+/g;

test('every kind of email and every event is covered', () => {
  const notices = SECURITY_EVENTS.map((event) => `security_notice.${event}`);
  const declared = [...featureRegistry().mails.keys()].filter((type) => type !== 'security_notice');
  const others = MAILS.filter((kind) => !notices.includes(kind));
  expect(MAILS).toEqual([...others, ...notices]);
  expect([...others].sort()).toEqual(declared.sort());
});

describe.each(LANGUAGES)('every kind of message in %s', (language) => {
  const mails = MAILS.map((kind) => ({ kind, subject: '', html: '', ...show(kind, language) }));

  test('contains everything in both parts', () => {
    const joined = (shown: string) => bare(unescaped(shown)).replace(/\s+/g, '');
    for (const { kind, subject, text, html } of mails) {
      expect([kind, subject, LEFT_OVER.test(`${subject}${text}${html}`)]).toEqual([
        kind,
        expect.stringMatching(/\S/),
        false,
      ]);
      const blocks = html
        .slice(html.indexOf('<h1'))
        .split(/<\/?(?:h1|p|td|br|a)\b[^>]*>/)
        .map((block) => joined(block.replace(/<[^>]*>/g, '')))
        .filter((block) => block !== '' && !/^https?:/.test(block));
      // Each line of the text is part of a block. Lines end at spaces, and in Japanese between words.
      const lines = text
        .split('\n')
        .map((line) => joined(line.replace(/[:：\s]*(?:https?|mailto):\S+$|[:：]$|^-- $/, '')));
      const everything = blocks.join('\n');
      expect([kind, lines.filter((line) => !everything.includes(line) && line !== 'Gatehouse')]).toEqual([kind, []]);
      const reported = joined(`${subject}${text}${WORDS[language].fallback}`);
      expect([kind, blocks.filter((block) => !reported.includes(block))]).toEqual([kind, []]);
    }
  });

  test('has its links and codes in both parts, on lines of their own', () => {
    for (const { kind, text, html } of mails) {
      const links = [...text.matchAll(URLS)].map(([url]) => url);
      const followed = [...html.matchAll(/ href="([^"]*)"/g)].map(([, url]) => unescaped(url as string));
      expect([kind, new Set(followed)]).toEqual([kind, new Set(links)]);
      expect(links).toEqual(expect.arrayContaining(['mailto:help@example.com', ...Object.values(legal)]));
      const own = links.filter((url) => url.startsWith('https://id.example/auth/'));
      const isLinked =
        /^(?:email_verification|password_reset|ip_authorization|email_change_revert|security_digest)$/.test(kind) ||
        (kind.startsWith('security_notice.') && !ADMINISTRATOR_EVENTS.has(kind.split('.')[1] as SecurityEvent));
      expect([kind, own.length]).toEqual([kind, isLinked ? 1 : 0]);
      for (const url of own) {
        expect(text.split('\n')).toContain(url);
        const [link, ...facts] = url.split('&');
        expect(link).toMatch(/^https:\/\/id\.example\/auth\/[a-z-]+#token=[A-Za-z0-9]{64}$/);
        const names = kind === 'ip_authorization' ? ['ip', 'at', 'browser', 'system'] : [];
        expect([kind, facts.map((fact) => fact.split('=')[0])]).toEqual([kind, names]);
      }
      const isCode = /_change_(?:original|new)$|^password_change$|challenge$/.test(kind);
      expect([kind, text.split('\n').some((line) => line.trim() === 'K7QF-2XMB')]).toEqual([kind, isCode]);
      expect([kind, html.includes('K7QF-2XMB')]).toEqual([kind, isCode]);
    }
  });

  test('breaks lines between words', () => {
    const width = (line: string) => line.length + (line.match(/[\u3000-\u9fff\uff00-\uff60]/g)?.length ?? 0);
    for (const { kind, text } of mails) {
      const long = text.split('\n').filter((line) => width(bare(line.replace(URLS, ''))) > 78);
      expect([kind, long]).toEqual([kind, []]);
    }
  });

  test('names language and direction', () => {
    const start = `<html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">`;
    for (const { kind, html } of mails) expect([kind, html.includes(start)]).toEqual([kind, true]);
  });

  test('has a text message of one part', () => {
    const { text, html } = show('phone_verification', language);
    expect([html, LEFT_OVER.test(text)]).toEqual([undefined, false]);
    expect(text).toContain('482913');
    // One text message has 160 characters, or 70 if they are not all Latin.
    expect(text.length).toBeLessThanOrEqual(/^[ -~]*$/.test(text) ? 160 : 70);
  });
});

test.each(OTHERS)('no sentence of an email in %s is an English one', (language) => {
  const sentences = (text: string) =>
    bare(text)
      .split(/(?<=[.!?:])\s+|\n\n/)
      .map((sentence) => sentence.replace(/\s+/g, ' ').trim())
      .filter((sentence) => / /.test(sentence) && !/https?:|mailto:/.test(sentence));
  for (const kind of SAMPLES) {
    const english = new Set(sentences(show(kind, 'en-US').text));
    const found = sentences(show(kind, language).text).filter((sentence) => english.has(sentence));
    expect([kind, found]).toEqual([kind, []]);
  }
});

describe('design of emails', () => {
  test('text has enough contrast on every background, in both color schemes', () => {
    for (const scheme of ['light', 'dark'] as const) {
      const { page, raised, sunken, ink, quiet, text, accent, on } = createPalette(scheme, config.brand.accent);
      const pairs = [
        ...[ink, quiet, text].flatMap((front) => [page, raised].map((ground) => [front, ground] as const)),
        ...[[ink, sunken] as const, [on, accent] as const],
      ];
      expect(pairs.filter(([front, ground]) => contrast(front, ground) < 4.5)).toEqual([]);
    }
  });

  test('tables are only for layout, the logo has a name, nothing else is loaded, nothing runs', () => {
    const { html = '' } = show('ip_authorization', 'de');
    expect([...html.matchAll(/<table(?! role="presentation")/g)]).toEqual([]);
    expect([...html.matchAll(/<img [^>]*>/g)].map(([tag]) => tag)).toEqual([
      expect.stringMatching(/src="https:\/\/cdn\.example\/logo\.png" alt="Gatehouse"/),
    ]);
    expect(html).not.toMatch(/<script|<link|<iframe|@import|url\(|\son\w+=/i);
  });

  test('without a logo that email programs show, the name is shown', () => {
    for (const brand of [{}, { BRAND_LOGO_URL: 'https://cdn.example/logo.svg' }]) {
      const own = loadConfig({ GATEHOUSE_SECRET: config.secret.toString('base64'), ...brand });
      const plain = { product: 'Ärger & Söhne', webAppUrl: 'https://id.example', look: mailBranding(own, legal) };
      const { html } = renderSample(featureRegistry(), 'password_reset', 'fr', plain);
      expect(html).not.toContain('<img');
      expect(html).toContain('<bdi>Ärger &amp; Söhne</bdi>');
    }
  });

  test('the accent is the configured one', () => {
    const own = loadConfig({ GATEHOUSE_SECRET: config.secret.toString('base64'), BRAND_ACCENT: '#0f766e' });
    const branded = { product: 'P', webAppUrl: 'https://id.example', look: mailBranding(own, legal) };
    const { html = '' } = renderSample(featureRegistry(), 'password_reset', 'en-US', branded);
    expect(html).toContain('background: #0f766e; color: #ffffff');
    expect(html).toContain(`background: ${own.brand.accent.dark.accent} !important`);
    expect(html).not.toContain('#2f5bea');
  });

  test.each(LANGUAGES)('%s: a hostile name is only text', (language) => {
    const product = `<img src=x onerror=alert(1)>"'&{token}\r\nBcc: all@example.com`;
    for (const kind of SAMPLES.filter((name) => name !== 'phone_verification')) {
      const { subject = '', html = '' } = show(kind, language, product);
      expect(subject).not.toMatch(/[\r\n]/);
      expect(html).not.toContain('<img src=x');
      expect(html).not.toMatch(/Sample0[^"<]*onerror/);
    }
  });
});
