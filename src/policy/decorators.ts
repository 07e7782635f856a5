import 'reflect-metadata';
import { createParamDecorator, type ExecutionContext, type Type } from '@nestjs/common';
import type { CompilerMessage } from '../core/compiler-message.js';
import { StartError } from '../core/config/start-error.js';
import { requireFrontDoor } from '../core/front-door.js';
import type { NameOf } from '../core/names.js';
import { type Call, callOf } from './call.js';
import type { Identity } from './identity.js';
import {
  type AclRequirement,
  type AnyCheck,
  type CheckOptions,
  findModifierFaults,
  MODIFIERS,
  type PolicyKind,
  type RoutePolicy,
  type SudoOptions,
} from './route-policy.js';

/** The part of a policy that one decorator declares. */
interface Mark {
  readonly name: string;
  readonly policy: Partial<RoutePolicy>;
}

type Acl = NameOf<'acls'>;
type Bucket = NameOf<'buckets'>;

const MARKS = Symbol('gatehouse:policy');

const isPolicy = (name: string): name is PolicyKind => Object.hasOwn(MODIFIERS, name);

/** On a class, the decorator is the default of all its handlers. */
type PolicyDecorator = ClassDecorator & MethodDecorator;

function addMark(marked: object, name: string, policy: Partial<RoutePolicy>): void {
  const marks: Mark[] = Reflect.getOwnMetadata(MARKS, marked) ?? [];
  Reflect.defineMetadata(MARKS, [{ name, policy }, ...marks], marked);
}

const mark =
  (name: string, policy: Partial<RoutePolicy> = {}): PolicyDecorator =>
  (target: object, key?: string | symbol, descriptor?: PropertyDescriptor) => {
    addMark(descriptor ? descriptor.value : target, name, policy);
    if (isPolicy(name)) requireFrontDoor(target, key as string, descriptor as PropertyDescriptor);
  };

/** A mark that each handler must declare itself, because it admits more callers. */
const markHandler =
  (name: string, policy: Partial<RoutePolicy> = {}): MethodDecorator =>
  (target, key, descriptor: PropertyDescriptor | undefined) => {
    if (!descriptor)
      throw new StartError(`${(target as Type).name} has @${name}() on the class. Move it to each of its handlers`);
    mark(name, policy)(target, key, descriptor);
  };

/** Anyone. A valid credential counts for rate limits and the captcha waiver, an invalid one is ignored. */
export const Public = () => markHandler('Public');
/** Anyone. `Authorization` is never read, not even for rate limits. */
export const CredentialFree = () => markHandler('CredentialFree');
/** A session or a bot. */
export const Authenticated = () => mark('Authenticated');
/** The session of an ordinary account. */
export const UserOnly = () => mark('UserOnly');
/** A bot token. */
export const BotOnly = () => mark('BotOnly');
/** An OAuth2 access token. */
export const BearerOnly = () => mark('BearerOnly');
/** A session, a bearer of the built-in Admin application or an Admin API key that has the ACLs (admin.md section 2). */
export const AdminAcl = (...acls: [Acl, ...Acl[]] | [{ anyOf: [Acl, ...Acl[]] }]) => {
  const [first] = acls;
  const acl: AclRequirement =
    typeof first === 'object' ? { mode: 'any', acls: first.anyOf } : { mode: 'all', acls: acls as string[] };
  return mark('AdminAcl', { acl });
};
/** The client credentials of an application (oauth.md 5.5); `confidential` rejects public clients. */
export const ClientAuth = (options: { confidential?: boolean } = {}) =>
  markHandler('ClientAuth', { confidentialClient: options.confidential === true });

/** Allows bearers that have exactly this scope. */
export const OAuthScope = (scope: NameOf<'scopes'>) => mark('OAuthScope', { scope });
/** Returns `403 SSO_REQUIRED` while single sign-on is enforced. */
export const BlockedBySso = () => mark('BlockedBySso', { blockedBySso: true });
/** Allows accounts with an outstanding suspicious-activity requirement. */
export const AllowSuspicious = () => markHandler('AllowSuspicious', { allowSuspicious: true });
/**
 * Lets a provider of the extension decide whether the caller may use the route: `@Check(WorkspaceRole, 'editor')`. Its
 * method `check` gets the options. It runs after the input is validated, and before sudo mode is required.
 */
