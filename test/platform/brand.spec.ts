import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Env } from '../../src/core/config/reader.js';
import { ConfigurationError } from '../../src/core/config/start-error.js';
import { loadConfig } from '../../src/features.js';
import { type Accent, BACKGROUNDS, contrast } from '../../src/platform/brand/accent.js';

const GATEHOUSE_SECRET = randomBytes(32).toString('base64');
const load = (env: Env) => loadConfig({ GATEHOUSE_SECRET, ...env });

function faultsOf(env: Env): string[] {
  try {
    load(env);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.faults;
    throw error;
  }
  return [];
}

const PRODUCTION = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgres://gatehouse@db.internal/gatehouse',
  PUBLIC_ORIGIN: 'https://id.example.com',
  MAIL_TRANSPORT: 'none',
};
const folder = mkdtempSync(join(tmpdir(), 'brand-'));
function fileOf(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}
const svg = (inner: string, more = '') =>
  `<?xml version="1.0"?>\n<!-- made by hand -->\n<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"${more}>${inner}</svg>\n`;
const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(64)]);
const WEBP = Buffer.from('RIFF0000WEBPVP8 ');

describe('web.md 1, brand: the accent', () => {
  test('contrast is that of WCAG', () => {
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5);
    expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
    expect(contrast('#ffffff', '#0000ff')).toBeCloseTo(8.59, 2);
  });

  test.each(['#2f5bea', '#767676', '#e11d48', '#0f766e', '#00a86b', '#C026D3', '#0000ff', '#111111', '#f5700a'])(
    '%s is readable in both color schemes after derivation',
    (colour) => {
      const { accent } = load({ BRAND_ACCENT: colour }).brand;
      for (const scheme of ['light', 'dark'] as const) {
        const { accent: button, on, text }: Accent = accent[scheme];
        expect(contrast(button, on)).toBeGreaterThanOrEqual(4.5);
        for (const ground of Object.values(BACKGROUNDS[scheme])) {
          expect([ground, contrast(text, ground) >= 4.5, contrast(button, ground) >= 3]).toEqual([ground, true, true]);
        }
      }
    },
  );

  test('an accent that needs no change is used as chosen', () => {
    expect(load({}).brand.accent.light).toEqual({ accent: '#2f5bea', on: '#ffffff', text: '#2f5bea' });
    expect(load({ BRAND_ACCENT: '#8AB4F8' }).brand.accent.dark).toEqual({
      ...{ accent: '#8ab4f8', on: '#000000', text: '#8ab4f8' },
    });
  });

  test('an accent without a readable variant stops the startup, with the measured ratio', () => {
    expect(faultsOf({ BRAND_ACCENT: '#ffffff' })).toEqual([
      'BRAND_ACCENT is not readable as a link on a light page: even half black, its contrast is 3.68 to 1. Required: 4.5 to 1',
    ]);
    expect(faultsOf({ BRAND_ACCENT: '#000000' })).toEqual([
      expect.stringMatching(
        /^BRAND_ACCENT is not readable as a link on a dark page: even half white, its contrast is 4\.\d\d to 1/,
      ),
    ]);
  });

  test.each(['blue', '#2f5', '2f5bea', '#2f5bea80', '#2f5beg', 'rgb(0,0,0)'])('%s is not a color', (colour) => {
    expect(faultsOf({ BRAND_ACCENT: colour })).toEqual(['BRAND_ACCENT must be a color such as #2f5bea']);
  });
});

