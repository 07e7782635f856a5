import type { ApiError, paths, ResponseBody } from '@gatehouse-auth/client';
import { computed, signal } from '@preact/signals';
import { api } from '../core/api.js';

type Service = ResponseBody<paths, '/.well-known/service', 'get'>;

/** Public information about the service, once loaded. No other request waits for it. */
export const service = signal<Service | null>(null);
const wasSsoRequired = signal(false);

/** True if single sign-on is the only way to sign in. */
export const isSsoEnforced = computed(() => wasSsoRequired.value || service.value?.sso.enforced === true);

export async function loadService(): Promise<void> {
  try {
    service.value = await api.get('/.well-known/service');
    wasSsoRequired.value = false;
  } catch {
    // The form works without it. Errors appear when it is submitted.
  }
}

/** Detects errors that mean that single sign-on is now enforced. The caller still shows the message. */
export function detectSsoEnforced(refused: ApiError): false {
  if (refused.code === 'SSO_REQUIRED') {
    wasSsoRequired.value = true;
    void loadService();
  }
  return false;
}