export const Check = <C extends AnyCheck>(type: Type<C>, ...options: CheckOptions<C>) =>
  mark('Check', { checks: [{ type, options }] });
/** Requires sudo mode: a sudo proof or a factor (account.md section 8). */
export const RequiresSudo = (options: SudoOptions = {}) => mark('RequiresSudo', { sudo: options });
/**
 * The route's rate-limit bucket (conventions.md 7.3).
 * @param options `per` adds a path parameter to the key. `misses` names a bucket that the handler charges; callers that
 * have used it up are also rejected. `failures` names the bucket of failed client authentications of an IP address. With
 * it, the bucket of the route is charged after client authentication, for each client.
 */
export const RateLimit = (
  name: Bucket,
  options: { per?: string; misses?: Bucket; ofResourceServer?: Bucket; failures?: Bucket } = {},
) => mark('RateLimit', { bucket: { name, ...options } });
/** An Admin operation that changes nothing, even if its method suggests it. It writes no audit log entry. */
export const ReadOnly = () => markHandler('ReadOnly', { changesNothing: true });
/** Requires a captcha token, if the instance has a captcha provider. */
export const Captcha = () => mark('Captcha', { captcha: true });
/**
 * The path contains a secret. Responses to all paths that begin like it have the header `X-Robots-Tag`, with every method
 * and also if no such route exists (webhooks.md section 9).
 */
export const SecretPath = () => markHandler('SecretPath', { secretPath: true });
/**
 * The handler lets the guards of a service policy check the request (contract/forward-auth.md section 2). The front door
 * accepts any method and ignores the rest of the path. The route itself has no limits.
 */
export const ByServicePolicy = () => markHandler('ByServicePolicy', { byServicePolicy: true });
/** Matches `Bot ` case-insensitively: on the two bot routes, which `test/pipeline/exposure.e2e-spec.ts` lists. */
export const CaseInsensitiveScheme = () => markHandler('CaseInsensitiveScheme', { caseInsensitiveScheme: true });
/**
 * Allows cross-origin requests from any origin, uploads from any origin, or none (conventions.md section 3, media.md
 * 4.2).
 */
export const Cors = (cors: 'any' | 'upload' | 'none') => markHandler('Cors', { cors });
/**
 * The body of the route: `json` (the default, 256 KiB), `form`, or `raw`, which the handler reads itself with its own
 * limit.
 */
export const Accepts = (kind: 'json' | 'form' | 'raw', options: { limit?: number } = {}) =>
  markHandler('Accepts', { accepts: { kind, ...options } });

/** The call of the current handler. */
export const callIn = (context: ExecutionContext): Call => callOf(context.switchToHttp().getRequest());

/** Index of a gateway command in the arguments of its handler, after the connection and the payload. */
const COMMAND_ARGUMENT = 2;

type ParameterOf<M, I extends number> = M extends (...args: infer P) => unknown ? P[I] : unknown;

/**
 * The decorator of a parameter with values of type `V`. The compiler checks the type of the parameter, which can be
 * narrower, because the policy of a route narrows its callers.
 */
type CallParameter<V> = <T extends object, K extends string | symbol | undefined, I extends number>(
  target: T,
  key: K,
  index: I &
    (K extends keyof T
      ? NonNullable<ParameterOf<T[K], I>> extends V
        ? unknown
        : [V] extends [ParameterOf<T[K], I>]
          ? unknown
          : CompilerMessage<'The decorator injects a value of another type than that of the parameter'>
      : unknown),
) => void;

/** A decorator that `createCallDecorator` makes. A pipe can change the type of the value. */
export interface CallDecorator<V> {
  (): CallParameter<V>;
  (...dataOrPipes: unknown[]): ParameterDecorator;
}

type Factory<T> = (data: unknown, context: ExecutionContext) => T;

const readers = new WeakMap<object, { read: (call: Call) => unknown; injected: string | undefined }>();

/**
 * Creates a parameter decorator that reads only the call, so that it also works without the framework.
 * @param injected the name of the type of the value. A parameter with another type stops the start
 */
