import { registerDecorator, type ValidationArguments } from 'class-validator';
import type { FieldCode } from '../core/errors.js';
import type { FeatureRegistry } from '../policy/feature-registry.js';
import type { Shape } from '../policy/plan.js';
import type { FieldDecorator } from './field-decorator.js';

/** The error of one value: a code for the field itself, or codes for paths below it such as `.0`. */
export type Fault = FieldCode | { readonly at: string; readonly code: FieldCode }[];

/** The name under which class-validator reports the errors of `field`. */
export const CONSTRAINT_NAME = 'gatehouse';

/** JSON Schema (2020-12) of a member, as the OpenAPI document shows it. */
type Schema = Readonly<Record<string, unknown>>;

/** Options of all field decorators. `optional` members can be missing, `nullable` members can be `null`. */
export interface FieldOptions {
  optional?: boolean;
  nullable?: boolean;
}

/** The rule of a field decorator that `field` makes. */
export interface FieldRule extends FieldOptions {
  description: Schema;
  /**
   * Maximum length in UTF-16 units that `convert` and `check` accept. Default: 4096. A longer value gets the error
   * `tooLong` and is not processed further, because no input is converted before it is measured.
   */
  bound?: number | undefined;
  /** Default: `CONTENT_EXCEEDS_MAX_LENGTH`. The contract names other codes for some fields. */
  tooLong?: FieldCode;
  /**
   * May only normalize, for example trim or convert text to a number. Returns values that it does not understand
   * unchanged.
   */
  convert?: (value: unknown) => unknown;
}

const DEFAULT_BOUND = 4096;
/** Extra length that a text may have before it is trimmed or normalized. */
export const NORMALIZATION_SLACK = 1024;

const rules = new Map<object, Map<string, FieldRule>>();

/** A class and its base classes, starting with the class itself. */
function inheritanceChain(shape: Shape): object[] {
  const line: object[] = [];
  for (let of: object | null = shape; of !== null; of = Object.getPrototypeOf(of)) line.push(of);
  return line;
}

export const findRule = (shape: Shape, member: string): FieldRule | undefined => {
  for (let of: object | null = shape; of !== null; of = Object.getPrototypeOf(of)) {
    const rule = rules.get(of)?.get(member);
    if (rule) return rule;
  }
  return undefined;
};

export const exceedsBound = (value: unknown, { bound = DEFAULT_BOUND }: { bound?: number | undefined }): boolean =>
  typeof value === 'string' && value.length > bound;

/** Maximum length in UTF-16 units that the rule of a member accepts; `undefined` if the member has no such rule. */
export function boundOf(shape: Shape, member: string): number | undefined {
  const rule = findRule(shape, member);
  return rule && (rule.bound ?? DEFAULT_BOUND);
}

/** The JSON Schema of a member for the OpenAPI document. A nullable member has a second type. */
function memberSchema({ description, nullable }: FieldRule): Schema {
  const schema: Schema = 'enum' in description ? { type: 'string', ...description } : description;
  if (!nullable) return schema;
  const choices = Array.isArray(schema.enum) ? { enum: [...schema.enum, null] } : {};
  return { ...schema, type: [schema.type, 'null'], ...choices };
}

/** JSON Schema of an input class, from the rules of its own and inherited members. */
export function schemaOf(shape: Shape): { type: 'object'; properties: Record<string, Schema>; required?: string[] } {
  const found = new Map<string, FieldRule>();
  for (const of of inheritanceChain(shape).reverse())
    for (const [name, rule] of rules.get(of) ?? []) found.set(name, rule);
  const required = [...found].filter(([, { optional }]) => !optional).map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries([...found].map(([name, rule]) => [name, memberSchema(rule)])),
    ...(required.length > 0 ? { required } : {}),
  };
}

/** The registry for the instances that are being validated. class-validator passes nothing else to a rule. */
const registries = new WeakMap<object, FeatureRegistry>();
const registryOf = (args: ValidationArguments | undefined): FeatureRegistry | undefined =>
  args && registries.get(args.object);

/** Lets the rules of an instance look up names that features declare. */
export const useRegistry = (instance: object, features: FeatureRegistry): void =>
  void registries.set(instance, features);

/** Defines a field type: a rule that returns the error of a value or `undefined`. `convert` runs first. */
export function field<const R extends FieldRule, V = unknown>(
  rule: R,
  check: (value: unknown, features?: FeatureRegistry) => Fault | undefined,
): FieldDecorator<V, R> {
  const faultOf = (value: unknown, features?: FeatureRegistry): Fault | undefined => {
    if (value === undefined) return rule.optional ? undefined : 'INVALID_FORMAT';
    if (value === null) return rule.nullable ? undefined : 'INVALID_FORMAT';
    return exceedsBound(value, rule) ? (rule.tooLong ?? 'CONTENT_EXCEEDS_MAX_LENGTH') : check(value, features);
  };
  return (target, key) => {
    const ofShape = rules.get(target.constructor) ?? new Map<string, FieldRule>();
    rules.set(target.constructor, ofShape.set(String(key), rule));
    registerDecorator({
      name: CONSTRAINT_NAME,
      target: target.constructor,
      propertyName: String(key),
      validator: {
        validate: (value, args) => faultOf(value, registryOf(args)) === undefined,
        defaultMessage: (args) => JSON.stringify(faultOf(args?.value, registryOf(args))),
      },
    });
  };
}
