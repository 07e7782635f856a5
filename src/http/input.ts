import 'reflect-metadata';
import { domainToASCII } from 'node:url';
import { plainToInstance } from 'class-transformer';
import { type ValidationError, validateSync } from 'class-validator';
import { type FieldCode, type FieldFault, fieldError } from '../core/errors.js';
import { countCodePoints, isStorable, isStorableJson } from '../core/text/text.js';
import type { FeatureRegistry } from '../policy/feature-registry.js';
import {
  CONSTRAINT_NAME,
  exceedsBound,
  type Fault,
  type FieldOptions,
  type FieldRule,
  field,
  findRule,
  NORMALIZATION_SLACK,
  useRegistry,
} from './field.js';
import type { FieldDecorator } from './field-decorator.js';
import { getRuleMembers } from './input-members.js';

export { boundOf, type Fault, type FieldOptions, field, NORMALIZATION_SLACK, schemaOf } from './field.js';

/** Maximum number of field errors per response. */
const MAX_FAULTS = 100;

const trimmed = (value: unknown): unknown => (typeof value === 'string' ? value.trim() : value);

/**
 * Options of `Text`: its length in code points, and a `pattern` or `check` for its form. `trim` or `convert` changes it
 * first. `length` and `form` are other error codes.
 */
export interface TextOptions extends FieldOptions {
  min?: number;
  max: number;
  trim?: boolean;
  /** Normalizes the text. Replaces `trim`. */
  convert?: (text: string) => string;
  pattern?: RegExp;
  /** Example for the OpenAPI document, if `pattern` or `check` requires a special format. */
  example?: string;
  /** Error code for an invalid length, if the contract names one. */
  length?: FieldCode;
  /** Error code for a value that does not match `pattern` or `check`. */
  form?: FieldCode;
  /** Additional check after the length is valid. Returns whether the text is valid, or an error code. */
  check?: (text: string) => boolean | FieldCode;
}

/** A string of `min` to `max` code points. */
export function Text<const O extends TextOptions>(options: O): FieldDecorator<string, O> {
  const { min = 0, max, pattern, trim, convert, check, example, form = 'INVALID_FORMAT' } = options;
  const description = {
    ...{ type: 'string', minLength: min, maxLength: max },
    ...(pattern && { pattern: pattern.source }),
    ...(example !== undefined && { examples: [example] }),
  };
  const tooLong = options.length ?? 'CONTENT_EXCEEDS_MAX_LENGTH';
  const rule: FieldRule = {
    ...{ description, tooLong, bound: 2 * max + (trim || convert ? NORMALIZATION_SLACK : 0) },
    ...(options.optional && { optional: true }),
    ...(options.nullable && { nullable: true }),
    ...(trim && { convert: trimmed }),
    ...(convert && { convert: (value) => (typeof value === 'string' ? convert(value) : value) }),
  };
  return field(rule, (value) => {
    if (typeof value !== 'string') return 'INVALID_FORMAT';
    const length = countCodePoints(value);
    if (length > max) return tooLong;
    if (length < min) return options.length ?? 'INVALID_FORMAT';
    if (pattern && !pattern.test(value)) return form;
    if (!isStorable(value)) return 'INVALID_FORMAT';
    const found = check?.(value) ?? true;
    if (typeof found === 'string') return found;
    return found ? undefined : form;
  });
}

/** `true` or `false`. Any other value gets INVALID_FORMAT. */
export function Bool<const O extends FieldOptions = object>(options: O = {} as O): FieldDecorator<boolean, O> {
  return field({ ...options, bound: 0, tooLong: 'INVALID_FORMAT', description: { type: 'boolean' } }, (value) =>
    typeof value === 'boolean' ? undefined : 'INVALID_FORMAT',
  );
}

/** Longest text that can represent a number of any kind. */
const MAX_NUMBER_LENGTH = 40;

/** Options of `Int`: its limits, and `text: true` for members of a path or a query. */
export interface IntOptions extends FieldOptions {
  min: number;
  max: number;
  text?: boolean;
}

/** An integer. Members of a path or a query are decimal text, and need `text: true`. */
export function Int<const O extends IntOptions>(options: O): FieldDecorator<number, O> {
  const convert = (value: unknown) =>
    typeof value === 'string' && /^(?:0|-?[1-9]\d{0,14})$/.test(value) ? Number(value) : value;
  return field(
    {
      ...options,
      ...{ bound: MAX_NUMBER_LENGTH, tooLong: 'INVALID_FORMAT' },
      description: { type: 'integer', minimum: options.min, maximum: options.max },
      ...(options.text ? { convert } : {}),
    },
    (value) =>
      Number.isSafeInteger(value) && (value as number) >= options.min && (value as number) <= options.max
        ? undefined
        : 'INVALID_FORMAT',
  );
}