export function createCallDecorator<T>(
  read: (call: Call) => T,
  { injected, factory = (_, context) => read(callIn(context)) }: { injected?: string; factory?: Factory<T> } = {},
): CallDecorator<T> {
  readers.set(factory, { read, injected });
  return createParamDecorator(factory);
}

/** The function that reads an argument from the call, found by the factory of its decorator. */
export const findCallReader = (factory: object): ((call: Call) => unknown) | undefined => readers.get(factory)?.read;

/** The type of the value that the decorator with this factory injects, if a parameter must have it. */
export const findInjected = (factory: object): string | undefined => readers.get(factory)?.injected;

const readIdentity = ({ identity }: Pick<Call, 'identity'>) => identity;

/** The identity from the guards; `null` only on `@Public()` routes. */
export const CurrentIdentity: CallDecorator<Identity | null> = createCallDecorator(readIdentity, {
  injected: 'Identity',
  factory: (_, context) =>
    readIdentity(context.getType() === 'ws' ? context.getArgByIndex(COMMAND_ARGUMENT) : callIn(context)),
});

/** Reads the whole call, including the raw response. */
export const currentCall = (call: Call): Call => call;

/** The call itself: client IP address, request ID, raw request and response. */
export const CurrentCall = createCallDecorator(currentCall, { injected: 'Call' });

/** A handler can have one mark for each identity. */
const identityOf = ({ name, policy }: Mark): unknown => policy.checks?.[0]?.type ?? name;

/** Marks, of which later ones replace earlier ones with the same identity. A base policy replaces another one. */
function override(defaults: readonly Mark[], own: readonly Mark[]): Mark[] {
  const replaced = new Set(own.map(identityOf));
  const hasBase = own.some(({ name }) => isPolicy(name));
  const kept = defaults.filter((one) => !(isPolicy(one.name) ? hasBase : replaced.has(identityOf(one))));
  return [...kept, ...own];
}

/** The marks of a class and its base classes. */
function marksOfClass(controller: object | null): Mark[] {
  if (controller === null) return [];
  return override(marksOfClass(Object.getPrototypeOf(controller)), Reflect.getOwnMetadata(MARKS, controller) ?? []);
}

function findRepeatedChecks(marks: readonly Mark[]): string[] {
  const types = marks.flatMap(({ policy: { checks = [] } }) => checks.map(({ type }) => type));
  return [...new Set(types.filter((type, index) => types.indexOf(type) !== index))].map(
    ({ name }) => `repeats @Check(${name}). Keep one`,
  );
}

/**
 * Returns the policy of a handler, or the errors that make it invalid. Marks of its class apply unless the handler
 * declares the same one.
 */
export function readPolicy(handler: object, controller: object | null = null): RoutePolicy | string[] {
  const marks = override(marksOfClass(controller), Reflect.getMetadata(MARKS, handler) ?? []);
  const bases = marks.filter(({ name }) => isPolicy(name));
  const [base] = bases;
  if (!base) return ['declares no policy. Add one to the method, such as @UserOnly()'];
  if (bases.length > 1) {
    return [`has ${bases.length} base policies: ${bases.map(({ name }) => `@${name}`).join(', ')}. Keep one`];
  }
  const kind = base.name as PolicyKind;
  const names = marks.filter((candidate) => candidate !== base).map(({ name }) => name);
  const checks = marks.flatMap(({ policy }) => policy.checks ?? []);
  const modifiers = [...names.filter((name) => name !== 'Check'), ...(checks.length > 0 ? ['Check'] : [])];
  const faults = [...findModifierFaults(kind, modifiers), ...findRepeatedChecks(marks)];
  if (base.policy.acl?.acls.length === 0)
    faults.push("declares @AdminAcl without an ACL. Name at least one, such as @AdminAcl('user:lookup')");
  if (faults.length > 0) return faults;
  return Object.freeze({
    blockedBySso: false,
    allowSuspicious: false,
    captcha: false,
    caseInsensitiveScheme: false,
    confidentialClient: false,
    cors: 'default',
    ...Object.assign({}, ...marks.map(({ policy }) => policy)),
    ...(checks.length > 0 && { checks }),
    kind,
  } satisfies RoutePolicy);
}
