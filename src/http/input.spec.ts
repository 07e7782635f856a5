import 'reflect-metadata';
import {
  AnyObject,
  Bool,
  Email,
  field,
  Int,
  ListOf,
  OneOf,
  Snowflake,
  schemaOf,
  snowflakeFault,
  Text,
  Time,
  validateShape,
} from './input.js';

const ABSENT = Symbol('absent');

/** Validates a class with one member `a` of this rule. Returns the value and the errors as `path: code`. */
function judged(rule: PropertyDecorator, value: unknown): { value: unknown; faults: string[] } {
  class One {
    a?: unknown;
  }
  rule(One.prototype, 'a');
  const { instance, faults } = validateShape(One, value === ABSENT ? {} : { a: value });
  return { value: instance.a, faults: faults.map(({ path, code }) => `${path}: ${code}`) };
}

const faultsOf = (rule: PropertyDecorator, value: unknown): string => judged(rule, value).faults.join();

describe('conventions.md 6: rules of every member', () => {
  const kinds: [name: string, make: (options: { optional?: boolean; nullable?: boolean }) => PropertyDecorator][] = [
    ['Text', (options) => Text({ ...options, max: 3 })],
    ['Bool', Bool],
    ['Int', (options) => Int({ ...options, min: 1, max: 3 })],
    ['OneOf', (options) => OneOf(['a', 'b'], options)],
    ['Snowflake', Snowflake],
    ['Time', Time],
    ['ListOf', (options) => ListOf({ ...options, max: 3 }, () => undefined)],
    ['Email', Email],
    ['Anything', AnyObject],
  ];
  test.each(kinds)('%s is required unless optional, and not null unless nullable', (_name, make) => {
    for (const none of [ABSENT, undefined]) {
      expect(faultsOf(make({}), none)).toBe('a: INVALID_FORMAT');
      expect(faultsOf(make({ nullable: true }), none)).toBe('a: INVALID_FORMAT');
      expect(faultsOf(make({ optional: true }), none)).toBe('');
    }
    expect(faultsOf(make({}), null)).toBe('a: INVALID_FORMAT');
    expect(faultsOf(make({ optional: true }), null)).toBe('a: INVALID_FORMAT');
    expect(faultsOf(make({ nullable: true }), null)).toBe('');
  });

  test('a value beyond its limit is neither converted nor checked', () => {
    const seen: unknown[] = [];
    const see = (value: unknown) => {
      seen.push(value);
      return value;
    };
    const rule = (bound?: number) =>
      field({ description: {}, ...(bound && { bound }), convert: see }, (value) => void see(value));
    expect(faultsOf(rule(3), 'abcd')).toBe('a: CONTENT_EXCEEDS_MAX_LENGTH');
    expect(faultsOf(rule(), 'a'.repeat(4097))).toBe('a: CONTENT_EXCEEDS_MAX_LENGTH');
    expect(seen).toEqual([]);
    expect(faultsOf(rule(3), 'abc')).toBe('');
    expect(faultsOf(rule(), 'a'.repeat(4096))).toBe('');
    expect(new Set(seen)).toEqual(new Set(['abc', 'a'.repeat(4096)]));
  });
});

