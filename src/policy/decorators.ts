import 'reflect-metadata';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';

/** The nine ways to say who may enter (credentials.md section 3). */
export type PolicyKind =
  | 'Public'
  | 'CredentialFree'
  | 'Authenticated'
  | 'UserOnly'
  | 'BotOnly'
  | 'BearerOnly'
  | 'AdminAcl'
  | 'ClientAuth';

export interface AclRequirement {
  readonly mode: 'all' | 'any';
  readonly acls: readonly string[];
}

/** Sees the validated body and the caller, because the input guard runs before the sudo guard. */
export type BodyPredicate = (body: never, me: never) => boolean;

export interface SudoOptions {
  /** `false`: neither a fresh proof nor a valid one that was sent appears on the response. */
  readonly issuesProof?: boolean;
  /** The operation raises the account's security epoch, so a success must not return a dead proof. */
  readonly voidsProofs?: boolean | BodyPredicate;
  /** Sudo is needed only for bodies that this predicate accepts. */
  readonly when?: BodyPredicate;
  /** Throws what must be refused before a factor is spent, and only stored state can tell. */
  readonly first?: (body: never, me: never) => void;
}

/** What a route declares: one policy, then modifiers. */
export interface RoutePolicy {
  readonly kind: PolicyKind;
  readonly acl?: AclRequirement;
  readonly scope?: string;
  readonly blockedBySso: boolean;
  readonly allowSuspicious: boolean;
  readonly sudo?: SudoOptions;
  readonly bucket?: { readonly name: string; readonly per?: string; readonly misses?: string };
  readonly captcha: boolean;
  readonly caseInsensitiveScheme: boolean;
  readonly confidentialClient: boolean;
  readonly cors: 'default' | 'any' | 'upload' | 'none';
  readonly accepts?: { readonly kind: 'json' | 'form' | 'raw'; readonly limit?: number };
}

type Mark = { name: string } & Record<string, unknown>;
const MARKS = Symbol('gatehouse:policy');
const BASES: ReadonlySet<string> = new Set<PolicyKind>([
  'Public',
  'CredentialFree',
  'Authenticated',
  'UserOnly',
  'BotOnly',
  'BearerOnly',
  'AdminAcl',
  'ClientAuth',
]);

const mark =
  (name: string, values: Record<string, unknown> = {}): MethodDecorator =>
  (_target, _key, descriptor) => {
    const handler = descriptor.value as object;
    const marks: Mark[] = Reflect.getOwnMetadata(MARKS, handler) ?? [];
    Reflect.defineMetadata(MARKS, [{ name, ...values }, ...marks], handler);
  };

/** Anyone. A valid credential is noticed (rate limits, captcha waiver), a bad one is ignored. */
export const Public = () => mark('Public');
/** Anyone; `Authorization` is never read, not even for rate limits. */
export const CredentialFree = () => mark('CredentialFree');
/** A session or a bot. */
export const Authenticated = () => mark('Authenticated');
/** The session of an ordinary account. */
export const UserOnly = () => mark('UserOnly');
/** A bot token. */
export const BotOnly = () => mark('BotOnly');
/** An OAuth2 access token. */
export const BearerOnly = () => mark('BearerOnly');
/** A session, a bearer of the built-in Admin application or an Admin API key, holding the ACLs (admin.md section 2). */
export const AdminAcl = (...acls: [string, ...string[]] | [{ anyOf: [string, ...string[]] }]) => {
  const [first] = acls;
  const acl: AclRequirement =
    typeof first === 'object' ? { mode: 'any', acls: first.anyOf } : { mode: 'all', acls: acls as string[] };
  return mark('AdminAcl', { acl });
};
/** The client credentials of an application (oauth.md 5.5); `confidential` refuses public clients. */
export const ClientAuth = (options: { confidential?: boolean } = {}) =>
  mark('ClientAuth', { confidentialClient: options.confidential === true });

/** Opens the operation to bearers that hold exactly this scope. */
export const OAuthScope = (scope: string) => mark('OAuthScope', { scope });
/** `403 SSO_REQUIRED` while single sign-on is enforced. */
export const BlockedBySso = () => mark('BlockedBySso', { blockedBySso: true });
/** Admits accounts with an outstanding suspicious-activity requirement. */
export const AllowSuspicious = () => mark('AllowSuspicious', { allowSuspicious: true });
/** Needs a sudo proof or a fresh factor (account.md section 8). */
export const RequiresSudo = (options: SudoOptions = {}) => mark('RequiresSudo', { sudo: options });
/**
 * The route's bucket (conventions.md 7.3); `per` adds a path parameter to the key. An address that has used up the
 * bucket `misses`, which the handler charges, is refused as well.
 */
export const RateLimit = (name: string, options: { per?: string; misses?: string } = {}) =>
  mark('RateLimit', { bucket: { name, ...options } });
/** Needs a captcha token, if the instance has a provider. */
export const Captcha = () => mark('Captcha', { captcha: true });
/** `Bot ` without regard to case: the two bot routes. */
export const CaseInsensitiveScheme = () => mark('CaseInsensitiveScheme', { caseInsensitiveScheme: true });
/** Cross-origin use from any origin, for uploads too, or from none (conventions.md section 3, media.md 4.2). */
export const Cors = (cors: 'any' | 'upload' | 'none') => mark('Cors', { cors });
/**
 * The body that the route takes: `json` (the default, 256 KiB), `form`, or `raw`, which the handler reads itself
 * with a limit of its own.
 */
