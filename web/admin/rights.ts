import { computed, signal } from '@preact/signals';
import { type Answer, type paths, Refused } from 'gatehouse/client';
import { type Failure, failureOf } from '../core/action.js';
import { api } from '../core/api.js';
import { isLanguageChosen, speak } from '../core/language.js';
import { session } from '../core/session.js';

export type AdminUser = Answer<paths, '/v1/admin/users/@me', 'get'>['user'];
type Registry = Answer<paths, '/v1/admin/acls', 'get'>;
type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
/** An operation of administrators, as the client names it. */
export type Operation = readonly [method: Method, path: keyof paths & `/v1/admin/${string}`];

/** Who is signed in, as administrators see accounts. */
export const me = signal<AdminUser | null>(null);
/** Every ACL there is, and what each opens. */
export const registry = signal<Registry | null>(null);
export const failure = signal<Failure | null>(null);
/** Signed in, and not let in here. */
export const isStranger = signal(false);

const held = computed<ReadonlySet<string>>(() => new Set(me.value?.acls ?? []));

/** Whether the person signed in holds an ACL. It decides what is shown; the service decides what is done. */
export const holds = (acl: string): boolean => held.value.has('*') || held.value.has(acl);

/** Whether the person signed in may ask for an operation, as the enforced table says. */
export function can(...[method, path]: Operation): boolean {
  const template = path.replace(/\{(\w+)\}/g, ':$1');
  const rule = registry.value?.operations.find(
    (operation) => operation.method === method.toUpperCase() && operation.path === template,
  );
  if (!rule) return false;
  return rule.mode === 'all' ? rule.acls.every(holds) : rule.acls.some(holds);
}

/** Asks who is signed in and what there is. Who is no administrator is told so; other refusals can be asked again. */
export async function load(): Promise<void> {
  failure.value = null;
  isStranger.value = false;
  try {
    const [{ user }, acls] = await Promise.all([api.get('/v1/admin/users/@me'), api.get('/v1/admin/acls')]);
    me.value = user;
    registry.value = acls;
    if (!isLanguageChosen() && user.locale) void speak(user.locale);
  } catch (error) {
    if (error instanceof Refused && error.code === 'MISSING_PERMISSIONS') isStranger.value = true;
    else if (session.value) failure.value = failureOf(error);
  }
}
