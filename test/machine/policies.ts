import { expect } from '@jest/globals';
import { ApiError } from '../../src/core/errors.js';
import type { Guard } from '../../src/pipeline/guard.js';
import type { Call } from '../../src/policy/call.js';
import type { AdminKeyIdentity, BearerIdentity, BotIdentity, SessionIdentity } from '../../src/policy/identity.js';
import type { RoutePlan } from '../../src/policy/plan.js';
import { MODIFIERS, type PolicyKind, type RoutePolicy } from '../../src/policy/route-policy.js';

export const KINDS = Object.keys(MODIFIERS) as PolicyKind[];
export const OF_ACCOUNTS: PolicyKind[] = ['Authenticated', 'UserOnly', 'BotOnly', 'BearerOnly'];
export const ADMIN_APPLICATION = '77';

export const policyOf = (kind: PolicyKind, more: Partial<RoutePolicy> = {}): RoutePolicy => ({
  kind,
  blockedBySso: false,
  allowSuspicious: false,
  captcha: false,
  caseInsensitiveScheme: false,
  confidentialClient: false,
  cors: 'default',
  ...more,
});
export const planOf = (kind: PolicyKind, more?: Partial<RoutePolicy>) =>
  ({ policy: policyOf(kind, more) }) as RoutePlan;

interface Person {
  bot?: boolean;
  suspicious?: number;
  acls?: readonly string[];
  flags?: bigint;
  banned?: boolean;
  deletedAt?: string;
}
const accountOf = (more: Person = {}) =>
  ({ id: '1', bot: false, suspicious: 0, acls: [], flags: 0n, banned: false, deletedAt: null, ...more }) as never;
export const session = (more?: Person) =>
  ({ via: 'session', sessionId: '2', account: accountOf(more) }) as unknown as SessionIdentity;
export const bot = (more?: Person) =>
  ({ via: 'bot', applicationId: '3', account: accountOf({ bot: true, ...more }) }) as unknown as BotIdentity;
export const bearer = (scopes: string[] = [], applicationId = '4', more?: Person) =>
  ({ via: 'bearer', applicationId, scopes, account: accountOf(more) }) as unknown as BearerIdentity;
export const key = (acls: string[] = [], more?: Person) =>
  ({ via: 'admin-key', keyId: '5', acls, account: accountOf(more) }) as AdminKeyIdentity;
export const adminBearer = (more?: Person) => bearer([], ADMIN_APPLICATION, more);

/** The API error that `work` throws, or null. */
export async function refusalOf(work: () => unknown): Promise<ApiError | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}
export const codeOf = async (work: () => unknown) => (await refusalOf(work))?.code ?? null;

/** The error code of a guard for a caller, or null. Asserts that `check` and `dryRun` agree. */
export async function judged(guard: Guard, caller: Partial<Call>, plan: RoutePlan): Promise<string | null> {
  const said = await codeOf(() => guard.check(caller as Call, plan));
  const foreseen = await codeOf(() => expect(guard.dryRun?.(caller as Call, plan.policy)).toBe(true));
  expect(foreseen).toBe(said);
  return said;
}

export const concerned = (guard: Guard, more?: Partial<RoutePolicy>) =>
  KINDS.filter((kind) => guard.appliesTo(policyOf(kind, more)));
export const fake = <T>(members: object) => members as T;
export const adminApplication = { id: ADMIN_APPLICATION };