export const Accepts = (kind: 'json' | 'form' | 'raw', options: { limit?: number } = {}) =>
  mark('Accepts', { accepts: { kind, ...options } });

/** The identity that the guards resolved; `null` only on `@Public()` routes. */
export const Me = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const request = context.switchToHttp().getRequest();
  return (request.raw ?? request).call.identity;
});

/** The call itself: client address, request id, raw request and response. */
export const TheCall = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const request = context.switchToHttp().getRequest();
  return (request.raw ?? request).call;
});

const ALLOWED: Readonly<Record<PolicyKind, readonly string[]>> = {
  Public: ['BlockedBySso', 'RateLimit', 'Captcha', 'Cors', 'Accepts'],
  CredentialFree: ['RateLimit', 'CaseInsensitiveScheme', 'Cors', 'Accepts'],
  Authenticated: [
    ...['OAuthScope', 'BlockedBySso', 'AllowSuspicious', 'RequiresSudo', 'RateLimit', 'Captcha', 'Cors', 'Accepts'],
  ],
  UserOnly: [
    ...['OAuthScope', 'BlockedBySso', 'AllowSuspicious', 'RequiresSudo', 'RateLimit', 'Captcha', 'Cors', 'Accepts'],
  ],
  BotOnly: ['AllowSuspicious', 'RateLimit', 'CaseInsensitiveScheme', 'Cors', 'Accepts'],
  BearerOnly: ['OAuthScope', 'AllowSuspicious', 'RateLimit', 'Cors', 'Accepts'],
  AdminAcl: ['RateLimit', 'Accepts'],
  ClientAuth: ['RateLimit', 'Cors', 'Accepts'],
};

/** The policy of a handler, or the faults that make it unusable. */
export function readPolicy(handler: object): RoutePolicy | string[] {
  const marks: Mark[] = Reflect.getMetadata(MARKS, handler) ?? [];
  const bases = marks.filter(({ name }) => BASES.has(name));
  const [base] = bases;
  if (!base) return ['declares no policy'];
  const at = (names: Mark[]) => names.map(({ name }) => `@${name}`).join(', ');
  if (bases.length > 1) return [`has ${bases.length} base policies: ${at(bases)}`];
  const kind = base.name as PolicyKind;
  const modifiers = marks.filter((candidate) => candidate !== base);
  const faults: string[] = [];
  const seen = new Set<string>();
  for (const { name } of modifiers) {
    if (seen.has(name)) faults.push(`repeats @${name}`);
    seen.add(name);
    if (!ALLOWED[kind].includes(name)) faults.push(`@${name} contradicts @${kind}`);
  }
  if (kind === 'AdminAcl' && ((base.acl as AclRequirement | undefined)?.acls.length ?? 0) === 0) {
    faults.push('@AdminAcl names no ACL');
  }
  if (faults.length > 0) return faults;
  const policy: RoutePolicy = {
    blockedBySso: false,
    allowSuspicious: false,
    captcha: false,
    caseInsensitiveScheme: false,
    confidentialClient: false,
    cors: 'default',
    ...Object.assign({}, base, ...modifiers),
    kind,
  };
  return Object.freeze(policy);
}

function describeBucket({ name, ...options }: NonNullable<RoutePolicy['bucket']>): string {
  const members = Object.entries(options).map(([option, value]) => `${option}: '${value}'`);
  return members.length > 0 ? `'${name}', { ${members.join(', ')} }` : `'${name}'`;
}

/** A policy as it reads in the code, for `npm run routes` and the description. */
export function describePolicy(policy: RoutePolicy): string {
  const acl = policy.acl?.acls.map((name) => `'${name}'`).join(', ') ?? '';
  const sudo = Object.entries(policy.sudo ?? {})
    .map(([name, value]) => `${name}: ${typeof value === 'function' ? value.name || 'predicate' : value}`)
    .join(', ');
  const argument = {
    AdminAcl: policy.acl?.mode === 'any' ? `{ anyOf: [${acl}] }` : acl,
    ClientAuth: policy.confidentialClient ? '{ confidential: true }' : '',
  } as Partial<Record<PolicyKind, string>>;
  return [
    `@${policy.kind}(${argument[policy.kind] ?? ''})`,
    policy.scope && `@OAuthScope('${policy.scope}')`,
    policy.blockedBySso && '@BlockedBySso()',
    policy.allowSuspicious && '@AllowSuspicious()',
    policy.sudo && `@RequiresSudo(${sudo && `{ ${sudo} }`})`,
    policy.captcha && '@Captcha()',
    policy.caseInsensitiveScheme && '@CaseInsensitiveScheme()',
    policy.bucket && `@RateLimit(${describeBucket(policy.bucket)})`,
    policy.cors !== 'default' && `@Cors('${policy.cors}')`,
    policy.accepts &&
      `@Accepts('${policy.accepts.kind}'${policy.accepts.limit ? `, { limit: ${policy.accepts.limit} }` : ''})`,
  ]
    .filter(Boolean)
    .join(' ');
}
