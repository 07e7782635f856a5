import { ApiError, type paths, type ResponseBody } from '@gatehouse-auth/client';
import { computed, signal } from '@preact/signals';
import { type Failure, toFailure } from '../core/action.js';
import { api } from '../core/api.js';
import { followLocale } from '../core/locale.js';
import { session } from '../core/session.js';

export type AdminUser = ResponseBody<paths, '/v1/admin/users/@me', 'get'>['user'];
type Registry = ResponseBody<paths, '/v1/admin/acls', 'get'>;
type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
/** An admin operation as the API client names it. */
export type Operation = readonly [method: Method, path: keyof paths & `/v1/admin/${string}`];

/** The signed-in administrator. */
export const me = signal<AdminUser | null>(null);
/** All ACLs and the routes that they allow. */
export const registry = signal<Registry | null>(null);
export const failure = signal<Failure | null>(null);
/** True if the user is signed in but is not an administrator. */
export const isNotAdministrator = signal(false);

const ownAcls = computed<ReadonlySet<string>>(() => new Set(me.value?.acls ?? []));

/** True if the user has an ACL. This only affects what is shown; the service enforces permissions. */
export const hasAcl = (acl: string): boolean => ownAcls.value.has('*') || ownAcls.value.has(acl);

/** True if the user may call an operation, according to the rules of the service. */
export function can(...[method, path]: Operation): boolean {
  const template = path.replace(/\{(\w+)\}/g, ':$1');
  const rule = registry.value?.operations.find(
    (operation) => operation.method === method.toUpperCase() && operation.path === template,
  );
  if (!rule) return false;
  return rule.mode === 'all' ? rule.acls.every(hasAcl) : rule.acls.some(hasAcl);
}

/**
 * Loads the administrator and the ACLs. Users without admin access see a separate page; other errors can be retried.
 */
export async function load(): Promise<void> {
  failure.value = null;
  isNotAdministrator.value = false;
  try {
    const [{ user }, acls] = await Promise.all([api.get('/v1/admin/users/@me'), api.get('/v1/admin/acls')]);
    followLocale(me.value?.locale, user.locale);
    me.value = user;
    registry.value = acls;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'MISSING_PERMISSIONS') isNotAdministrator.value = true;
    // If a reload fails, the console keeps what it shows. The service checks every request anyway.
    else if (session.value && !me.value) failure.value = toFailure(error);
  }
}
