import type { Schema } from '../../src/description/api-metadata.js';
import type { Operation } from './operations.js';
import { FACTORS, type Plan } from './requests.js';
import { isId, isNullable, kindOf } from './values.js';

/** A single defect of a request. */
export interface Flaw {
  readonly title: string;
  /**
   * The expected result. `fault`: input validation rejects it. `refused`: any 4xx error. `any`: anything but a server
   * failure.
   */
  readonly expected: 'fault' | 'refused' | 'accepted' | 'any';
  apply(plan: Plan): Plan;
}

/** `expected` overrides the default of the parameter or body. */
type Bad = readonly [title: string, value: unknown, expected?: Flaw['expected']];

const LONE_SURROGATE = 'a\ud800b';
const NUL = 'a\u0000b';
const MANY = 20_000;
const SAMPLES: Readonly<Record<string, unknown>> = { string: 'x', integer: 7, boolean: true, array: [], object: {} };
const NO_FORMAT: Readonly<Record<string, string>> = { email: 'no address', uri: 'no url', byte: '***' };

function badTexts(schema: Schema): Bad[] {
  const { minLength = 0, maxLength, format, pattern, enum: choices } = schema as Record<string, never>;
  const isTold = [maxLength, format, pattern, choices].some((keyword) => keyword !== undefined);
  const isOther = pattern !== undefined && !new RegExp(pattern, 'u').test('\u0001 !');
  return [
    // If the schema has no constraints, the service may ignore the text where it makes no sense.
    isTold ? ['a lone surrogate', LONE_SURROGATE] : ['a lone surrogate', LONE_SURROGATE, 'any'],
    // Fields that strip control characters also strip NUL.
    ['a NUL', NUL, 'any'],
    ...(maxLength !== undefined ? [['too long', 'a'.repeat(maxLength + 1)] as const] : []),
    ...(maxLength !== undefined ? [['far too long', 'a'.repeat(MANY)] as const] : []),
    ...(minLength > 0 ? [['too short', ''] as const] : []),
    ...(choices ? [['no choice', 'no such choice'] as const] : []),
    ...(format && NO_FORMAT[format] ? [['another form', NO_FORMAT[format]] as const] : []),
    ...(isOther ? [['another pattern', '\u0001 !'] as const] : []),
    ...(isId(schema) ? [['out of range', '9223372036854775808'] as const, ['no id', '-1'] as const] : []),
  ];
}

function badNumbers({ minimum, maximum }: { minimum?: number; maximum?: number }): Bad[] {
  return [
    ['a fraction', (minimum ?? 0) + 0.5],
    ['a huge number', 1e308],
    ['a text', '7 '],
    ...(minimum !== undefined ? [['too small', minimum - 1] as const] : []),
    ...(maximum !== undefined ? [['too large', maximum + 1] as const] : []),
  ];
}

/** Values that violate a schema, each in one way. */
function badValues(schema: Schema): Bad[] {
  const kind = kindOf(schema);
  if (kind === undefined) return [];
  const types = Object.keys(SAMPLES).filter((name) => name !== kind && !(name === 'integer' && isId(schema)));
  const bad: Bad[] = types.map((name) => [`of type ${name}`, SAMPLES[name]]);
  if (!isNullable(schema)) bad.push(['null', null]);
  if (kind === 'string') bad.push(...badTexts(schema));
  if (kind === 'integer') bad.push(...badNumbers(schema));
  if (kind === 'array') {
    const { minItems = 0, maxItems, items = {} } = schema as { minItems?: number; maxItems?: number; items?: Schema };
    if (minItems > 0) bad.push(['too few', []]);
    if (maxItems !== undefined) bad.push(['too many', Array(maxItems + 1).fill(sampleOf(items))]);
    for (const [title, value, expected] of badValues(items)) {
      const isOfType = title.startsWith('of type') || /surrogate|NUL/.test(title);
      if (isOfType || kindOf(items) !== 'object') bad.push([`0: ${title}`, [value], expected]);
    }
  }
  return bad;
}

const sampleOf = (schema: Schema): unknown => (isId(schema) ? '1' : SAMPLES[kindOf(schema) ?? 'string']);

function ofBody({ body }: Operation): Flaw[] {
  if (!body || !('properties' in body.schema)) return [];
  const { properties, required = [] } = body.schema as { properties: Record<string, Schema>; required?: string[] };
  const isForm = body.type !== 'application/json';
  const expected = body.isRuled ? 'fault' : 'any';
  const flaws: Flaw[] = Object.entries(properties).flatMap(([name, schema]) =>
    badValues(schema)
      .filter(([, value]) => !isForm || typeof value === 'string')
      .map(([title, value, own = expected]) => ({
        title: `${name}: ${title}`,
        expected: own,
        apply: (plan) => ({
          ...plan,
          body: { ...(plan.body as object), [name]: value },
          isProvenByPassword: plan.isProvenByPassword && !FACTORS.has(name),
        }),
      })),
  );
  for (const name of required) {
    flaws.push({
      title: `${name}: missing`,
      expected: body.isRuled ? 'fault' : 'refused',
      apply: (plan) => {
        const { [name]: _, ...rest } = plan.body as Record<string, unknown>;
        return { ...plan, body: rest };
      },
    });
  }
  if (!isForm && body.isRuled) {
    flaws.push({
      title: 'an unknown member',
      expected: 'accepted',
      apply: (plan) => ({ ...plan, body: { ...(plan.body as object), x_unknown: ['\u0001', 1e308, { a: null }] } }),
    });
  }
  return flaws;
}