describe('web.md 1, brand: the logo', () => {
  test('a URL: https, and also http in development', () => {
    expect(load({ BRAND_LOGO_URL: 'http://localhost/logo.png' }).brand.logo).toEqual({
      ...{ url: 'http://localhost/logo.png', inMails: true },
    });
    expect(load({ BRAND_LOGO_URL: 'https://cdn.example/logo.svg' }).brand.logo?.inMails).toBe(false);
    expect(faultsOf({ ...PRODUCTION, BRAND_LOGO_URL: 'http://cdn.example/logo.png' })).toEqual([
      'BRAND_LOGO_URL must be a URL that begins with https://',
    ]);
    expect(faultsOf({ BRAND_LOGO_URL: 'data:image/png;base64,AAAA' })).toHaveLength(1);
  });

  test('a file: read during startup, with a name and type from its content', () => {
    const { logo } = load({ BRAND_LOGO_FILE: fileOf('a.txt', PNG), PUBLIC_ORIGIN: 'https://id.example' }).brand;
    expect(logo).toEqual({
      url: `https://id.example${logo?.file?.path}`,
      inMails: true,
      file: { path: expect.stringMatching(/^\/assets\/logo-[0-9a-f]{12}\.png$/), type: 'image/png', bytes: PNG },
    });
    expect(load({ BRAND_LOGO_FILE: fileOf('b.png', WEBP) }).brand.logo?.file?.type).toBe('image/webp');
    const drawing = svg('<path d="M0 0h8v8z" fill="url(#a)"/><use href="#b"/>');
    expect(load({ BRAND_LOGO_FILE: fileOf('c.svg', drawing) }).brand.logo).toMatchObject({
      inMails: false,
      file: { type: 'image/svg+xml', bytes: readFileSync(join(folder, 'c.svg')) },
    });
  });

  test('a missing, oversized, invalid or duplicate logo is an error', () => {
    expect(faultsOf({ BRAND_LOGO_FILE: join(folder, 'none.png') })).toEqual([
      'BRAND_LOGO_FILE names a file that cannot be read (ENOENT)',
    ]);
    expect(faultsOf({ BRAND_LOGO_FILE: folder })).toEqual([
      'BRAND_LOGO_FILE names a file that cannot be read (EISDIR)',
    ]);
    const large = fileOf('large.png', Buffer.concat([PNG, Buffer.alloc(300_000)]));
    expect(faultsOf({ BRAND_LOGO_FILE: large })).toEqual([
      'BRAND_LOGO_FILE must be a file of at most 256 KiB; it has 300072 bytes',
    ]);
    for (const content of ['', 'GIF89a', '<html></html>', 'RIFF0000WAVE']) {
      expect(faultsOf({ BRAND_LOGO_FILE: fileOf('odd.png', content) })).toEqual([
        'BRAND_LOGO_FILE must be a PNG, WebP or SVG image',
      ]);
    }
    expect(faultsOf({ BRAND_LOGO_FILE: fileOf('a.png', PNG), BRAND_LOGO_URL: 'https://cdn.example/logo.png' })).toEqual(
      ['BRAND_LOGO_FILE must not be set together with BRAND_LOGO_URL'],
    );
  });

  test.each([
    ['a script', svg('<script>alert(1)</script>')],
    ['a script of another name', svg('<x:script xmlns:x="http://www.w3.org/2000/svg">alert(1)</x:script>')],
    ['HTML', svg('<foreignObject><p/></foreignObject>')],
    ['a picture', svg('<image href="https://evil.example/a.png"/>')],
    ['a handler', svg('', ' onload="alert(1)"')],
    ['a handler in capitals', svg('<path ONCLICK="alert(1)"/>')],
    ['a handler behind a closing bracket', svg('<path d=">" onload="alert(1)"/>')],
    ['a handler without quotes', svg('<path onload=alert(1)/>')],
    ['a link', svg('<a href="javascript:alert(1)"><path/></a>')],
    ['something used from elsewhere', svg('<use xlink:href="https://evil.example/a.svg#b"/>')],
    ['another base', svg('<use href="#a"/>', ' xml:base="https://evil.example/"')],
    ['a colour from elsewhere', svg('<path fill="url( https://evil.example/#a)"/>')],
    ['a style that loads', svg(String.raw`<path style="fill:\75rl(https://evil.example)"/>`)],
    ['a style sheet', svg('<style>@import "https://evil.example"</style>')],
    ['an animation', svg('<set attributeName="href" to="javascript:alert(1)"/>')],
    ['an entity', svg('<path fill="&x;"/>')],
    ['a document type', `<!DOCTYPE svg [<!ENTITY x "y">]>${svg('')}`],
    ['an instruction', `<?xml-stylesheet href="https://evil.example"?><svg/>`],
    ['characters that hide tags', svg('<![CDATA[<script>]]>')],
    ['another namespace', '<svg xmlns="http://www.w3.org/1999/xhtml"></svg>'],
    ['an open comment', '<svg><!-- '],
  ])('an SVG with %s stops the startup', (_, content) => {
    expect(faultsOf({ BRAND_LOGO_FILE: fileOf('bad.svg', content) })).toEqual([
      expect.stringMatching(/^BRAND_LOGO_FILE must be a drawing and nothing else: /),
    ]);
  });
});

