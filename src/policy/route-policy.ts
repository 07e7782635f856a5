import type { Type } from '@nestjs/common';
import type { ErrorCode } from '../core/errors.js';
import type { Identity } from './identity.js';

const COMMON = ['RateLimit', 'Cors', 'Accepts'];
const ACCOUNT_MODIFIERS = [
  'OAuthScope',
  'BlockedBySso',
  'AllowSuspicious',
  'Check',
  'RequiresSudo',
  'Captcha',
  ...COMMON,
];

/** The eight base policies (credentials.md section 3), each with the modifiers that it allows. */
export const MODIFIERS = {
  Public: ['BlockedBySso', 'Captcha', 'SecretPath', ...COMMON],
  CredentialFree: ['CaseInsensitiveScheme', 'SecretPath', 'ByServicePolicy', ...COMMON],
  Authenticated: ACCOUNT_MODIFIERS,
  UserOnly: ACCOUNT_MODIFIERS,
  BotOnly: ['AllowSuspicious', 'Check', 'CaseInsensitiveScheme', ...COMMON],
  BearerOnly: ['OAuthScope', 'AllowSuspicious', 'Check', ...COMMON],
  AdminAcl: ['RateLimit', 'Accepts', 'ReadOnly'],
  ClientAuth: COMMON,
} satisfies Record<string, string[]>;

export type PolicyKind = keyof typeof MODIFIERS;

/** Finds modifiers that are repeated or that the base policy does not allow. */
export function findModifierFaults(kind: PolicyKind, modifiers: readonly string[]): string[] {
  const faults: string[] = [];
  const seen = new Set<string>();
  for (const name of modifiers) {
    if (seen.has(name)) faults.push(`repeats @${name}. Keep one`);
    seen.add(name);
    if (!MODIFIERS[kind].includes(name))
      faults.push(`declares @${name}, which @${kind} does not allow. Remove one of them`);
  }
  return faults;
}

export interface AclRequirement {
  readonly mode: 'all' | 'any';
  readonly acls: readonly string[];
}

/** Receives the validated body and the caller. This works because the input guard runs before the sudo guard. */
export type BodyPredicate = ForSudo<boolean>;

/**
 * A method, because the compiler lets a method declare the body of its own route and the kind of caller that the route
 * admits.
 */
type ForSudo<R> = { call(body: object | undefined, me: Identity): R }['call'];

export interface SudoOptions {
  /** If false, the response contains neither a new proof nor a valid proof that was sent. */
  readonly issuesProof?: boolean;
  /** The operation raises the account's security epoch, so a success must not return a revoked proof. */
  readonly voidsProofs?: boolean | BodyPredicate;
  /** Sudo mode is required only for bodies that match this predicate. */
  readonly when?: BodyPredicate;
  /**
   * Without a factor or a valid proof, the operation does less. `Call.hasSudo` says which case applies. An incorrect
   * factor is rejected.
   */
  readonly isOptional?: boolean;
  /** Only a valid proof that was sent satisfies it: no factor, and no exception for accounts that get no proof. */
  readonly byProof?: boolean;
  /** Pre-check that runs before a factor is consumed. Only for errors that stored state decides. */
  readonly first?: ForSudo<void>;
}

/** The request that a check of an extension receives. */
export interface CheckedCall<I extends object = object> {
  readonly identity: Identity;
  /** The members that the check names in its `input`, after their validation. */
  readonly input: Readonly<I>;
}

/**
 * A provider that decides whether the caller may use a route, from the data of an extension. Routes declare it with
 * `@Check(WorkspaceRole, 'editor')`. It runs after the input is validated, and before sudo mode is required.
 */
export interface RouteCheck<I extends object = object> {
  /** Members of the path, the query or the body that the check reads. Each route with the check must require them. */
  readonly input: readonly (keyof I & string)[];
  /** The codes of the errors that the check throws. The OpenAPI document lists them at each route. */
  readonly errors: readonly ErrorCode[];
  /** @throws ApiError to reject the request */
  check(call: CheckedCall<I>, ...options: never[]): void | Promise<void>;
}