const DEEP = `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`;

/** Defects in the bytes or the content type of a JSON body, whatever its members are. */
function ofFraming({ body }: Operation): Flaw[] {
  if (body?.type !== 'application/json') return [];
  const raws: [title: string, raw: Uint8Array | string][] = [
    ['cut off', '{"a":'],
    ['no object', '[]'],
    ['too deep', DEEP],
    ['a prototype', '{"__proto__": {"a": 1}}'],
    ['no UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ];
  const ofBytes: Flaw[] = raws.map(([title, raw]) => ({
    title: `the body: ${title}`,
    expected: body.isRuled ? 'fault' : 'refused',
    apply: (plan) => ({ ...plan, raw }),
  }));
  const types: Record<string, string>[] = [
    { 'content-type': 'text/plain' },
    { 'content-type': 'application/json', 'content-encoding': 'gzip' },
  ];
  const ofHeaders: Flaw[] = types.map((headers) => ({
    title: `the body: ${Object.values(headers).join(', ')}`,
    expected: 'refused',
    apply: (plan) => ({ ...plan, raw: '{"a": 1}', headers: { ...plan.headers, ...headers } }),
  }));
  return [...ofBytes, ...ofHeaders];
}

const isSpoken = (value: unknown): value is string | number => typeof value === 'string' || typeof value === 'number';

/** Whether a URL can contain the value: it must be text and fit into the size limit of the headers. */
const isInUrl = (title: string, value: string): boolean =>
  !title.startsWith('of type') && title !== 'a lone surrogate' && value.length < 8000;

function ofQuery({ parameters }: Operation): Flaw[] {
  return parameters
    .filter((parameter) => parameter.in === 'query')
    .flatMap(({ name, required, schema, 'x-gatehouse-read-by-handler': isReadByHandler }) => {
      const others = ({ query }: Plan) => query.filter(([other]) => other !== name);
      // The handler checks that the resource exists before it reads the parameter, so a 404 error also counts.
      const isFree = Object.keys(schema).every((keyword) => keyword === 'type' || keyword === 'examples');
      const usual = !isReadByHandler ? 'fault' : isFree ? 'any' : 'refused';
      const set = (title: string, values: string[], expected: Flaw['expected'] = usual): Flaw => ({
        title: `?${name}: ${title}`,
        expected,
        apply: (plan) => ({ ...plan, query: [...others(plan), ...values.map((value) => [name, value] as const)] }),
      });
      const values = badValues(schema).filter(([title, value]) => isSpoken(value) && isInUrl(title, String(value)));
      const isList = kindOf(schema) === 'array';
      return [
        ...values.map(([title, value, expected]) => set(title, [String(value)], expected)),
        ...(isList ? [] : [set('twice', ['1', '1'])]),
        ...(required ? [set('missing', [])] : []),
      ];
    });
}

function ofPath({ parameters }: Operation): Flaw[] {
  return parameters
    .filter((parameter) => parameter.in === 'path')
    .flatMap(({ name, schema }) => {
      const set = (title: string, value: string, expected: Flaw['expected']): Flaw => ({
        title: `{${name}}: ${title}`,
        expected,
        apply: (plan) => ({ ...plan, fixed: { [name]: value } }),
      });
      const isTold = schema.pattern !== undefined || schema.maxLength !== undefined;
      const values = badValues(schema).filter(
        ([title, value]) => typeof value === 'string' && value !== '' && isInUrl(title, value),
      );
      return [
        ...values.map(([title, value, expected = 'fault']) => set(title, value as string, isTold ? expected : 'any')),
        set('no percent-encoding', '%ff%', 'refused'),
        set('dots', '../..', 'any'),
        set('long', 'a'.repeat(2000), 'any'),
      ];
    });
}

function ofHeaders({ parameters }: Operation): Flaw[] {
  return parameters
    .filter((parameter) => parameter.in === 'header')
    .flatMap(({ name, required }) => {
      const set = (title: string, value: string | undefined, expected: Flaw['expected']): Flaw => ({
        title: `${name}: ${title}`,
        expected,
        apply: ({ headers: { [name]: _, ...rest }, ...plan }) => ({
          ...plan,
          headers: value === undefined ? rest : { ...rest, [name]: value },
        }),
      });
      return [
        set('long', 'a'.repeat(9000), 'any'),
        set('no ASCII', 'é\u0080ÿ', 'any'),
        ...(required ? [set('missing', undefined, 'refused')] : []),
      ];
    });
}

/** All defects that are possible in a request to an operation, derived from its OpenAPI description. */
export const flawsOf = (operation: Operation): Flaw[] => [
  ...ofPath(operation),
  ...ofQuery(operation),
  ...ofHeaders(operation),
  ...ofBody(operation),
  ...ofFraming(operation),
];