describe('the schema of an input class', () => {
  const text = { type: 'string', minLength: 0, maxLength: 3 };
  const list = { type: 'array', items: { type: 'string' }, minItems: 0, maxItems: 3 };
  test.each<[what: string, rule: PropertyDecorator, expected: object]>([
    ['a text', Text({ max: 3 }), text],
    ['a form', Text({ max: 3, pattern: /^a/, example: 'ab' }), { ...text, pattern: '^a', examples: ['ab'] }],
    ['a member that may be null', Bool({ nullable: true }), { type: ['boolean', 'null'] }],
    ['a number', Int({ min: 1, max: 3 }), { type: 'integer', minimum: 1, maximum: 3 }],
    ['a choice', OneOf(['a', 'b']), { type: 'string', enum: ['a', 'b'] }],
    [
      'a choice that may be null',
      OneOf(['a', 'b'], { nullable: true }),
      { type: ['string', 'null'], enum: ['a', 'b', null] },
    ],
    ['a time', Time(), { type: 'string', format: 'date-time' }],
    ['a list', ListOf({ max: 3 }, () => undefined), list],
    [
      'a list of something',
      ListOf({ max: 3, items: { type: 'integer' } }, () => undefined),
      { ...list, items: { type: 'integer' } },
    ],
    ['an email address', Email(), { type: 'string', format: 'email', maxLength: 254 }],
    ['an object', AnyObject(), { type: 'object' }],
  ])('describes %s', (_, rule, expected) => {
    class One {
      a: unknown;
    }
    rule(One.prototype, 'a');
    expect(schemaOf(One)).toEqual({ type: 'object', properties: { a: expected }, required: ['a'] });
  });

  test('has the members of its base classes, and requires the non-optional ones', () => {
    class Base {
      @Text({ max: 3 }) a: string;
      @Bool() b: unknown;
    }
    class Derived extends Base {
      @Int({ min: 0, max: 1, optional: true }) override b: unknown = 0;
      @Bool({ optional: true }) c?: boolean;
    }
    expect(schemaOf(Derived)).toEqual({
      type: 'object',
      properties: { a: text, b: { type: 'integer', minimum: 0, maximum: 1 }, c: { type: 'boolean' } },
      required: ['a'],
    });
    class Optional {
      @Bool({ optional: true }) c?: boolean;
    }
    expect(schemaOf(Optional)).toEqual({ type: 'object', properties: { c: { type: 'boolean' } } });
  });
});

