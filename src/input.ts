import 'reflect-metadata';
import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { plainToInstance, Transform } from 'class-transformer';
import { getMetadataStorage, registerDecorator, type ValidationError, validateSync } from 'class-validator';
import { type FieldCode, type FieldError, fieldError } from './errors.js';

export type Shape = new () => object;

/** The fault of one value: a code at the field itself, or at paths below it such as `.0`. */
export type Fault = FieldCode | { readonly at: string; readonly code: FieldCode }[];

const FAULT = 'gatehouse';

interface FieldOptions {
  /** The member may be absent. */
  optional?: boolean;
  /** The member may be `null`. */
  nullable?: boolean;
}

/**
 * A field type: one rule that turns a value into its fault or into nothing. `convert` runs first and
 * may only normalise (trim, number to text); a value that it does not understand stays as it is.
 */
export function field(
  options: FieldOptions & { description: ApiPropertyOptions; convert?: (value: unknown) => unknown },
  check: (value: unknown) => Fault | undefined,
): PropertyDecorator {
  const { convert } = options;
  const decorators: PropertyDecorator[] = [
    (target, key) =>
      registerDecorator({
        name: FAULT,
        target: target.constructor,
        propertyName: String(key),
        validator: {
          validate: (value) => faultOf(value) === undefined,
          defaultMessage: (args) => JSON.stringify(faultOf(args?.value)),
        },
      }),
    ApiProperty({
      ...options.description,
      required: !options.optional,
      ...(options.nullable ? { nullable: true } : {}),
    } as ApiPropertyOptions),
  ];
  if (convert) decorators.push(Transform(({ value }) => convert(value), { toClassOnly: true }));
  const faultOf = (value: unknown): Fault | undefined => {
    if (value === undefined) return options.optional ? undefined : 'INVALID_FORMAT';
    if (value === null) return options.nullable ? undefined : 'INVALID_FORMAT';
    return check(value);
  };
  return applyDecorators(...decorators);
}

/** Length in Unicode code points, as the contract counts. */
export const codePoints = (text: string): number => {
  let count = 0;
  for (const _ of text) count++;
  return count;
};

const trimmed = (value: unknown): unknown => (typeof value === 'string' ? value.trim() : value);
// PostgreSQL stores no NUL, and an unpaired surrogate is no text.
const isText = (value: unknown): value is string =>
  typeof value === 'string' && !value.includes('\u0000') && value.isWellFormed();

interface TextOptions extends FieldOptions {
  min?: number;
  max: number;
  trim?: boolean;
  pattern?: RegExp;
  /** The code for a wrong length, where the contract names one. */
  length?: FieldCode;
  /** The code for a value that breaks `pattern`. */
  form?: FieldCode;
}

/** A string of `min` to `max` code points. */
export function Text(options: TextOptions): PropertyDecorator {
  const { min = 0, max, pattern } = options;
  const description = { type: String, minLength: min, maxLength: max, ...(pattern && { pattern: pattern.source }) };
  return field({ ...options, description, ...(options.trim ? { convert: trimmed } : {}) }, (value) => {
    if (!isText(value)) return 'INVALID_FORMAT';
    const length = codePoints(value);
    if (length > max) return options.length ?? 'CONTENT_EXCEEDS_MAX_LENGTH';
    if (length < min) return options.length ?? 'INVALID_FORMAT';
    if (pattern && !pattern.test(value)) return options.form ?? 'INVALID_FORMAT';
    return undefined;
  });
}

export function Bool(options: FieldOptions = {}): PropertyDecorator {
  return field({ ...options, description: { type: Boolean } }, (value) =>
    typeof value === 'boolean' ? undefined : 'INVALID_FORMAT',
  );
}