/** One of the texts in `choices`. Any other value gets INVALID_FORMAT. */
export function OneOf<const C extends string, const O extends FieldOptions = object>(
  choices: readonly C[],
  options: O = {} as O,
): FieldDecorator<C, O> {
  const bound = Math.max(...choices.map(({ length }) => length));
  return field({ ...options, bound, tooLong: 'INVALID_FORMAT', description: { enum: [...choices] } }, (value) =>
    choices.includes(value as C) ? undefined : 'INVALID_FORMAT',
  );
}

const MAX_SNOWFLAKE = 9223372036854775807n;

export function snowflakeFault(value: unknown): FieldCode | undefined {
  if (typeof value === 'number') {
    if (!Number.isInteger(value)) return 'INVALID_FORMAT';
    return value >= 0 && value <= Number.MAX_SAFE_INTEGER ? undefined : 'INVALID_SNOWFLAKE_FORMAT';
  }
  if (typeof value !== 'string') return 'INVALID_FORMAT';
  if (value.length > MAX_NUMBER_LENGTH || !/^(?:0|[1-9]\d{0,39})$/.test(value)) return 'INVALID_SNOWFLAKE_FORMAT';
  return BigInt(value) > MAX_SNOWFLAKE ? 'SNOWFLAKE_OUT_OF_RANGE' : undefined;
}

/** The common rule of all fields that contain an ID. */
export const SNOWFLAKE = {
  ...{ bound: MAX_NUMBER_LENGTH, tooLong: 'INVALID_SNOWFLAKE_FORMAT' as const },
  description: { type: 'string', format: 'int64', pattern: '^(0|[1-9][0-9]*)$', examples: ['1501314428688998182'] },
};

/** An ID (conventions.md 6.1): decimal text or a JSON integer. The validated value is always text. */
export function Snowflake<const O extends FieldOptions = object>(options: O = {} as O): FieldDecorator<string, O> {
  const convert = (value: unknown) => (Number.isSafeInteger(value) && (value as number) >= 0 ? String(value) : value);
  return field({ ...options, ...SNOWFLAKE, convert }, snowflakeFault);
}

/** A time in UTC, in the format of the API: `2024-01-31T12:00:00.000Z`. */
export function Time<const O extends FieldOptions = object>(options: O = {} as O): FieldDecorator<string, O> {
  const form = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.\d{1,9})?Z$/;
  const description = { type: 'string', format: 'date-time' };
  return field({ ...options, bound: 40, tooLong: 'INVALID_FORMAT', description }, (value) => {
    const text = typeof value === 'string' ? value : '';
    const second = form.exec(text)?.[1];
    const at = new Date(text);
    // `Date` turns an invalid day, such as February 30, into a different day.
    const isReal = !Number.isNaN(at.getTime()) && at.toISOString().startsWith(second ?? '-');
    return isReal ? undefined : 'INVALID_FORMAT';
  });
}

/** Options of `ListOf`: the number of elements, and the rule of an element as for `field`. */
export interface ListOptions extends FieldOptions {
  min?: number;
  max: number;
  /** Maximum length of an element: see `field`. */
  bound?: number;
  tooLong?: FieldCode;
  convert?: (value: unknown) => unknown;
  /** JSON Schema of an element for the OpenAPI document. */
  items?: Readonly<Record<string, unknown>>;
}

/** An array whose elements are checked one by one. `convert` receives the whole array after it is measured. */
export function ListOf<const O extends ListOptions>(
  options: O,
  check: (element: unknown, features?: FeatureRegistry) => FieldCode | undefined,
): FieldDecorator<unknown, O> {
  const { min = 0, max, convert, bound, tooLong = 'INVALID_FORMAT' } = options;
  const description = {
    type: 'array',
    items: options.items ?? { type: 'string' },
    minItems: min,
    maxItems: max,
  };
  const element = { bound };
  const isMeasured = (value: unknown): value is unknown[] =>
    Array.isArray(value) && value.length <= max && value.length >= min;
  const isShort = (value: unknown) => isMeasured(value) && !value.some((part) => exceedsBound(part, element));
  const rule: FieldRule = {
    ...{ description, ...element, tooLong: 'INVALID_FORMAT' },
    ...(options.optional && { optional: true }),
    ...(options.nullable && { nullable: true }),
    ...(convert && { convert: (value) => (isShort(value) ? convert(value) : value) }),
  };
  return field(rule, (value, features) => {
    if (!isMeasured(value)) return 'INVALID_FORMAT';
    const faults = value.flatMap((part, index) => {
      const code = exceedsBound(part, element) ? tooLong : check(part, features);
      return code ? [{ at: `.${index}`, code }] : [];
    });
    return faults.length > 0 ? faults : undefined;
  });
}

const LOCAL_PART = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+$/;
const DOMAIN =
  /^(?=.{1,253}$)(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])$/;

const EMAIL_LENGTH = 254;

