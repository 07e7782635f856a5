import 'reflect-metadata';
import { domainToASCII } from 'node:url';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, registerDecorator, type ValidationError, validateSync } from 'class-validator';
import { type FieldCode, type FieldError, fieldError } from '../core/errors.js';
import { codePoints, isStorable, isStorableJson } from '../core/text/text.js';
import type { Shape } from '../policy/plan.js';

/** The fault of one value: a code at the field itself, or at paths below it such as `.0`. */
export type Fault = FieldCode | { readonly at: string; readonly code: FieldCode }[];

const FAULT = 'gatehouse';
/** Faults that one answer tells. */
const MAX_FAULTS = 100;

/** JSON Schema (2020-12) of a member, as the API description shows it. */
type Schema = Readonly<Record<string, unknown>>;

export interface FieldOptions {
  /** The member may be absent. */
  optional?: boolean;
  /** The member may be `null`. */
  nullable?: boolean;
}

interface FieldRule extends FieldOptions {
  description: Schema;
  /**
   * The most UTF-16 units of text that `convert` and `check` get to see; 4096 where nothing else is said. What is longer
   * has the fault `tooLong` and is looked at no further: nothing that a caller sends is converted before it is measured.
   */
  bound?: number | undefined;
  /** `CONTENT_EXCEEDS_MAX_LENGTH` unless the contract names another code. */
  tooLong?: FieldCode;
  /** May only normalise (trim, number to text); a value that it does not understand stays as it is. */
  convert?: (value: unknown) => unknown;
}

const ANY_BOUND = 4096;
/** How much longer than its bound a text may be before it is trimmed or normalised. */
export const SPARE = 1024;

const rules = new Map<object, Map<string, FieldRule>>();

/** A class and those that it extends, the class itself first. */
function lineOf(shape: Shape): object[] {
  const line: object[] = [];
  for (let of: object | null = shape; of !== null; of = Object.getPrototypeOf(of)) line.push(of);
  return line;
}

const ruleOf = (shape: Shape, member: string): FieldRule | undefined => {
  for (let of: object | null = shape; of !== null; of = Object.getPrototypeOf(of)) {
    const rule = rules.get(of)?.get(member);
    if (rule) return rule;
  }
  return undefined;
};

const isOver = (value: unknown, { bound = ANY_BOUND }: { bound?: number | undefined }): boolean =>
  typeof value === 'string' && value.length > bound;

/** The most UTF-16 units that the rule of a member looks at; `undefined` where it has no rule of ours. */
export function boundOf(shape: Shape, member: string): number | undefined {
  const rule = ruleOf(shape, member);
  return rule && (rule.bound ?? ANY_BOUND);
}

/** What the description shows of a member; one that may be `null` has a second type. */
function schemaOfMember({ description, nullable }: FieldRule): Schema {
  const schema: Schema = 'enum' in description ? { type: 'string', ...description } : description;
  if (!nullable) return schema;
  const choices = Array.isArray(schema.enum) ? { enum: [...schema.enum, null] } : {};
  return { ...schema, type: [schema.type, 'null'], ...choices };
}

/** JSON Schema of an input class, from the rules of its members and of the classes that it extends. */
export function schemaOf(shape: Shape): { type: 'object'; properties: Record<string, Schema>; required?: string[] } {
  const found = new Map<string, FieldRule>();
  for (const of of lineOf(shape).reverse()) for (const [name, rule] of rules.get(of) ?? []) found.set(name, rule);
  const required = [...found].filter(([, { optional }]) => !optional).map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries([...found].map(([name, rule]) => [name, schemaOfMember(rule)])),
    ...(required.length > 0 ? { required } : {}),
  };
}

/** A field type: one rule that turns a value into its fault or into nothing. `convert` runs first. */
export function field(rule: FieldRule, check: (value: unknown) => Fault | undefined): PropertyDecorator {
  const faultOf = (value: unknown): Fault | undefined => {
    if (value === undefined) return rule.optional ? undefined : 'INVALID_FORMAT';
    if (value === null) return rule.nullable ? undefined : 'INVALID_FORMAT';
    return isOver(value, rule) ? (rule.tooLong ?? 'CONTENT_EXCEEDS_MAX_LENGTH') : check(value);
  };
  return (target, key) => {
    const ofShape = rules.get(target.constructor) ?? new Map<string, FieldRule>();
    rules.set(target.constructor, ofShape.set(String(key), rule));
    registerDecorator({
      name: FAULT,
      target: target.constructor,
      propertyName: String(key),
      validator: {
        validate: (value) => faultOf(value) === undefined,
        defaultMessage: (args) => JSON.stringify(faultOf(args?.value)),
      },
    });
  };
}

const trimmed = (value: unknown): unknown => (typeof value === 'string' ? value.trim() : value);

interface TextOptions extends FieldOptions {
  min?: number;
  max: number;
  trim?: boolean;
  /** Normalises instead of trimming. */
  convert?: (text: string) => string;
  pattern?: RegExp;
  /** For the description, where `pattern` or `check` asks for more than letters. */
  example?: string;
  /** The code for a wrong length, where the contract names one. */
  length?: FieldCode;
  /** The code for a value that breaks `pattern` or `check`. */
  form?: FieldCode;
  /** What a text of the right length must be beside: whether it is, or the code for what it is not. */
  check?: (text: string) => boolean | FieldCode;
}

