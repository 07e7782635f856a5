import { getMetadataStorage } from 'class-validator';
import type { Shape } from '../policy/plan.js';
import { findRule } from './field.js';

const members = new Map<Shape, ReadonlySet<string>>();

/** The members of an input class and its base classes that have rules. */
export function getRuleMembers(shape: Shape): ReadonlySet<string> {
  const known = members.get(shape);
  if (known) return known;
  const metadata = getMetadataStorage().getTargetValidationMetadatas(shape, '', false, false);
  const found = new Set(metadata.map(({ propertyName }) => propertyName));
  members.set(shape, found);
  return found;
}

/** Whether an input class has at least one rule. Without a rule, it would validate nothing. */
export const isDeclared = (shape: Shape): boolean => getRuleMembers(shape).size > 0;

/** The members of an input class that a request must contain. */
export const requiredMembers = (shape: Shape): string[] =>
  [...getRuleMembers(shape)].filter((name) => findRule(shape, name)?.optional !== true);

/**
 * The members of an input class that it declares without a rule. No request can set them. Requires
 * `useDefineForClassFields`, which is the default of the compiler.
 */
export const membersWithoutRule = (shape: Shape): string[] =>
  Object.entries(new shape()).flatMap(([name, value]) =>
    value === undefined && !getRuleMembers(shape).has(name) ? [name] : [],
  );
