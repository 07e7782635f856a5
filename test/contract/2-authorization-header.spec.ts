import fc from 'fast-check';
import {
  ADMIN_KEY,
  BOT_TOKEN,
  CREDENTIAL_PATTERNS,
  type HeaderRules,
  hasBotPrefix,
  hasBotTokenForm,
  parseAuthorization,
  parseBareToken,
  WEBHOOK_URL,
} from '../../src/policy/credential.js';

const ORDINARY: HeaderRules = { admin: false, anyCase: false };
const ADMIN: HeaderRules = { admin: true, anyCase: false };
const ANY_CASE: HeaderRules = { admin: false, anyCase: true };
const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJ';
const SESSION = `flx_${LETTERS}`;

const show = (lines: string[], rules: HeaderRules = ORDINARY): string => {
  const credential = parseAuthorization(lines, rules);
  return 'token' in credential ? `${credential.kind} ${credential.token}` : credential.kind;
};

describe('credentials.md 2: parsing the header', () => {
  const rows: [line: string, result: string][] = [
    ['flx_short', 'session flx_short'],
    ['anything-at-all', 'session anything-at-all'],
    ['Bearer', 'session Bearer'],
    [SESSION, `session ${SESSION}`],
    [`Bearer ${SESSION}`, `session ${SESSION}`],
    [`Bearer ${SESSION}x`, `bearer ${SESSION}x`],
    [`Bearer ${SESSION.slice(0, -1)}`, `bearer ${SESSION.slice(0, -1)}`],
    ['Bearer flx_', 'bearer flx_'],
    [`Bearer FLX_${LETTERS}`, `bearer FLX_${LETTERS}`],
    [`Bearer Flx_${LETTERS}`, `bearer Flx_${LETTERS}`],
    ...['-', '_', '.', '+', '='].map((mark): [string, string] => [
      `Bearer flx_${LETTERS.slice(1)}${mark}`,
      `bearer flx_${LETTERS.slice(1)}${mark}`,
    ]),
    ['Bot 1.secret', 'bot 1.secret'],
    [`Bot ${SESSION}`, `bot ${SESSION}`],
    ['Bearer 1.secret', 'bearer 1.secret'],
    ['Bearer "quoted"', 'bearer "quoted"'],
    ['', 'malformed'],
    [' ', 'malformed'],
    ['Bot ', 'malformed'],
    ['Bearer ', 'malformed'],
    ['Bot  1.secret', 'malformed'],
    ['Bot 1.secret ', 'malformed'],
    [' Bot 1.secret', 'malformed'],
    ['Bot\t1.secret', 'malformed'],
    ['Bot 1.secret x', 'malformed'],
    ['Bot 1.a, Bearer c', 'malformed'],
    ['Bot Bearer x', 'malformed'],
    ['bot 1.secret', 'malformed'],
    ['BOT 1.secret', 'malformed'],
    ['bearer x', 'malformed'],
    ['BEARER x', 'malformed'],
    ['Basic dTpw', 'malformed'],
    ['Bearer token="x" y', 'malformed'],
    ['Admin fa_1_x', 'malformed'],
    ['admin fa_1_x', 'malformed'],
    [`${SESSION}\u00a0`, 'malformed'],
    [`\u00a0${SESSION}`, 'malformed'],
    [`Bearer \u00a0${SESSION}`, 'malformed'],
    [`Bot\u00a01.secret`, 'malformed'],
    [`${SESSION}\u0085`, 'malformed'],
    [`\ufeff${SESSION}`, 'malformed'],
    [`${SESSION}\u2003`, 'malformed'],
    [`flx_${LETTERS.slice(1)}é`, 'malformed'],
    [`flx_${LETTERS.slice(1)}\u0660`, 'malformed'],
    [`flx_${LETTERS.slice(1)}Ａ`, 'malformed'],
    ['a\u0000b', 'malformed'],
    ['a\u007fb', 'malformed'],
    ['a\nb', 'malformed'],
    ['x'.repeat(512), `session ${'x'.repeat(512)}`],
    ['x'.repeat(513), 'malformed'],
    [`Bearer ${'x'.repeat(505)}`, `bearer ${'x'.repeat(505)}`],
    [`Bearer ${'x'.repeat(506)}`, 'malformed'],
  ];
  test.each(rows.map(([line, result]) => [line.slice(0, 50), result.slice(0, 50), line, result]))(
    '%j is %s',
    (_title, _shown, line, result) => expect(show([line as string])).toBe(result),
  );

  test('a request without the header has no credential; two header lines are malformed, even if they are equal', () => {
    expect(show([])).toBe('none');
    expect(show([SESSION, SESSION])).toBe('malformed');
    expect(show(['Bot 1.a', 'Bearer b'])).toBe('malformed');
  });

  test('the Admin scheme is accepted only below /v1/admin', () => {
    expect(show(['Admin fa_1_x'], ADMIN)).toBe('admin-key fa_1_x');
    expect(show(['admin fa_1_x'], ADMIN)).toBe('malformed');
    expect(show(['Bot 1.a'], ADMIN)).toBe('bot 1.a');
    expect(show([SESSION], ADMIN)).toBe(`session ${SESSION}`);
  });

  test('the two bot routes match Bot case-insensitively, and no other scheme', () => {
    for (const scheme of ['bot', 'BOT', 'bOt', 'Bot']) expect(show([`${scheme} 1.a`], ANY_CASE)).toBe('bot 1.a');
    for (const line of ['bot  1.a', 'bot 1.a b', 'bot', 'bearer x', 'Admin x']) {
      expect(show([line], ANY_CASE)).toBe(line === 'bot' ? 'session bot' : 'malformed');
    }
  });
});

