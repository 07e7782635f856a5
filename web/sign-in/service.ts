import { computed, signal } from '@preact/signals';
import type { Answer, paths, Refused } from 'gatehouse/client';
import { api } from '../core/api.js';

type Service = Answer<paths, '/.well-known/service', 'get'>;

/** What the service says of itself, once it said so. Nothing waits for it. */
export const service = signal<Service | null>(null);
const wasRefused = signal(false);

/** Whether nobody signs in here but by single sign-on. */
export const isSsoEnforced = computed(() => wasRefused.value || service.value?.sso.enforced === true);

export async function learnService(): Promise<void> {
  try {
    service.value = await api.get('/.well-known/service');
    wasRefused.value = false;
  } catch {
    // The form works without; what it then sends says what is wrong.
  }
}

/** Looks whether a refusal says that single sign-on is enforced by now. Its words remain to be said. */
export function noteSso(refused: Refused): false {
  if (refused.code === 'SSO_REQUIRED') {
    wasRefused.value = true;
    void learnService();
  }
  return false;
}
