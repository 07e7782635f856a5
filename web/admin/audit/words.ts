import { findTranslation } from '../../core/language.js';
import { registry } from '../rights.js';

/** The actions of the service and of its extensions. */
export const allActions = (): readonly string[] => Object.keys(registry.value?.audit_actions ?? {});

/** The types of the targets of all actions. */
export const allTargets = (): readonly string[] => [...new Set(Object.values(registry.value?.audit_actions ?? {}))];

/** The translated action. For actions of extensions, their name. */
export const actionText = (action: string): string => findTranslation(`adminAudit.did_${action}`) ?? action;

/** The translated target type. For types of extensions, their name. */
export const targetText = (type: string): string => findTranslation(`adminAudit.kind_${type}`) ?? type;

/** The name that matches the translation, or the input itself. */
export function nameOf(typed: string, known: readonly string[], say: (name: string) => string): string {
  const wanted = typed.trim();
  return known.find((name) => say(name).toLowerCase() === wanted.toLowerCase()) ?? wanted;
}
