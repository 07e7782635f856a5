import 'reflect-metadata';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type Call, callOf } from './call.js';
import { type AclRequirement, MODIFIERS, type PolicyKind, type RoutePolicy, type SudoOptions } from './route-policy.js';

/** What one decorator says of a route. */
interface Mark {
  readonly name: string;
  readonly says: Partial<RoutePolicy>;
}

const MARKS = Symbol('gatehouse:policy');

const isPolicy = (name: string): name is PolicyKind => Object.hasOwn(MODIFIERS, name);

const mark =
  (name: string, says: Partial<RoutePolicy> = {}): MethodDecorator =>
  (_target, _key, descriptor) => {
    const handler = descriptor.value as object;
    const marks: Mark[] = Reflect.getOwnMetadata(MARKS, handler) ?? [];
    Reflect.defineMetadata(MARKS, [{ name, says }, ...marks], handler);
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
/** An Admin operation that changes nothing, though its method may: it leaves no entry in the audit log. */
export const ChangesNothing = () => mark('ChangesNothing', { changesNothing: true });
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

/** The call that a handler serves. */
export const callIn = (context: ExecutionContext): Call => callOf(context.switchToHttp().getRequest());

/** Where a gateway command stands among what its handler is called with: behind the connection and the payload. */
const COMMAND_ARGUMENT = 2;

type Factory<T> = (data: unknown, context: ExecutionContext) => T;

const readers = new WeakMap<object, (call: Call) => unknown>();

/** The decorator of an argument that the call alone tells: without a framework, too. */
export function fromCall<T>(read: (call: Call) => T, factory: Factory<T> = (_, context) => read(callIn(context))) {
  readers.set(factory, read);
  return createParamDecorator(factory);
}

/** How an argument is read from the call, by the factory of its decorator. */
export const readerOf = (factory: object): ((call: Call) => unknown) | undefined => readers.get(factory);

const identityOf = ({ identity }: Pick<Call, 'identity'>) => identity;

/** The identity that the guards resolved; `null` only on `@Public()` routes. */
export const Me = fromCall(identityOf, (_, context) =>
  identityOf(context.getType() === 'ws' ? context.getArgByIndex(COMMAND_ARGUMENT) : callIn(context)),
);

/** Reads the whole call, with the raw response in it. */
export const theCall = (call: Call): Call => call;

/** The call itself: client address, request id, raw request and response. */
export const TheCall = fromCall(theCall);

/** The policy of a handler, or the faults that make it unusable. */
export function readPolicy(handler: object): RoutePolicy | string[] {
  const marks: Mark[] = Reflect.getMetadata(MARKS, handler) ?? [];
  const bases = marks.filter(({ name }) => isPolicy(name));
  const [base] = bases;
  if (!base) return ['declares no policy'];
  if (bases.length > 1) {
    return [`has ${bases.length} base policies: ${bases.map(({ name }) => `@${name}`).join(', ')}`];
  }
  const kind = base.name as PolicyKind;
  const modifiers = marks.filter((candidate) => candidate !== base);
  const faults: string[] = [];
  const seen = new Set<string>();
  for (const { name } of modifiers) {
    if (seen.has(name)) faults.push(`repeats @${name}`);
    seen.add(name);
    if (!MODIFIERS[kind].includes(name)) faults.push(`@${name} contradicts @${kind}`);
  }
  if (base.says.acl?.acls.length === 0) faults.push('@AdminAcl names no ACL');
  if (faults.length > 0) return faults;
  return Object.freeze({
    blockedBySso: false,
    allowSuspicious: false,
    captcha: false,
    caseInsensitiveScheme: false,
    confidentialClient: false,
    cors: 'default',
    ...Object.assign({}, ...marks.map(({ says }) => says)),
    kind,
  } satisfies RoutePolicy);
}
