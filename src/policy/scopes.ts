import { assertLocalizedText, type LocalizedText } from '../core/text/localized-text.js';

/** The scope registry, in the contract's order (oauth.md section 2). */
const REGISTRY = ['identify', 'email', 'bot'];

const words = new Map<string, LocalizedText>();

export const scopes = (): readonly string[] => REGISTRY;

export const isScope = (value: string): boolean => REGISTRY.includes(value);

/** The descriptions of extension scopes for users, in registry order. */
export const scopeDescriptions = (): Readonly<Record<string, LocalizedText>> => Object.fromEntries(words);

/**
 * Adds a scope of an extension.
 * @param said the text of the consent screen, such as "see your notes"; English is the fallback for missing languages
 */
export function registerScope(scope: string, said: LocalizedText): void {
  if (isScope(scope) || !/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))
    throw new Error(`the scope ${scope} cannot be added`);
  assertLocalizedText(`the scope ${scope}`, said);
  REGISTRY.push(scope);
  words.set(scope, Object.freeze({ ...said }));
}

/**
 * Splits a scope parameter on spaces and `+` and sorts it into registry order. Returns `null` if a scope is unknown or
 * none is given.
 */
export function parseScopes(text: string): string[] | null {
  const named = new Set(text.split(/[ +]/).filter((scope) => scope !== ''));
  if (named.size === 0 || [...named].some((scope) => !isScope(scope))) return null;
  return REGISTRY.filter((scope) => named.has(scope));
}
