import type { paths, ResponseBody } from '@gatehouse-auth/client';
import { computed, signal } from '@preact/signals';
import { type Failure, toFailure } from '../core/action.js';
import { api } from '../core/api.js';
import { followLocale } from '../core/locale.js';
import { session } from '../core/session.js';
import { applyTheme, type Theme } from '../core/theme.js';

export type User = ResponseBody<paths, '/v1/users/@me', 'get'>;
export type Settings = ResponseBody<paths, '/v1/users/@me/settings', 'get'>;

/** The signed-in user, as last received from the service. */
export const user = signal<User | null>(null);
export const settings = signal<Settings | null>(null);
export const failure = signal<Failure | null>(null);

/** Actions that the account must complete before it can do anything else. */
export const requirements = computed<readonly string[]>(() => user.value?.required_actions ?? []);

export const tagOf = ({ username, discriminator }: Pick<User, 'username' | 'discriminator'>): string =>
  `${username}#${discriminator}`;

export function setUser(next: User): void {
  followLocale(user.value?.locale, next.locale);
  user.value = next;
}

export function setSettings(next: Settings): void {
  settings.value = next;
  applyTheme(next.theme as Theme);
}

/** Loads the data that all views need. A failure is stored, so that the page can show it with a retry button. */
export async function load(): Promise<void> {
  failure.value = null;
  try {
    const [me, mine] = await Promise.all([api.get('/v1/users/@me'), api.get('/v1/users/@me/settings')]);
    setUser(me);
    setSettings(mine);
  } catch (error) {
    if (session.value) failure.value = toFailure(error);
  }
}
