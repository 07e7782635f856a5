import type { paths, ResponseBody } from '@gatehouse-auth/client';
import { api } from './api.js';
import { CHOICE, setLanguage } from './language.js';

/** The last choice on this page or in another tab, until the account has it. */
let choice: string | undefined;

/** Applies a language that the user chooses in another tab. */
export function followLanguage(): void {
  addEventListener('storage', ({ key, newValue }) => {
    if (key !== CHOICE || !newValue) return;
    choice = newValue;
    void setLanguage(newValue);
  });
}

/**
 * Uses the locale of the account, which decides while the user is signed in. It is stored for the pages before sign-in.
 * An unchanged locale is ignored, so that an earlier state of the account does not undo a choice.
 */
export function followLocale(former: string | null | undefined, next: string | null): void {
  if (next === choice) choice = undefined;
  if (choice !== undefined) return;
  if (next !== null && next !== former) void setLanguage(next, true);
}

/**
 * Sets the language of the pages and, as the locale of the account, that of emails. The pages change first.
 * @throws ApiError if the account cannot be changed. The pages keep the new language.
 */
export async function changeLanguage(wanted: string): Promise<ResponseBody<paths, '/v1/users/@me/settings', 'patch'>> {
  choice = wanted;
  const saving = api.patch('/v1/users/@me/settings', { body: { locale: wanted } as never });
  saving.catch(() => {
    choice = undefined;
  });
  await setLanguage(wanted, true);
  return saving;
}