/** A string of `min` to `max` code points. */
export function Text(options: TextOptions): PropertyDecorator {
  const { min = 0, max, pattern, trim, convert, check, example, form = 'INVALID_FORMAT' } = options;
  const description = {
    ...{ type: 'string', minLength: min, maxLength: max },
    ...(pattern && { pattern: pattern.source }),
    ...(example !== undefined && { examples: [example] }),
  };
  const tooLong = options.length ?? 'CONTENT_EXCEEDS_MAX_LENGTH';
  const rule: FieldRule = {
    ...{ description, tooLong, bound: 2 * max + (trim || convert ? SPARE : 0) },
    ...(options.optional && { optional: true }),
    ...(options.nullable && { nullable: true }),
    ...(trim && { convert: trimmed }),
    ...(convert && { convert: (value) => (typeof value === 'string' ? convert(value) : value) }),
  };
  return field(rule, (value) => {
    if (typeof value !== 'string') return 'INVALID_FORMAT';
    const length = codePoints(value);
    if (length > max) return tooLong;
    if (length < min) return options.length ?? 'INVALID_FORMAT';
    if (pattern && !pattern.test(value)) return form;
    if (!isStorable(value)) return 'INVALID_FORMAT';
    const found = check?.(value) ?? true;
    if (typeof found === 'string') return found;
    return found ? undefined : form;
  });
}

export function Bool(options: FieldOptions = {}): PropertyDecorator {
  return field({ ...options, bound: 0, tooLong: 'INVALID_FORMAT', description: { type: 'boolean' } }, (value) =>
    typeof value === 'boolean' ? undefined : 'INVALID_FORMAT',
  );
}

/** The longest text that could be a number of any kind. */
const NUMBER_LENGTH = 40;

/** A whole number; in a path or a query its decimal text. */
export function Int(options: FieldOptions & { min: number; max: number; text?: boolean }): PropertyDecorator {
  const convert = (value: unknown) =>
    typeof value === 'string' && /^(?:0|-?[1-9]\d{0,14})$/.test(value) ? Number(value) : value;
  return field(
    {
      ...options,
      ...{ bound: NUMBER_LENGTH, tooLong: 'INVALID_FORMAT' },
      description: { type: 'integer', minimum: options.min, maximum: options.max },
      ...(options.text ? { convert } : {}),
    },
    (value) =>
      Number.isSafeInteger(value) && (value as number) >= options.min && (value as number) <= options.max
        ? undefined
        : 'INVALID_FORMAT',
  );
}

export function OneOf(choices: readonly string[], options: FieldOptions = {}): PropertyDecorator {
  const bound = Math.max(...choices.map(({ length }) => length));
  return field({ ...options, bound, tooLong: 'INVALID_FORMAT', description: { enum: [...choices] } }, (value) =>
    choices.includes(value as string) ? undefined : 'INVALID_FORMAT',
  );
}

const MAX_SNOWFLAKE = 9223372036854775807n;

export function snowflakeFault(value: unknown): FieldCode | undefined {
  if (typeof value === 'number') {
    if (!Number.isInteger(value)) return 'INVALID_FORMAT';
    return value >= 0 && value <= Number.MAX_SAFE_INTEGER ? undefined : 'INVALID_SNOWFLAKE_FORMAT';
  }
  if (typeof value !== 'string') return 'INVALID_FORMAT';
  if (value.length > NUMBER_LENGTH || !/^(?:0|[1-9]\d{0,39})$/.test(value)) return 'INVALID_SNOWFLAKE_FORMAT';
  return BigInt(value) > MAX_SNOWFLAKE ? 'SNOWFLAKE_OUT_OF_RANGE' : undefined;
}

/** What every field that holds an id has in common. */
export const SNOWFLAKE = {
  ...{ bound: NUMBER_LENGTH, tooLong: 'INVALID_SNOWFLAKE_FORMAT' as const },
  description: { type: 'string', format: 'int64', pattern: '^(0|[1-9][0-9]*)$', examples: ['1501314428688998182'] },
};

/** An id (conventions.md 6.1): decimal text, or a JSON integer; always text afterwards. */
export function Snowflake(options: FieldOptions = {}): PropertyDecorator {
  const convert = (value: unknown) => (Number.isSafeInteger(value) && (value as number) >= 0 ? String(value) : value);
  return field({ ...options, ...SNOWFLAKE, convert }, snowflakeFault);
}

/** A time in UTC, as the API writes it: `2024-01-31T12:00:00.000Z`. */
export function Time(options: FieldOptions = {}): PropertyDecorator {
  const form = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.\d{1,9})?Z$/;
  const description = { type: 'string', format: 'date-time' };
  return field({ ...options, bound: 40, tooLong: 'INVALID_FORMAT', description }, (value) => {
    const second = typeof value === 'string' ? form.exec(value)?.[1] : undefined;
    const at = new Date(String(value));
    // What is no day of the calendar would be taken for another one.
    const isReal = !Number.isNaN(at.getTime()) && at.toISOString().startsWith(second ?? '-');
    return isReal ? undefined : 'INVALID_FORMAT';
  });
}