describe('conventions.md 6: kinds of members', () => {
  test('Text has its length in code points, its form, and no characters that a column cannot store', () => {
    const rule = Text({ min: 2, max: 3, pattern: /^[^x]*$/, check: (text) => !text.includes('y') });
    for (const good of ['ab', 'abc', '😀😀😀', ' a ']) expect(judged(rule, good)).toEqual({ value: good, faults: [] });
    expect(faultsOf(rule, '😀')).toBe('a: INVALID_FORMAT');
    expect(faultsOf(rule, 'abcd')).toBe('a: CONTENT_EXCEEDS_MAX_LENGTH');
    expect(faultsOf(rule, 'abcdefg')).toBe('a: CONTENT_EXCEEDS_MAX_LENGTH');
    for (const wrong of ['ax', 'ay', 'a\u0000', 'a\ud800', 5, ['ab'], {}, true])
      expect(faultsOf(rule, wrong)).toBe('a: INVALID_FORMAT');
    expect(faultsOf(Text({ max: 3 }), '')).toBe('');
  });

  test('Text returns the codes of the contract', () => {
    const rule = Text({
      min: 2,
      max: 3,
      length: 'EMAIL_LENGTH_INVALID',
      form: 'INVALID_EMAIL_FORMAT',
      ...{ pattern: /^[^x]*$/, check: (text: string) => !text.includes('y') },
    });
    for (const wrong of ['a', 'abcd', 'a'.repeat(99)]) expect(faultsOf(rule, wrong)).toBe('a: EMAIL_LENGTH_INVALID');
    for (const wrong of ['ax', 'ay']) expect(faultsOf(rule, wrong)).toBe('a: INVALID_EMAIL_FORMAT');
    expect(faultsOf(rule, 5)).toBe('a: INVALID_FORMAT');
  });

  test('Text is trimmed or normalized before it is measured, unless it is far too long', () => {
    const trim = Text({ max: 3, trim: true });
    expect(judged(trim, '  abc\t')).toEqual({ value: 'abc', faults: [] });
    expect(judged(trim, 5)).toEqual({ value: 5, faults: ['a: INVALID_FORMAT'] });
    expect(judged(trim, `abc${' '.repeat(1027)}`)).toEqual({ value: 'abc', faults: [] });
    expect(faultsOf(trim, `abc${' '.repeat(1028)}`)).toBe('a: CONTENT_EXCEEDS_MAX_LENGTH');
    const lower = Text({ max: 3, convert: (text) => text.toLowerCase() });
    expect(judged(lower, 'ABC')).toEqual({ value: 'abc', faults: [] });
    expect(judged(lower, 5)).toEqual({ value: 5, faults: ['a: INVALID_FORMAT'] });
    expect(judged(Text({ max: 3 }), ' a ').value).toBe(' a ');
  });

  test('Bool is one of two values, and not a text', () => {
    for (const good of [true, false]) expect(judged(Bool(), good)).toEqual({ value: good, faults: [] });
    for (const wrong of ['true', '', 0, 1, [], {}]) expect(faultsOf(Bool(), wrong)).toBe('a: INVALID_FORMAT');
  });

  test('Int is a whole number within its limits, and a text only in a path or a query', () => {
    const rule = Int({ min: -2, max: 300 });
    for (const good of [-2, 0, 300]) expect(judged(rule, good)).toEqual({ value: good, faults: [] });
    for (const wrong of [-3, 301, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '1', [1], true])
      expect(faultsOf(rule, wrong)).toBe('a: INVALID_FORMAT');
    expect(faultsOf(Int({ min: 0, max: 2 ** 60 }), 2 ** 53)).toBe('a: INVALID_FORMAT');
    const text = Int({ min: -20, max: 10 ** 15, text: true });
    for (const [sent, value] of [
      ['0', 0],
      ['-20', -20],
      ['-1', -1],
      ['12', 12],
      ['999999999999999', 999999999999999],
    ])
      expect(judged(text, sent)).toEqual({ value, faults: [] });
    for (const wrong of [
      '',
      '-0',
      '00',
      '01',
      '+1',
      '1 ',
      ' 1',
      '1.0',
      '1e3',
      'x1',
      '1x',
      '9'.repeat(16),
      '9'.repeat(41),
      ['1'],
    ])
      expect(judged(text, wrong)).toEqual({ value: wrong, faults: ['a: INVALID_FORMAT'] });
  });

  test('OneOf is one of its texts', () => {
    const rule = OneOf(['a', 'bcd']);
    for (const good of ['a', 'bcd']) expect(judged(rule, good)).toEqual({ value: good, faults: [] });
    for (const wrong of ['', 'b', 'abcd', 'A', ['a'], 1]) expect(faultsOf(rule, wrong)).toBe('a: INVALID_FORMAT');
  });

  test('Snowflake is decimal text or a JSON integer up to 2^63-1, and text afterwards', () => {
    const rule = Snowflake();
    for (const [sent, value] of [
      ['0', '0'],
      ['7', '7'],
      ['9223372036854775807', '9223372036854775807'],
      [0, '0'],
      [7, '7'],
    ])
      expect(judged(rule, sent)).toEqual({ value, faults: [] });
    expect(judged(rule, Number.MAX_SAFE_INTEGER)).toEqual({ value: String(Number.MAX_SAFE_INTEGER), faults: [] });
    for (const sent of ['9223372036854775808', '9'.repeat(40)])
      expect(faultsOf(rule, sent)).toBe('a: SNOWFLAKE_OUT_OF_RANGE');
    for (const sent of ['', '07', '-7', 'x', 'x7', '7x', '7.0', '9'.repeat(41), -1, 2 ** 53])
      expect(faultsOf(rule, sent)).toBe('a: INVALID_SNOWFLAKE_FORMAT');
    for (const sent of [1.5, true, ['7'], {}]) expect(faultsOf(rule, sent)).toBe('a: INVALID_FORMAT');
    expect(judged(rule, -1).value).toBe(-1);
    expect([0, Number.MAX_SAFE_INTEGER].map(snowflakeFault)).toEqual([undefined, undefined]);
    for (const sent of [-1, Number.MAX_SAFE_INTEGER + 1]) expect(snowflakeFault(sent)).toBe('INVALID_SNOWFLAKE_FORMAT');
  });

  test('Time is a real second in UTC', () => {
    for (const good of ['2024-01-31T12:00:00Z', '2024-02-29T23:59:59.123456789Z', '2024-01-31T12:00:00.0Z'])
      expect(judged(Time(), good)).toEqual({ value: good, faults: [] });
    for (const wrong of [
      ...[
        '',
        '2024-02-30T12:00:00Z',
        '2023-02-29T12:00:00Z',
        '2024-01-31T12:00:00',
        '2024-01-31',
        '2024-13-01T12:00:00Z',
      ],
      ...['2024-01-31T24:00:00Z', '2024-01-31T12:00:00+00:00', 'x2024-01-31T12:00:00Z', '2024-01-31T12:00:00Zx'],
      ...[' 2024-01-31T12:00:00Z', '2024-01-31T12:00:00Z ', '2024-01-31T12:00:00Z\n', '-2024-01-31T12:00:00Z'],
      ...['+002024-01-31T12:00:00Z', `2024-01-31T12:00:00Z${' '.repeat(50)}`],
      ...[
        '2024-01-31T12:00:00.Z',
        '2024-01-31T12:00:00.1234567890Z',
        '2024-1-31T12:00:00Z',
        1706702400000,
        ['2024-01-31T12:00:00Z'],
      ],
    ])
      expect(faultsOf(Time(), wrong)).toBe('a: INVALID_FORMAT');
  });

  test('ListOf has its length, and reports each invalid element by index', () => {
    const rule = ListOf({ min: 1, max: 3 }, (element) => (element === 'x' ? 'INVALID_URL_FORMAT' : undefined));
    for (const good of [['a'], ['a', 'b', 'c']]) expect(judged(rule, good)).toEqual({ value: good, faults: [] });
    for (const wrong of [[], ['a', 'b', 'c', 'd'], 'a', { length: 1 }, 1])
      expect(faultsOf(rule, wrong)).toBe('a: INVALID_FORMAT');
    expect(faultsOf(rule, ['x', 'a', 'x'])).toBe('a.0: INVALID_URL_FORMAT,a.2: INVALID_URL_FORMAT');
    expect(
      faultsOf(
        ListOf({ max: 1 }, () => undefined),
        [],
      ),
    ).toBe('');
  });

  test('elements of ListOf are measured before any is converted', () => {
    const upper = (list: unknown) => (list as string[]).map((text) => text.toUpperCase());
    const rule = ListOf({ max: 2, bound: 3, tooLong: 'CONTENT_EXCEEDS_MAX_LENGTH', convert: upper }, () => undefined);
    expect(judged(rule, ['abc', 'd'])).toEqual({ value: ['ABC', 'D'], faults: [] });
    expect(judged(rule, ['a', 'abcd'])).toEqual({ value: ['a', 'abcd'], faults: ['a.1: CONTENT_EXCEEDS_MAX_LENGTH'] });
    expect(judged(rule, ['a', 'b', 'c'])).toEqual({ value: ['a', 'b', 'c'], faults: ['a: INVALID_FORMAT'] });
    expect(judged(rule, 'abc')).toEqual({ value: 'abc', faults: ['a: INVALID_FORMAT'] });
    const plain = ListOf({ max: 1 }, () => undefined);
    expect(faultsOf(plain, ['a'.repeat(4097)])).toBe('a.0: INVALID_FORMAT');
    expect(faultsOf(plain, ['a'.repeat(4096)])).toBe('');
    expect(faultsOf(plain, 'a'.repeat(4097))).toBe('a: INVALID_FORMAT');
  });

  test('Email is a valid address of auth.md 1.4', () => {
    const label = 'a'.repeat(63);
    for (const good of [
      ...['a@b.co', "A.b!#$%&'*+/=?^_`{|}~-9@x-y.example", `${'a'.repeat(64)}@b.co`, `a@${label}.example`, 'a@b.c1c'],
      ...[`a@${label}.${label}.${'b'.repeat(60)}.${label}`, `a@1.example`],
    ])
      expect(judged(Email(), good)).toEqual({ value: good, faults: [] });
    expect(judged(Email(), ' ａ@b.co\t')).toEqual({ value: 'a@b.co', faults: [] });
    for (const domain of ['bücher.example', 'BÜCHER.example', 'bu\u0308cher.example', 'bücher。example'])
      expect(judged(Email(), `a@${domain}`)).toEqual({ value: 'a@xn--bcher-kva.example', faults: [] });
    expect(judged(Email(), 'A@почта.рф')).toEqual({ value: 'A@xn--80a1acny.xn--p1ai', faults: [] });
    for (const domain of ['bücher', 'bü cher.example', 'bü/cher.example', '-ü.example\u0000', 'bü..example'])
      expect(faultsOf(Email(), `a@${domain}`)).toBe('a: INVALID_EMAIL_FORMAT');
    for (const wrong of [
      '',
      ' ',
      `a@${`${label}.`.repeat(3)}${'b'.repeat(61)}`,
      `a@${`${label}.`.repeat(4)}co`,
      'a'.repeat(5000),
    ])
      expect(faultsOf(Email(), wrong)).toBe('a: EMAIL_LENGTH_INVALID');
    for (const wrong of [
      ...[
        'a',
        'b.co',
        'a@',
        'a@b',
        'a@.co',
        'a@b..co',
        'a@-b.co',
        'a@b-.co',
        'a@b.c',
        'a@b.1o',
        'a@b.co-',
        'a@b_c.co',
        'a@b.co x',
      ],
      ...[
        'a@x y.co',
        `a@${label}a.example`,
        `a@b.c${label}a`,
        'a\u0000@b.co',
        'a\ud800@b.co',
        'a@b.co.',
        'a@b.c_c',
        'a@b.c-',
      ],
    ])
      expect(faultsOf(Email(), wrong)).toBe('a: INVALID_EMAIL_FORMAT');
    for (const wrong of [
      '@b.co',
      '.a@b.co',
      'a.@b.co',
      'a..b@b.co',
      'a b@b.co',
      'a@b@b.co',
      `${'a'.repeat(65)}@b.co`,
      '"a"@b.co',
      'é@b.co',
    ])
      expect(faultsOf(Email(), wrong)).toBe('a: INVALID_EMAIL_LOCAL_PART');
    for (const wrong of [1, ['a@b.co'], {}])
      expect(judged(Email(), wrong)).toEqual({ value: wrong, faults: ['a: INVALID_FORMAT'] });
  });

  test('Anything is any object that can be stored', () => {
    for (const good of [{}, { a: { b: ['c'] } }])
      expect(judged(AnyObject(), good)).toEqual({ value: good, faults: [] });
    for (const wrong of [[], 'a', '', 1, true, { a: '\u0000' }])
      expect(faultsOf(AnyObject(), wrong)).toBe('a: INVALID_FORMAT');
  });
});

describe('conventions.md 6: errors', () => {
  test('one response lists at most a hundred errors, each once', () => {
    const many = ListOf({ max: 200 }, () => 'INVALID_FORMAT');
    expect(
      judged(
        many,
        Array.from({ length: 150 }, () => 'a'),
      ).faults,
    ).toHaveLength(100);
    const twice = field({ description: {} }, () => [
      { at: '.0', code: 'INVALID_FORMAT' },
      { at: '.0', code: 'INVALID_FORMAT' },
      { at: '.0', code: 'INVALID_URL_FORMAT' },
    ]);
    expect(faultsOf(twice, 'a')).toBe('a.0: INVALID_FORMAT,a.0: INVALID_URL_FORMAT');
  });
});
