import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Schema } from '../../src/description/api-metadata.js';

const DOT = readFileSync(join(import.meta.dirname, '../support/fixtures/dot.png')).toString('base64');
const MAX_ID = 2n ** 63n - 1n;
/** Long enough for various lengths, short enough to read in a report. */
const LONG = 48;

export const isId = ({ format, type }: Schema): boolean => format === 'int64' && type === 'string';

/** Visible, non-blank characters of several scripts and Unicode planes, one code point each. */
const letter = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789') },
  { weight: 1, arbitrary: fc.constantFrom(...'éßñøЖЩωשעب漢字かな한🙂🧪𝒳-._~!?\'"\\<>{}&%') },
);

function text({ minLength = 0, maxLength = 4096 }: { minLength?: number; maxLength?: number }): fc.Arbitrary<string> {
  const usual = fc.array(letter, { minLength, maxLength: Math.min(maxLength, Math.max(minLength, LONG)) });
  const longest = fc.constant('x'.repeat(Math.min(maxLength, 4096)));
  return fc.oneof({ weight: 8, arbitrary: usual.map((parts) => parts.join('')) }, { weight: 1, arbitrary: longest });
}

const BY_FORMAT: Readonly<Record<string, fc.Arbitrary<string>>> = {
  email: fc.tuple(fc.stringMatching(/^[a-z][a-z0-9]{0,20}$/), fc.domain()).map((parts) => parts.join('@')),
  int64: fc.bigInt({ min: 0n, max: MAX_ID }).map(String),
  uri: fc.webUrl({ validSchemes: ['https'], withQueryParameters: true }),
  byte: fc.constant(DOT),
  'date-time': fc
    .date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
    .map((time) => time.toISOString()),
  acl: fc.constantFrom('admin:authenticate', 'user:lookup', 'audit_log:view', '*'),
  'event-type': fc.constantFrom('account.created', 'session.ended'),
  'account-flags': fc.constantFrom('0', '1'),
  'account-name': fc.constantFrom('1501314428688998182', 'ada@example.com', 'ada#0001'),
  'ip-address': fc.oneof(fc.ipV4(), fc.ipV6()),
  // These ranges have no host bits set.
  'ip-network': fc.oneof(fc.ipV4(), fc.ipV6(), fc.constantFrom('198.51.100.0/24', '2001:db8::/32')),
};

/** Cache of generators. Parsing a pattern is slower than drawing from it, and the same few patterns repeat. */
const byPattern = new Map<string, fc.Arbitrary<string>>();

/** Texts that match and fit. @throws Error if matching texts almost never fit, because drawing would not end. */
function matching(pattern: RegExp, fits: (value: string) => boolean): fc.Arbitrary<string> {
  const known = byPattern.get(pattern.source) ?? fc.stringMatching(pattern, { size: 'small' });
  byPattern.set(pattern.source, known);
  const drawn = fc.sample(known, { seed: 1, numRuns: 100 });
  if (!drawn.some(fits))
    throw new Error(`what matches ${pattern} has other lengths than it may: say them in the pattern`);
  return known.filter(fits);
}

function textOf(schema: Schema): fc.Arbitrary<string> {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema as { minLength?: number; maxLength?: number };
  const fits = (value: string) => value.length >= minLength && value.length <= maxLength;
  const ofFormat = BY_FORMAT[schema.format as string];
  const pattern = new RegExp(typeof schema.pattern === 'string' ? schema.pattern : '', 'u');
  if (ofFormat) return ofFormat.filter((value) => fits(value) && pattern.test(value));
  if (typeof schema.pattern === 'string') {
    return matching(pattern, (value) => fits(value) && value.trim() === value);
  }
  return text(schema as { minLength?: number; maxLength?: number });
}

const plain: fc.Arbitrary<unknown> = fc.dictionary(
  fc.stringMatching(/^x_[a-z]{1,8}$/),
  fc.oneof(fc.boolean(), fc.integer(), text({ maxLength: 8 }), fc.constant(null)),
  { maxKeys: 3, noNullPrototype: true },
);

const kindsOf = ({ type }: Schema): string[] => [type ?? []].flat() as string[];

export const isNullable = (schema: Schema): boolean => kindsOf(schema).includes('null');

export const kindOf = (schema: Schema): string | undefined =>
  kindsOf(schema).find((kind) => kind !== 'null') ?? (schema.enum ? 'string' : undefined);

/** Values that an input schema accepts. */
export function allowedBy(schema: Schema): fc.Arbitrary<unknown> {
  if (!isNullable(schema)) return solidOf(schema);
  return fc.oneof({ weight: 5, arbitrary: solidOf(schema) }, { weight: 1, arbitrary: fc.constant(null) });
}

function solidOf(schema: Schema): fc.Arbitrary<unknown> {
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum.filter((choice) => choice !== null));
  switch (kindOf(schema)) {
    case 'string':
      return textOf(schema);
    case 'boolean':
      return fc.boolean();
    case 'integer': {
      const { minimum = -(2 ** 31), maximum = 2 ** 31 - 1 } = schema as { minimum?: number; maximum?: number };
      return fc.integer({ min: minimum, max: maximum });
    }
    case 'array': {
      const { minItems = 0, maxItems = 3 } = schema as { minItems?: number; maxItems?: number };
      const items = allowedBy((schema.items as Schema | undefined) ?? {});
      const lengths = { minLength: minItems, maxLength: Math.min(maxItems, minItems + 2) };
      const unique = schema['x-gatehouse-unique'] as string | undefined;
      if (unique === undefined) return fc.array(items, lengths);
      return fc.uniqueArray(items, { ...lengths, selector: (item) => (item as Record<string, unknown>)[unique] });
    }
    default:
      return 'properties' in schema ? membersOf(schema) : plain;
  }
}

export function membersOf(schema: Schema): fc.Arbitrary<Record<string, unknown>> {
  const { properties = {}, required = [] } = schema as { properties?: Record<string, Schema>; required?: string[] };
  const members = Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, allowedBy(member)]));
  return fc.record(members, { requiredKeys: required, noNullPrototype: true }) as fc.Arbitrary<Record<string, unknown>>;
}
