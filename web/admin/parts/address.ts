import { navigate, path, query } from '../../core/views.js';

/** A query parameter of the view. */
export const queryParameter = (name: string): string | null => new URLSearchParams(query.value).get(name);

/** Navigates within the view with changed query parameters; null removes one. */
export function setQueryParameters(values: Readonly<Record<string, string | null>>): void {
  const next = new URLSearchParams(query.value);
  for (const [name, value] of Object.entries(values)) {
    if (value === null || value === '') next.delete(name);
    else next.set(name, value);
  }
  const said = next.toString();
  navigate(said ? `${path.value}?${said}` : path.value);
}