/** The part of `RouteCheck` that is the same for all checks. */
export interface AnyCheck extends Pick<RouteCheck, 'errors'> {
  readonly input: readonly string[];
  check(call: never, ...options: never[]): void | Promise<void>;
}

/** A check with its options, as a route declares it. */
export interface DeclaredCheck {
  readonly type: Type<AnyCheck>;
  readonly options: readonly unknown[];
}

/** The options that the decorator passes to `check`. */
export type CheckOptions<C> = C extends { check(call: never, ...options: infer O): unknown } ? O : never;

/** The declaration of a route: one base policy, then modifiers. */
export interface RoutePolicy {
  readonly kind: PolicyKind;
  readonly acl?: AclRequirement;
  readonly scope?: string;
  readonly blockedBySso: boolean;
  readonly allowSuspicious: boolean;
  /** The checks of an extension, in order. */
  readonly checks?: readonly DeclaredCheck[];
  readonly sudo?: SudoOptions;
  readonly bucket?: {
    readonly name: string;
    readonly per?: string;
    readonly misses?: string;
    /** The bucket of resource servers. With it, the limits are charged after client authentication. */
    readonly ofResourceServer?: string;
    /** The bucket of failed client authentications. With it, each client has its own allowance. */
    readonly failures?: string;
  };
  readonly captcha: boolean;
  readonly caseInsensitiveScheme: boolean;
  readonly confidentialClient: boolean;
  readonly cors: 'default' | 'any' | 'upload' | 'none';
  /** The path contains a secret, so crawlers must not index it. */
  readonly secretPath?: boolean;
  /** An Admin operation that writes no audit log entry, whatever its method. */
  readonly changesNothing?: boolean;
  /** The handler lets the guards of a service policy check the request. Any method and path below it, without limits. */
  readonly byServicePolicy?: boolean;
  /** A deleted, disabled or banned account counts as no identity. Operations of the service decide it themselves. */
  readonly activeOnly?: boolean;
  readonly accepts?: { readonly kind: 'json' | 'form' | 'raw'; readonly limit?: number };
}

function describeBucket({ name, ...options }: NonNullable<RoutePolicy['bucket']>): string {
  const members = Object.entries(options).map(([option, value]) => `${option}: '${value}'`);
  return members.length > 0 ? `'${name}', { ${members.join(', ')} }` : `'${name}'`;
}

function describeAcl({ mode, acls }: AclRequirement): string {
  const names = acls.map((name) => `'${name}'`).join(', ');
  return mode === 'any' ? `{ anyOf: [${names}] }` : names;
}

const describeCheck = ({ type, options }: DeclaredCheck): string =>
  `@Check(${[type.name, ...options.map((option) => JSON.stringify(option).replaceAll('"', "'"))].join(', ')})`;

/** Formats a policy as decorators, for `npm run routes` and the OpenAPI document. */
export function describePolicy(policy: RoutePolicy): string {
  const sudo = Object.entries(policy.sudo ?? {})
    .map(([name, value]) => `${name}: ${typeof value === 'function' ? value.name || 'predicate' : value}`)
    .join(', ');
  const argument = policy.acl ? describeAcl(policy.acl) : policy.confidentialClient ? '{ confidential: true }' : '';
  return [
    `@${policy.kind}(${argument})`,
    policy.scope && `@OAuthScope('${policy.scope}')`,
    policy.blockedBySso && '@BlockedBySso()',
    policy.allowSuspicious && '@AllowSuspicious()',
    ...(policy.checks ?? []).map(describeCheck),
    policy.sudo && `@RequiresSudo(${sudo && `{ ${sudo} }`})`,
    policy.captcha && '@Captcha()',
    policy.caseInsensitiveScheme && '@CaseInsensitiveScheme()',
    policy.changesNothing && '@ReadOnly()',
    policy.byServicePolicy && '@ByServicePolicy()',
    policy.bucket && `@RateLimit(${describeBucket(policy.bucket)})`,
    policy.cors !== 'default' && `@Cors('${policy.cors}')`,
    policy.accepts &&
      `@Accepts('${policy.accepts.kind}'${policy.accepts.limit ? `, { limit: ${policy.accepts.limit} }` : ''})`,
  ]
    .filter(Boolean)
    .join(' ');
}
