/** Stores the progress of a page in its history entry. A reload continues there, and no other page can read it. */
export const readHistoryState = <T>(name: string): T | undefined =>
  (history.state as Record<string, unknown> | null)?.[name] as T | undefined;

export function writeHistoryState<T>(name: string, value: T): T {
  history.replaceState({ ...(history.state as object | null), [name]: value }, '');
  return value;
}
