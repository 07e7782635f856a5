/** How far a person got on a page, in the entry of the history: a reload goes on from there, and no other page sees it. */
export const kept = <T>(name: string): T | undefined =>
  (history.state as Record<string, unknown> | null)?.[name] as T | undefined;

export function keep<T>(name: string, value: T): T {
  history.replaceState({ ...(history.state as object | null), [name]: value }, '');
  return value;
}
