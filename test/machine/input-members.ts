import { getMetadataStorage } from 'class-validator';
import type { Shape } from '../../src/policy/plan.js';

/** The names of the members of an input class that have a rule. */
export function membersOf(shape: Shape | undefined): string[] {
  if (!shape) return [];
  const rules = getMetadataStorage().getTargetValidationMetadatas(shape, '', false, false);
  return [...new Set(rules.map(({ propertyName }) => propertyName))];
}
