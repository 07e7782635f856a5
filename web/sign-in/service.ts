import type { Answer, paths, Refused } from '@gatehouse-auth/client';
import { computed, signal } from '@preact/signals';
import { api } from '../core/api.js';

type Service = Answer<paths, '/.well-known/service', 'get'>;

/** Public information about the service, once loaded. No other request waits for it. */
export const service = signal<Service | null>(null);
const wasRefused = signal(false);

/** True if single sign-on is the only way to sign in. */
export const isSsoEnforced = computed(() => wasRefused.value || service.value?.sso.enforced === true);

export async function learnService(): Promise<void> {
  try {
    service.value = await api.get('/.well-known/service');
    wasRefused.value = false;
  } catch {
    // The form works without it. Errors appear when it is submitted.
  }
}

/** Detects errors that mean that single sign-on is now enforced. The caller still shows the message. */
export function noteSso(refused: Refused): false {
  if (refused.code === 'SSO_REQUIRED') {
    wasRefused.value = true;
    void learnService();
  }
  return false;
}