describe('web.md 1, brand: links', () => {
  test('support by https or mailto, terms and privacy by https', () => {
    const brand = {
      BRAND_SUPPORT_URL: 'mailto:help@example.com',
      BRAND_TERMS_URL: 'https://example.com/terms',
      BRAND_PRIVACY_URL: 'https://example.com/privacy',
    };
    expect(load(brand).brand).toMatchObject({
      supportUrl: 'mailto:help@example.com',
      termsUrl: 'https://example.com/terms',
      privacyUrl: 'https://example.com/privacy',
    });
    for (const [name, values] of Object.entries({
      BRAND_SUPPORT_URL: ['javascript:alert(1)', 'http://a.example', 'help@example.com', 'mailto:', 'tel:+491234'],
      BRAND_TERMS_URL: ['http://a.example', 'mailto:a@b.example', 'terms'],
      BRAND_PRIVACY_URL: ['data:text/html,x'],
    })) {
      for (const value of values) expect([value, faultsOf({ [name]: value }).length]).toEqual([value, 1]);
    }
  });

  test('their old names stop the startup with the new name', () => {
    expect(faultsOf({ TERMS_URL: 'https://a.example', PRIVACY_URL: 'https://a.example' })).toEqual([
      'TERMS_URL was renamed. Use BRAND_TERMS_URL',
      'PRIVACY_URL was renamed. Use BRAND_PRIVACY_URL',
    ]);
  });
});

describe('web.md: which pages are served', () => {
  const ALL = { pages: true, admin: true, consent: true, lacksConsent: false };
  const CONSENT_ALONE = { ...ALL, pages: false, admin: false };
  const NONE = { ...CONSENT_ALONE, consent: false };
  test.each<[Env, typeof ALL]>([
    [{}, ALL],
    [{ WEB_ADMIN: 'off' }, { ...ALL, admin: false }],
    [{ WEB_PAGES: 'off' }, { ...NONE, lacksConsent: true }],
    [{ WEB_PAGES: 'off', OAUTH_CONSENT_URL: 'https://app.example/consent' }, NONE],
    [{ WEB_APP_URL: 'https://app.example' }, CONSENT_ALONE],
    [{ WEB_APP_URL: 'https://id.example/app' }, CONSENT_ALONE],
    [{ WEB_APP_URL: 'https://app.example', OAUTH_CONSENT_URL: 'https://app.example/consent' }, NONE],
    [{ OAUTH_CONSENT_URL: 'https://app.example/consent' }, { ...ALL, consent: false }],
    [{ OAUTH_CONSENT_URL: 'https://ID.example:443/oauth2/authorize/' }, ALL],
    [{ WEB_APP_URL: 'https://id.example/' }, ALL],
    [{ WEB_APP_URL: 'https://ID.example:443' }, ALL],
  ])('%j: %j', (env, web) => {
    expect(load({ PUBLIC_ORIGIN: 'https://id.example', ...env }).web).toEqual(web);
  });

  test('any value except on and off is an error', () => {
    expect(faultsOf({ WEB_PAGES: 'no', WEB_ADMIN: 'false' })).toEqual([
      'WEB_PAGES must be one of on, off',
      'WEB_ADMIN must be one of on, off',
    ]);
  });
});
