/** The scope registry, in the contract's order (oauth.md section 2). */
const REGISTRY = ['identify', 'email', 'bot'];

export const scopes = (): readonly string[] => REGISTRY;

export const isScope = (value: string): boolean => REGISTRY.includes(value);

/** Adds a scope of a team's own. */
export function registerScope(scope: string): void {
  if (isScope(scope) || !/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))
    throw new Error(`the scope ${scope} cannot be added`);
  REGISTRY.push(scope);
}

/** Splits a scope parameter on spaces and `+` and puts it into registry order; `null` when one is unknown or none is left. */
export function parseScopes(text: string): string[] | null {
  const named = new Set(text.split(/[ +]+/).filter((scope) => scope !== ''));
  if (named.size === 0 || [...named].some((scope) => !isScope(scope))) return null;
  return REGISTRY.filter((scope) => named.has(scope));
}
