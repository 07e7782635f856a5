import { hash } from 'node:crypto';
import type { Identity } from './identity.js';
import { findModifierFaults, type PolicyKind, type RoutePolicy } from './route-policy.js';

/** The callers that a service policy can accept, each with the base policy of a route that it corresponds to. */
const KINDS: Readonly<Record<ServicePolicyDeclaration['accepts'], PolicyKind>> = {
  authenticated: 'Authenticated',
  user: 'UserOnly',
  bot: 'BotOnly',
  bearer: 'BearerOnly',
  public: 'Public',
};

/** A policy that Gatehouse enforces for another service, in the words of a route (contract/forward-auth.md section 1). */
export interface ServicePolicyDeclaration {
  /** The accepted callers: `authenticated`, `user`, `bot`, `bearer` (requires `scope`) or `public`. */
  readonly accepts: 'authenticated' | 'user' | 'bot' | 'bearer' | 'public';
  /** A scope that access tokens need. */
  readonly scope?: string;
  /** Admit accounts with an outstanding suspicious-activity requirement. Default: false. */
  readonly allow_suspicious?: boolean;
  /** Require a proof of sudo mode, with `accepts: 'user'` only. Accounts that get no proof are rejected. */
  readonly sudo?: boolean;
  /** The rate limit of each caller: `requests` (default 600) per `seconds` (default 10). */
  readonly requests?: number;
  readonly seconds?: number;
}

const [DEFAULT_REQUESTS, DEFAULT_SECONDS] = [600, 10];
const [MAX_REQUESTS, MAX_SECONDS] = [1_000_000, 86_400];

const isCount = (value: unknown, max: number): boolean =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= max;

const RULES: Readonly<
  Record<keyof ServicePolicyDeclaration, { readonly isValid: (value: unknown) => boolean; readonly rule: string }>
> = {
  accepts: {
    isValid: (value) => typeof value === 'string' && Object.hasOwn(KINDS, value),
    rule: `must be one of ${Object.keys(KINDS).join(', ')}`,
  },
  scope: { isValid: (value) => typeof value === 'string' && value !== '', rule: 'must be the name of a scope' },
  allow_suspicious: { isValid: (value) => typeof value === 'boolean', rule: 'must be true or false' },
  sudo: { isValid: (value) => typeof value === 'boolean', rule: 'must be true or false' },
  requests: {
    isValid: (value) => isCount(value, MAX_REQUESTS),
    rule: `must be a whole number from 1 to ${MAX_REQUESTS}`,
  },
  seconds: {
    isValid: (value) => isCount(value, MAX_SECONDS),
    rule: `must be a whole number from 1 to ${MAX_SECONDS}`,
  },
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The errors in the members of a service policy: unknown members, types and impossible combinations. */
export function findServicePolicyFaults(declared: unknown): string[] {
  if (!isObject(declared)) return ['must be an object, such as {"accepts": "user"}'];
  const faults: string[] = [];
  for (const [member, value] of Object.entries(declared)) {
    const rule = Object.hasOwn(RULES, member) ? RULES[member as keyof ServicePolicyDeclaration] : undefined;
    if (!rule)
      faults.push(`has the unknown member ${JSON.stringify(member)}. Use only ${Object.keys(RULES).join(', ')}`);
    else if (!rule.isValid(value)) faults.push(`has an invalid member ${JSON.stringify(member)}: it ${rule.rule}`);
  }
  if (declared.accepts === undefined) faults.push(`lacks the member "accepts", which ${RULES.accepts.rule}`);
  if (faults.length > 0) return faults;
  // biome-ignore lint/plugin: every member was just checked
  const declaration = declared as unknown as ServicePolicyDeclaration;
  if (declaration.accepts === 'bearer' && declaration.scope === undefined)
    faults.push('accepts bearer without a scope. Add "scope"');
  if (declaration.sudo && declaration.accepts !== 'user')
    faults.push(`requires sudo mode, but accepts ${declaration.accepts}. Use "accepts": "user", or remove "sudo"`);
  else faults.push(...findModifierFaults(KINDS[declaration.accepts], modifiersOf(declaration)));
  return faults;
}

const modifiersOf = ({ scope, allow_suspicious, sudo }: ServicePolicyDeclaration): string[] => [
  ...(scope !== undefined ? ['OAuthScope'] : []),
  ...(allow_suspicious ? ['AllowSuspicious'] : []),
  ...(sudo ? ['RequiresSudo'] : []),
];

/** Together, these policies have all guards that a service policy can have. */
export const SERVICE_POLICY_SAMPLES: readonly ServicePolicyDeclaration[] = [
  { accepts: 'bearer', scope: 'identify' },
  { accepts: 'user', sudo: true },
];

/** The rate-limit bucket of a service policy. Its requests never count against the global limit. */
export const servicePolicyBucket = (name: string): string => `service_policy:${name}`;

/** The requests and seconds of the bucket. */
export const servicePolicyLimit = ({
  requests = DEFAULT_REQUESTS,
  seconds = DEFAULT_SECONDS,
}: ServicePolicyDeclaration): readonly [requests: number, seconds: number] => [requests, seconds];

/** The policy of a route that has the same guards. */
export const toRoutePolicy = (name: string, declaration: ServicePolicyDeclaration): RoutePolicy =>
  Object.freeze({
    kind: KINDS[declaration.accepts],
    ...(declaration.scope !== undefined && { scope: declaration.scope }),
    allowSuspicious: declaration.allow_suspicious === true,
    ...(declaration.sudo && { sudo: { byProof: true, issuesProof: false } }),
    bucket: { name: servicePolicyBucket(name) },
    activeOnly: true,
    blockedBySso: false,
    captcha: false,
    caseInsensitiveScheme: false,
    confidentialClient: false,
    cors: 'none',
  } satisfies RoutePolicy);

/** A digest of everything that a service policy declares. It changes if a decision could change. */
export function hashServicePolicy(name: string, declaration: ServicePolicyDeclaration): string {
  const { accepts, scope = null, allow_suspicious = false, sudo = false } = declaration;
  const facts = [name, accepts, scope, allow_suspicious, sudo, ...servicePolicyLimit(declaration)];
  return hash('sha256', JSON.stringify(facts), 'base64url');
}

/** The path at which reverse proxies ask for the decision of a service policy. */
export const servicePolicyPath = (name: string): string => `/v1/forward-auth/${name}`;

/** How the caller of a service was identified, for other services. */
export type CallerKind = 'session' | 'bot' | 'bearer' | 'anonymous';

/** The kind of a caller that a service policy admitted. An Admin API key is never valid outside `/v1/admin`. */
export function callerKindOf(identity: Identity | null): CallerKind {
  if (identity?.via === 'admin-key') throw new Error('An Admin API key was admitted outside /v1/admin');
  return identity?.via ?? 'anonymous';
}
