import { t } from '../../core/language.js';
import { ACTIONS, TARGETS } from './actions.js';

const has = <T extends string>(known: readonly T[], name: string): name is T =>
  (known as readonly string[]).includes(name);

/** The translated action. For actions of extensions, their name. */
export const sayAction = (action: string): string => (has(ACTIONS, action) ? t(`adminAudit.did_${action}`) : action);

/** The translated target type. For types of extensions, their name. */
export const sayTarget = (type: string): string => (has(TARGETS, type) ? t(`adminAudit.kind_${type}`) : type);

/** The name that matches the translation, or the input itself. */
export function nameOf(typed: string, known: readonly string[], say: (name: string) => string): string {
  const wanted = typed.trim();
  return known.find((name) => say(name).toLowerCase() === wanted.toLowerCase()) ?? wanted;
}
