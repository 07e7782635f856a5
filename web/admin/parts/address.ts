import { go, path, query } from '../../core/views.js';

/** What the address of the view says behind `?`. */
export const asked = (name: string): string | null => new URLSearchParams(query.value).get(name);

/** Goes to the same view with other values in its address; null takes one away. */
export function ask(values: Readonly<Record<string, string | null>>): void {
  const next = new URLSearchParams(query.value);
  for (const [name, value] of Object.entries(values)) {
    if (value === null || value === '') next.delete(name);
    else next.set(name, value);
  }
  const said = next.toString();
  go(said ? `${path.value}?${said}` : path.value);
}