describe('oauth.md 6.1 and 6.2: the two header rules of bots', () => {
  const rows: [lines: string[], prefix: boolean, form: boolean][] = [
    [[], false, false],
    [['Bot 1.a'], true, true],
    [['bOT 1.a_-9'], true, true],
    [['Bot 1501314428688998182.a'], true, true],
    [['Bot'], true, false],
    [['Bot '], true, false],
    [['Bot  1.a'], true, false],
    [['Bot 1.'], true, false],
    [['Bot .a'], true, false],
    [['Bot 1..a'], true, false],
    [['Bot -1.a'], true, false],
    [['Bot x.a'], true, false],
    [['Bot 1.a%00'], true, false],
    [['Bot 1.a b'], true, false],
    [['Bot 1.a\n'], true, false],
    [['Bot ١.a'], true, false],
    [['Robot 1.a'], false, false],
    [['Bots 1.a'], false, false],
    [['Bot\t1.a'], false, false],
    [['Bearer 1.a'], false, false],
    [[SESSION], false, false],
    [[' Bot 1.a'], false, false],
    [['Bot 1.a', 'Bot 1.a'], true, false],
    [[`Bot 1.${'a'.repeat(506)}`], true, true],
    [[`Bot 1.${'a'.repeat(507)}`], true, false],
  ];
  test.each(rows.map((row) => [JSON.stringify(row[0]).slice(0, 50), row] as const))('%s', (_title, row) => {
    const [lines, prefix, form] = row;
    expect([hasBotPrefix(lines), hasBotTokenForm(lines)]).toEqual([prefix, form]);
  });
});

describe('credentials.md 1 and gateway.md 7: the forms of credentials', () => {
  const SECRET = `${LETTERS}_-90123`;
  const KEY = LETTERS.slice(0, 32);
  const WEBHOOK = `${LETTERS}${LETTERS.slice(0, 28)}`;
  const IDS = ['0', '7', '70', '1501314428688998182'];
  const WRONG_IDS = ['', '00', '07', 'x', 'x7', '7x', '7xxxxxxxx', '15013144286889981820', '-7'];

  const forms: [of: (id: string, secret: string) => string, secret: string, form: RegExp][] = [
    [(id, secret) => `${id}.${secret}`, SECRET, BOT_TOKEN],
    [(id, secret) => `fa_${id}_${secret}`, KEY, ADMIN_KEY],
    [(id, secret) => `/webhooks/${id}/${secret}`, WEBHOOK, WEBHOOK_URL],
  ];
  test.each(forms)('an ID is a snowflake, and a secret has its length and alphabet: %#', (of, secret, form) => {
    for (const id of IDS) expect(of(id, secret)).toMatch(form);
    for (const id of WRONG_IDS) expect(of(id, secret)).not.toMatch(form);
    for (const wrong of ['', secret.slice(1), `${secret}a`, `.${secret.slice(1)}`, secret.slice(0, 1)]) {
      expect(of('7', wrong)).not.toMatch(form);
    }
    expect(of('7', '.'.repeat(secret.length))).not.toMatch(form);
  });

  test('bot tokens and Admin keys match only the complete text', () => {
    for (const [form, text] of [
      [BOT_TOKEN, `7.${SECRET}`],
      [ADMIN_KEY, `fa_7_${KEY}`],
    ] as const) {
      expect(`x${text}`).not.toMatch(form);
      expect(`${text} `).not.toMatch(form);
    }
  });

  test('a webhook URL has its ID and token at the end of the path', () => {
    const address = `https://example.com/v1/webhooks/7/${WEBHOOK}`;
    for (const end of ['', '/slack', '?wait=true', '#top']) {
      expect(WEBHOOK_URL.exec(address + end)?.slice(1)).toEqual(['7', WEBHOOK]);
    }
    for (const end of ['x', '.', '%']) expect(WEBHOOK_URL.exec(address + end)).toBeNull();
  });

  test('a token without a scheme is a session or a bot token, depending only on its form', () => {
    expect(parseBareToken(SESSION)).toEqual({ kind: 'session', token: SESSION });
    expect(parseBareToken(`7.${SECRET}`)).toEqual({ kind: 'bot', token: `7.${SECRET}` });
    for (const token of ['', `Bot 7.${SECRET}`, `Bearer ${SESSION}`, `fa_7_${KEY}`, SECRET, SESSION.slice(1)]) {
      expect(parseBareToken(token)).toEqual({ kind: 'malformed' });
    }
  });

  test('the credential patterns find each kind of credential inside a text', () => {
    const found = (kind: keyof typeof CREDENTIAL_PATTERNS, text: string) =>
      new RegExp(CREDENTIAL_PATTERNS[kind]).exec(`a "${text}" b`)?.[0];
    expect(found('session', SESSION)).toBe(SESSION);
    expect(found('bot', `7.${SECRET}`)).toBe(`7.${SECRET}`);
    expect(found('oauth2_access', SECRET)).toBe(SECRET);
    expect(found('oauth2_refresh', SECRET)).toBe(SECRET);
    expect(found('admin_key', `fa_7_${KEY}`)).toBe(`fa_7_${KEY}`);
    expect(found('webhook', `/v1/webhooks/7/${WEBHOOK}`)).toBe(`/v1/webhooks/7/${WEBHOOK}`);
  });
});