/** An array whose elements are checked one by one; `convert` sees the whole array, once it has been measured. */
export function ListOf(
  options: FieldOptions & {
    min?: number;
    max: number;
    /** Of an element: see `field`. */
    bound?: number;
    tooLong?: FieldCode;
    convert?: (value: unknown) => unknown;
    /** How the description shows an element. */
    items?: Readonly<Record<string, unknown>>;
  },
  check: (element: unknown) => FieldCode | undefined,
): PropertyDecorator {
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
  const isShort = (value: unknown) => isMeasured(value) && !value.some((part) => isOver(part, element));
  const rule: FieldRule = {
    ...{ description, ...element, tooLong: 'INVALID_FORMAT' },
    ...(options.optional && { optional: true }),
    ...(options.nullable && { nullable: true }),
    ...(convert && { convert: (value) => (isShort(value) ? convert(value) : value) }),
  };
  return field(rule, (value) => {
    if (!isMeasured(value)) return 'INVALID_FORMAT';
    const faults = value.flatMap((part, index) => {
      const code = isOver(part, element) ? tooLong : check(part);
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

/** An internationalized domain is stored as its A-label (`xn--...`), so that one address has one form. */
function emailOf(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const email = value.normalize('NFKC').trim();
  const domain = email.slice(email.lastIndexOf('@') + 1);
  const ascii = /\P{ASCII}/u.test(domain) ? domainToASCII(domain) : '';
  return ascii === '' ? email : email.slice(0, -domain.length) + ascii;
}

/** An address (auth.md 1.4): NFKC and trimmed before it is judged, so that what is checked is what is stored. */
export function Email(options: FieldOptions = {}): PropertyDecorator {
  const description = { type: 'string', format: 'email', maxLength: EMAIL_LENGTH };
  const rule = { bound: EMAIL_LENGTH + SPARE, tooLong: 'EMAIL_LENGTH_INVALID', convert: emailOf, description } as const;
  return field({ ...options, ...rule }, emailFault);
}

/** Is an object of storable text; what it means is judged where it is used. */
export function Anything(options: FieldOptions = {}): PropertyDecorator {
  const rule = { ...options, bound: 0, tooLong: 'INVALID_FORMAT', description: { type: 'object' } } as const;
  return field(rule, (value) =>
    typeof value === 'object' && !Array.isArray(value) && isStorableJson(value) ? undefined : 'INVALID_FORMAT',
  );
}

/** A list of field errors, in schema order, at most one per path and code, at most 100. */
class Faults {
  readonly list: FieldError[] = [];
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
        if (name !== FAULT) this.add(path, name === 'maxLength' ? 'CONTENT_EXCEEDS_MAX_LENGTH' : 'INVALID_FORMAT');
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

const members = new Map<Shape, ReadonlySet<string>>();

/** The members of a class that have rules. */
function membersOf(shape: Shape): ReadonlySet<string> {
  const known = members.get(shape);
  if (known) return known;
  const metadata = getMetadataStorage().getTargetValidationMetadatas(shape, '', false, false);
  const found = new Set(metadata.map(({ propertyName }) => propertyName));
  members.set(shape, found);
  return found;
}

/** An instance with the members of `value` that have rules. Those with rules of class-validator alone are a team's. */
function instantiate<T extends object>(shape: new () => T, value: unknown): T {
  if (typeof value !== 'object' || value === null) return new shape();
  const own: [string, unknown][] = [];
  const foreign: [string, unknown][] = [];
  const known = membersOf(shape);
  for (const name of Object.keys(value)) {
    if (!known.has(name)) continue;
    const sent = (value as Record<string, unknown>)[name];
    const rule = ruleOf(shape, name);
    if (!rule) foreign.push([name, sent]);
    else own.push([name, rule.convert && !isOver(sent, rule) ? rule.convert(sent) : sent]);
  }
  const instance =
    foreign.length > 0
      ? plainToInstance(shape, Object.fromEntries(foreign), { exposeDefaultValues: true })
      : new shape();
  for (const [name, sent] of own) if (sent !== undefined) (instance as Record<string, unknown>)[name] = sent;
  return instance;
}

/**
 * Validates a plain value against a DTO class and returns the instance with the faults it has. Members that the class
 * does not declare are dropped unseen, however many there are, never refused.
 */
export function validateShape<T extends object>(
  shape: new () => T,
  value: unknown,
): { instance: T; faults: FieldError[] } {
  const instance = instantiate(shape, value);
  const faults = new Faults();
  faults.collect(validateSync(instance, { whitelist: true, stopAtFirstError: true, forbidUnknownValues: false }), '');
  return { instance, faults: faults.list };
}

/** Whether class-validator knows at least one rule for the class: an undecorated DTO would validate nothing. */
export const isDeclared = (shape: Shape): boolean =>
  getMetadataStorage().getTargetValidationMetadatas(shape, '', false, false).length > 0;