export function emailFault(value: unknown): FieldCode | undefined {
  if (typeof value !== 'string') return 'INVALID_FORMAT';
  if (value.length < 1 || value.length > EMAIL_LENGTH) return 'EMAIL_LENGTH_INVALID';
  if (!isStorable(value)) return 'INVALID_EMAIL_FORMAT';
  const at = value.lastIndexOf('@');
  if (at < 0 || !DOMAIN.test(value.slice(at + 1))) return 'INVALID_EMAIL_FORMAT';
  const local = value.slice(0, at);
  if (!LOCAL_PART.test(local) || local.length > 64 || /^\.|\.\.|\.$/.test(local)) return 'INVALID_EMAIL_LOCAL_PART';
  return undefined;
}

/** Internationalized domains are stored as A-labels (`xn--...`), so that one email address has one form. */
function normalizeEmail(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const email = value.normalize('NFKC').trim();
  const domain = email.slice(email.lastIndexOf('@') + 1);
  const ascii = /\P{ASCII}/u.test(domain) ? domainToASCII(domain) : '';
  return ascii === '' ? email : email.slice(0, -domain.length) + ascii;
}

/**
 * An email address (auth.md 1.4). NFKC and trimming come before the check, so that the checked value is the stored
 * value.
 */
export function Email<const O extends FieldOptions = object>(options: O = {} as O): FieldDecorator<string, O> {
  const description = { type: 'string', format: 'email', maxLength: EMAIL_LENGTH };
  const bound = EMAIL_LENGTH + NORMALIZATION_SLACK;
  const rule = { bound, tooLong: 'EMAIL_LENGTH_INVALID', convert: normalizeEmail, description } as const;
  return field({ ...options, ...rule }, emailFault);
}

/** Any JSON object whose strings can be stored in PostgreSQL. The code that uses it checks its content. */
export function AnyObject<const O extends FieldOptions = object>(options: O = {} as O): FieldDecorator<object, O> {
  const rule = { ...options, bound: 0, tooLong: 'INVALID_FORMAT', description: { type: 'object' } } as const;
  return field(rule, (value) =>
    typeof value === 'object' && !Array.isArray(value) && isStorableJson(value) ? undefined : 'INVALID_FORMAT',
  );
}

/** Field errors in schema order: at most one per path and code, at most 100. */
class FaultCollector {
  readonly list: FieldFault[] = [];
  private readonly seen = new Set<string>();

  add(path: string, code: FieldCode): void {
    const key = `${path}\n${code}`;
    if (this.seen.has(key) || this.list.length >= MAX_FAULTS) return;
    this.seen.add(key);
    this.list.push(fieldError(path, code));
  }

  collect(errors: readonly ValidationError[], prefix: string): void {
    for (const error of errors) {
      const path = prefix ? `${prefix}.${error.property}` : error.property;
      for (const [name, message] of Object.entries(error.constraints ?? {})) {
        if (name !== CONSTRAINT_NAME)
          this.add(path, name === 'maxLength' ? 'CONTENT_EXCEEDS_MAX_LENGTH' : 'INVALID_FORMAT');
        else this.addFault(path, JSON.parse(message) as Fault);
      }
      this.collect(error.children ?? [], path);
    }
  }

  private addFault(path: string, fault: Fault): void {
    if (typeof fault === 'string') this.add(path, fault);
    else for (const { at, code } of fault) this.add(path + at, code);
  }
}

/**
 * Creates an instance with the members of `value` that have rules. Members that have only class-validator rules belong
 * to extensions.
 */
function instantiate<T extends object>(shape: new () => T, value: unknown): T {
  if (typeof value !== 'object' || value === null) return new shape();
  const own: [string, unknown][] = [];
  const foreign: [string, unknown][] = [];
  const known = getRuleMembers(shape);
  for (const name of Object.keys(value)) {
    if (!known.has(name)) continue;
    const sent = (value as Record<string, unknown>)[name];
    const rule = findRule(shape, name);
    if (!rule) foreign.push([name, sent]);
    else own.push([name, rule.convert && !exceedsBound(sent, rule) ? rule.convert(sent) : sent]);
  }
  const instance =
    foreign.length > 0
      ? plainToInstance(shape, Object.fromEntries(foreign), { exposeDefaultValues: true })
      : new shape();
  for (const [name, sent] of own) if (sent !== undefined) (instance as Record<string, unknown>)[name] = sent;
  return instance;
}

/**
 * Validates a plain value against a DTO class. Returns the instance and its field errors. Undeclared members are
 * dropped without an error, however many there are.
 * @param features needed by members that name something declared by a feature, such as an ACL. Without it, they are
 * invalid.
 */
export function validateShape<T extends object>(
  shape: new () => T,
  value: unknown,
  features?: FeatureRegistry,
): { instance: T; faults: FieldFault[] } {
  const instance = instantiate(shape, value);
  if (features) useRegistry(instance, features);
  const faults = new FaultCollector();
  faults.collect(validateSync(instance, { whitelist: true, stopAtFirstError: true, forbidUnknownValues: false }), '');
  return { instance, faults: faults.list };
}