const RULES = fc.record({ admin: fc.boolean(), anyCase: fc.boolean() });
const TOKEN = fc.oneof(
  fc.constantFrom(SESSION, `${SESSION}x`, '1.secret', 'fa_1_x', '', 'a b', '\u00a0', '"x"'),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ minLength: 500, maxLength: 520 }),
);
/** Values close to valid ones: a scheme in any spelling, a separator and a token. */
const NEAR = fc
  .tuple(
    fc.constantFrom('', 'Bot', 'bot', 'BOT', 'Bearer', 'bearer', 'Admin', 'admin', 'Basic', '\u00a0', ' '),
    fc.constantFrom('', ' ', '  ', '\t', '\u00a0', ', ', '='),
    TOKEN,
    fc.constantFrom('', '', '', ' ', '\u00a0', '\t', '\r'),
  )
  .map((parts) => parts.join(''));
const LINE = fc.oneof(NEAR, fc.string({ unit: 'binary' }), fc.string());
const RUNS = { numRuns: 5000 };

/** A second implementation of the same rules. It splits the value and uses no regular expression. */
function model(lines: string[], { admin, anyCase }: HeaderRules): string {
  const [line] = lines;
  if (line === undefined) return 'none';
  const isVisible = [...line].every((char) => char >= ' ' && char <= '~');
  if (lines.length > 1 || line === '' || line.length > 512 || !isVisible) return 'malformed';
  const parts = line.split(' ');
  if (parts.length === 1) return `session ${line}`;
  const [scheme = '', token = ''] = parts;
  if (parts.length > 2 || token === '' || scheme === '') return 'malformed';
  if (scheme === 'Bot' || (anyCase && scheme.toLowerCase() === 'bot')) return `bot ${token}`;
  if (scheme === 'Admin' && admin) return `admin-key ${token}`;
  if (scheme !== 'Bearer') return 'malformed';
  const isAlphanumeric = (char: string) =>
    (char >= '0' && char <= '9') || (char >= 'A' && char <= 'Z') || (char >= 'a' && char <= 'z');
  const isSession = token.startsWith('flx_') && token.length === 40 && [...token.slice(4)].every(isAlphanumeric);
  return `${isSession ? 'session' : 'bearer'} ${token}`;
}

describe('credentials.md 2: properties of the parser', () => {
  test('the parser never throws and agrees with a second implementation of the rules', () => {
    fc.assert(
      fc.property(fc.array(LINE, { maxLength: 3 }), RULES, (lines, rules) => {
        expect(show(lines, rules)).toBe(model(lines, rules));
      }),
      RUNS,
    );
  });

  test('earlier parses do not change a result', () => {
    fc.assert(
      fc.property(LINE, LINE, RULES, (line, other, rules) => {
        const first = show([line], rules);
        show([other], rules);
        expect(show([line], rules)).toBe(first);
      }),
      RUNS,
    );
  });

  test('a token contains exactly the bytes that were sent: visible ASCII, not empty', () => {
    fc.assert(
      fc.property(LINE, RULES, (line, rules) => {
        const credential = parseAuthorization([line], rules);
        if (!('token' in credential)) return;
        expect(line.endsWith(credential.token)).toBe(true);
        expect(credential.token).toMatch(/^[!-~]+$/);
      }),
      RUNS,
    );
  });

  test('one additional byte outside visible ASCII makes any value malformed', () => {
    const hidden = fc.constantFrom('\t', '\u0000', '\r', '\n', '\u007f', '\u0080', '\u00a0', '\u00ff', '\u2028');
    fc.assert(
      fc.property(LINE, hidden, fc.nat(600), RULES, (line, byte, at, rules) => {
        const place = at % (line.length + 1);
        expect(show([line.slice(0, place) + byte + line.slice(place)], rules)).toBe('malformed');
      }),
      RUNS,
    );
  });
});