/** A whole number; in a path or a query its decimal text. */
export function Int(options: FieldOptions & { min: number; max: number; text?: boolean }): PropertyDecorator {
  const convert = (value: unknown) =>
    typeof value === 'string' && /^(?:0|-?[1-9]\d{0,14})$/.test(value) ? Number(value) : value;
  return field(
    {
      ...options,
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
  return field({ ...options, description: { enum: [...choices] } }, (value) =>
    typeof value === 'string' && choices.includes(value) ? undefined : 'INVALID_FORMAT',
  );
}

const MAX_SNOWFLAKE = 9223372036854775807n;

export function snowflakeFault(value: unknown): FieldCode | undefined {
  if (typeof value === 'number') {
    if (!Number.isInteger(value)) return 'INVALID_FORMAT';
    return value >= 0 && value <= Number.MAX_SAFE_INTEGER ? undefined : 'INVALID_SNOWFLAKE_FORMAT';
  }
  if (typeof value !== 'string') return 'INVALID_FORMAT';
  if (!/^(?:0|[1-9]\d{0,39})$/.test(value)) return 'INVALID_SNOWFLAKE_FORMAT';
  return BigInt(value) > MAX_SNOWFLAKE ? 'SNOWFLAKE_OUT_OF_RANGE' : undefined;
}

/** An id (conventions.md 6.1): decimal text, or a JSON integer; always text afterwards. */
export function Snowflake(options: FieldOptions = {}): PropertyDecorator {
  const convert = (value: unknown) => (Number.isSafeInteger(value) && (value as number) >= 0 ? String(value) : value);
  return field({ ...options, convert, description: { type: String, pattern: '^(0|[1-9][0-9]*)$' } }, snowflakeFault);
}

/** An array whose elements are checked one by one; `convert` sees the whole array. */
export function ListOf(
  options: FieldOptions & {
    min?: number;
    max: number;
    convert?: (value: unknown) => unknown;
    items?: ApiPropertyOptions;
  },
  check: (element: unknown) => FieldCode | undefined,
): PropertyDecorator {
  const description = {
    type: 'array',
    items: { type: 'string' },
    minItems: options.min ?? 0,
    maxItems: options.max,
  } as ApiPropertyOptions;
  return field({ ...options, description }, (value) => {
    if (!Array.isArray(value) || value.length > options.max || value.length < (options.min ?? 0)) {
      return 'INVALID_FORMAT';
    }
    const faults = value.flatMap((element, index) => {
      const code = check(element);
      return code ? [{ at: `.${index}`, code }] : [];
    });
    return faults.length > 0 ? faults : undefined;
  });
}

const LOCAL_PART = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+$/;
const DOMAIN =
  /^(?=.{1,253}$)(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])$/;

export function emailFault(value: unknown): FieldCode | undefined {
  if (!isText(value)) return 'INVALID_EMAIL_FORMAT';
  if (value.length < 1 || value.length > 254) return 'EMAIL_LENGTH_INVALID';
  const at = value.lastIndexOf('@');
  if (at < 0 || !DOMAIN.test(value.slice(at + 1))) return 'INVALID_EMAIL_FORMAT';
  const local = value.slice(0, at);
  if (!LOCAL_PART.test(local) || local.length > 64 || /^\.|\.\.|\.$/.test(local)) return 'INVALID_EMAIL_LOCAL_PART';
  return undefined;
}

/** An address (auth.md 1.4): NFKC and trimmed before it is judged, so that what is checked is what is stored. */
export function Email(options: FieldOptions = {}): PropertyDecorator {
  const convert = (value: unknown) => (typeof value === 'string' ? value.normalize('NFKC').trim() : value);
  return field({ ...options, convert, description: { type: String, format: 'email', maxLength: 254 } }, emailFault);
}

/** Is an object; what is inside is judged where it is used. */
export function Anything(options: FieldOptions = {}): PropertyDecorator {
  return field({ ...options, description: { type: Object } }, (value) =>
    typeof value === 'object' && !Array.isArray(value) ? undefined : 'INVALID_FORMAT',
  );
}

/** A list of field errors, in schema order, at most one per path and code, at most 100. */
class Faults {
  readonly list: FieldError[] = [];
  private readonly seen = new Set<string>();

  add(path: string, code: FieldCode): void {
    const key = `${path}\n${code}`;
    if (this.seen.has(key) || this.list.length >= 100) return;
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

/**
 * Validates a plain value against a DTO class, strips unknown members and returns the instance with
 * the faults it has. Members that the class does not declare are dropped, never refused.
 */
export function validateShape<T extends object>(
  shape: new () => T,
  value: unknown,
): { instance: T; faults: FieldError[] } {
  const instance = plainToInstance(shape, value, { exposeDefaultValues: true, enableImplicitConversion: false });
  const faults = new Faults();
  faults.collect(validateSync(instance, { whitelist: true, stopAtFirstError: true, forbidUnknownValues: false }), '');
  return { instance, faults: faults.list };
}

/** Whether class-validator knows at least one rule for the class: an undecorated DTO would validate nothing. */
export const isDeclared = (shape: Shape): boolean =>
  getMetadataStorage().getTargetValidationMetadatas(shape, '', false, false).length > 0;
