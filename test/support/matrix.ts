import { readRoutes } from '../../src/app.js';
import { Config } from '../../src/core/config/config.js';
import { featureRegistry } from '../../src/features.js';
import { Commands, commandName } from '../../src/gateway/commands/commands.service.js';
import { CheckGuard } from '../../src/pipeline/check-guard.js';
import { ServicePolicies } from '../../src/pipeline/service-policies.service.js';
import type { RoutePlan } from '../../src/policy/plan.js';
import type { PolicyKind } from '../../src/policy/route-policy.js';
import { describePolicy } from '../../src/policy/route-policy.js';
import { Routes } from '../../src/policy/routes.js';
import { type CredentialSet, type CredentialSetOptions, createCredentialSet } from './all-credentials.js';
import type { TestResponse } from './exchange.js';
import type { Gatehouse } from './gatehouse.js';
import { createPersonalToken, type PersonalTokenOptions } from './personal-token.js';

const SCOPES = [...featureRegistry().scopes.keys()];

/** Error codes that only the checks of a policy return. An admitted caller must not receive any of them. */
const OF_POLICY = [
  ...['UNAUTHORIZED', 'INVALID_TOKEN', 'ACCESS_DENIED', 'MISSING_OAUTH_SCOPE', 'MISSING_PERMISSIONS', 'MISSING_ACL'],
  ...['ACCOUNT_SUSPICIOUS_ACTIVITY', 'SSO_REQUIRED', 'INTERNAL_SERVER_ERROR', 'SERVICE_UNAVAILABLE'],
];
const IN = 'admitted';
const [U, A, C] = ['UNAUTHORIZED', 'ACCESS_DENIED', 'INVALID_CLIENT'];

interface Caller {
  readonly present: (credentials: CredentialSet, service: Gatehouse) => string | undefined | Promise<string>;
  readonly options?: CredentialSetOptions;
}

/** A personal access token of the account, which is created when it is presented. */
const personal =
  (options: PersonalTokenOptions): Caller['present'] =>
  ({ accountId }, service) =>
    createPersonalToken(service, accountId, options);

const CALLERS = {
  nobody: { present: () => undefined },
  malformed: { present: ({ bot }) => bot.replace(' ', '  ') },
  'unknown session': { present: ({ session }) => session.replace(/.{8}$/, 'AAAAAAAA') },
  'unknown bearer': { present: ({ bearer }) => bearer.replace(/.{8}$/, 'AAAAAAAA') },
  session: { present: ({ session }) => session },
  'session after Bearer': { present: ({ session }) => `Bearer ${session}` },
  bot: { present: ({ bot }) => bot },
  'bearer with every scope': { present: ({ bearer }) => bearer, options: { scopes: SCOPES } },
  'bearer without scope': { present: ({ bearer }) => bearer },
  'Admin bearer': { present: ({ adminBearer }) => adminBearer, options: { acls: ['*'] } },
  'Admin key': { present: ({ adminKey }) => adminKey, options: { acls: ['*'] } },
  administrator: { present: ({ session }) => session, options: { acls: ['*'] } },
  'suspicious session': { present: ({ session }) => session, options: { suspicious: 1 } },
  'suspicious bot': { present: ({ bot }) => bot, options: { suspicious: 1 } },
  'suspicious bearer': { present: ({ bearer }) => bearer, options: { suspicious: 1, scopes: SCOPES } },
  'personal token with every scope': { present: personal({ scopes: SCOPES }) },
  'personal token without scope': { present: personal({}) },
  'personal token for this network': { present: personal({ scopes: SCOPES, networks: ['127.0.0.0/8', '::1/128'] }) },
  'personal token of an administrator': { present: personal({ scopes: SCOPES }), options: { acls: ['*'] } },
  'suspicious personal token': { present: personal({ scopes: SCOPES }), options: { suspicious: 1 } },
  'expired personal token': { present: personal({ scopes: SCOPES, isExpired: true }) },
  'revoked personal token': { present: personal({ scopes: SCOPES, isRevoked: true }) },
  'personal token for another network': { present: personal({ scopes: SCOPES, networks: ['198.51.100.0/24'] }) },
  'suspicious administrator': { present: ({ session }) => session, options: { suspicious: 1, acls: ['*'] } },
} satisfies Record<string, Caller>;
type CallerName = keyof typeof CALLERS;
const callers = Object.entries(CALLERS) as [CallerName, Caller][];

/** Outcomes by policy and kind of credential, as specified in source.md section 5 and credentials.md section 3. */
const OUTCOMES: Record<Exclude<PolicyKind, 'Public' | 'CredentialFree' | 'ClientAuth'>, Record<string, string>> = {
  Authenticated: { none: U, session: IN, bot: IN, bearer: A, adminBearer: A, adminKey: U },
  UserOnly: { none: U, session: IN, bot: A, bearer: A, adminBearer: A, adminKey: U },
  BotOnly: { none: U, session: A, bot: IN, bearer: A, adminBearer: A, adminKey: U },
  BearerOnly: { none: U, session: U, bot: U, bearer: IN, adminBearer: IN, adminKey: U },
  AdminAcl: { none: U, session: IN, bot: U, bearer: A, adminBearer: IN, adminKey: IN },
};

function columnOf(caller: CallerName): string {
  if (/^(nobody|malformed|unknown|expired|revoked)|another network$/.test(caller)) return 'none';
  if (caller.startsWith('Admin ')) return caller === 'Admin key' ? 'adminKey' : 'adminBearer';
  return /bot$/.test(caller) ? 'bot' : /bearer|personal token/.test(caller) ? 'bearer' : 'session';
}

function expected({ policy, path, method }: RoutePlan, caller: CallerName): string {
  const { kind, scope, allowSuspicious } = policy;
  if (kind === 'Public' || kind === 'CredentialFree') return IN;
  if (kind === 'ClientAuth') return C;
  const column = columnOf(caller);
  if (`${method} ${path}` === 'GET /v1/applications/@me' && !/bot$|malformed/.test(caller)) return 'INVALID_TOKEN';
  const isBearer = column === 'bearer' || column === 'adminBearer';
  const isOptedIn = isBearer && scope !== undefined && kind !== 'AdminAcl';
  let outcome = isOptedIn ? IN : OUTCOMES[kind][column];
  const granted = caller.endsWith('without scope') ? [] : column === 'adminBearer' ? ['identify', 'email'] : SCOPES;
  if (isOptedIn && !granted.includes(scope)) outcome = 'MISSING_OAUTH_SCOPE';
  if (outcome !== IN) return outcome as string;
  const isGated = kind !== 'AdminAcl' && !allowSuspicious;
  if (caller.startsWith('suspicious') && isGated) return 'ACCOUNT_SUSPICIOUS_ACTIVITY';
  const isPowerless = (CALLERS[caller] as Caller).options?.acls === undefined;
  return kind === 'AdminAcl' && isPowerless ? 'MISSING_PERMISSIONS' : IN;
}

const nameOf = ({ method, path }: RoutePlan): string => `${method} ${path}`;

/** Calls a route with plausible path parameters and without meaningful input. */
function call(
  service: Gatehouse,
  { method, path, accepts }: RoutePlan,
  value: string | undefined,
): Promise<TestResponse> {
  const target = path.replace(/:\w+/g, '1').replace(/\*\w+/g, 'a/b');
  const client = value === undefined ? service.anonymous : service.as(value);
  const form = accepts.kind === 'form' ? new URLSearchParams({ token: '1' }) : undefined;
  return client.send(method, target, form);
}

/** The access matrix of some routes, tested on a running service. */
export class Matrix {
  /**
   * @param ofHandlers errors in which a handler itself uses a code of the policy checks, each as
   * `PATCH /v1/notes/:id by bot: ACCESS_DENIED`; kinds are session, bot, bearer, adminBearer and adminKey. If a check
   * admits a new account, with the status: `GET /v1/notes by bot: 200`
   */
  constructor(
    private readonly service: Gatehouse,
    private readonly routes: readonly RoutePlan[],
    private readonly ofHandlers: readonly string[] = [],
  ) {}

  /** Calls every route with every kind of credential. Returns the outcomes that differ from the policy. */
  async ofCallers(): Promise<string[]> {
    const shared = new Map<CallerName, CredentialSet>();
    for (const [caller, { options }] of callers) shared.set(caller, await createCredentialSet(this.service, options));
    const surprises: string[] = [];
    for (const route of this.routes) {
      for (const [caller, { present, options }] of callers) {
        const wanted = expected(route, caller);
        // An admitted caller may revoke its own credential, so each admitted call gets its own credentials.
        const own =
          wanted === IN ? await createCredentialSet(this.service, options) : (shared.get(caller) as CredentialSet);
        surprises.push(
          ...(await this.surprise(route, caller, columnOf(caller), await present(own, this.service), wanted)),
        );
      }
    }
    return surprises;
  }

  /** Calls routes that ignore credentials. Returns those whose response differs if a credential is sent. */
  async ofCredentialFree(): Promise<string[]> {
    const surprises: string[] = [];
    const worn = await createCredentialSet(this.service, { acls: ['*'], scopes: SCOPES });
    for (const route of this.routes.filter(({ policy }) => policy.kind === 'CredentialFree')) {
      const { status, body } = await call(this.service, route, undefined);
      for (const [caller, { present }] of callers) {
        if (route.policy.caseInsensitiveScheme && caller.endsWith('bot')) continue;
        const response = await call(this.service, route, await present(worn, this.service));
        if (response.status === status && response.body?.code === body?.code) continue;
        surprises.push(`${nameOf(route)} with ${caller}: ${response.status}, and without ${status}`);
      }
    }
    return surprises;
  }

  /**
   * Calls routes with the ACLs of accounts, and of keys and their owners. Returns the outcomes that differ from the
   * policy.
   */
  async ofAcls(): Promise<string[]> {
    const surprises: string[] = [];
    for (const route of this.routes.filter(({ policy }) => policy.kind === 'AdminAcl')) {
      for (const [title, options, credential, wanted] of holders(route)) {
        const value = (await createCredentialSet(this.service, options))[credential];
        surprises.push(...(await this.surprise(route, title, credential, value, wanted)));
      }
    }
    return surprises;
  }

  private async surprise(
    route: RoutePlan,
    who: string,
    kind: string,
    value: string | undefined,
    wanted: string,
  ): Promise<string[]> {
    const { status, body } = await call(this.service, route, value);
    const code: string = body?.code ?? '';
    const ofChecks = this.service.app.get(CheckGuard, { strict: false }).possibleErrors(route.policy);
    const isListed = this.ofHandlers.includes(`${nameOf(route)} by ${kind}: ${code || status}`);
    const isIn = status < 500 && (isListed || isAdmitted(route, code, ofChecks));
    const isRight = wanted === IN ? isIn : code === wanted;
    const due = wanted === IN && ofChecks.length > 0 ? `an error of its checks: ${ofChecks.join(', ')}` : wanted;
    return isRight ? [] : [`${nameOf(route)} with ${who}: ${status} ${code}, not ${due}`];
  }
}

const OF_INPUT = ['INVALID_FORM_BODY', 'UNSUPPORTED_MEDIA_TYPE'];

/** Whether the code is that of an admitted caller. A check must reject a new account, unless its input is rejected first. */
const isAdmitted = ({ policy }: RoutePlan, code: string, ofChecks: readonly string[]): boolean =>
  policy.checks ? [...ofChecks, ...OF_INPUT].includes(code) : !OF_POLICY.includes(code);

type Holder = [
  title: string,
  options: CredentialSetOptions,
  credential: 'session' | 'adminKey' | 'adminBearer',
  wanted: string,
];

function holders({ policy }: RoutePlan): Holder[] {
  const { mode, acls } = policy.acl ?? { mode: 'all', acls: [] };
  const gate = 'admin:authenticate';
  const exact = [gate, ...(mode === 'any' ? acls.slice(-1) : acls)];
  const lacking = acls.every((acl) => acl === gate) ? IN : 'MISSING_ACL';
  // The wildcard also includes the gate.
  const gateless = acls.includes('*') ? IN : 'MISSING_PERMISSIONS';
  const ofKey = acls.filter((acl) => exact.includes(acl));
  return [
    ['the ACLs without the gate', { acls: acls.filter((acl) => acl !== gate) }, 'session', gateless],
    ['the gate alone', { acls: [gate] }, 'session', lacking],
    ['the gate alone, bearer', { acls: [gate] }, 'adminBearer', lacking],
    ['exactly the ACLs', { acls: exact }, 'session', IN],
    ['exactly the ACLs, bearer', { acls: exact }, 'adminBearer', IN],
    ['the wildcard', { acls: ['*'] }, 'session', IN],
    ['a key that has them all, its owner nothing', { acls: [], keyAcls: ['*'] }, 'adminKey', 'MISSING_PERMISSIONS'],
    ['a key that has them all, its owner the gate', { acls: [gate], keyAcls: ['*'] }, 'adminKey', lacking],
    ['a key that has nothing, its owner all', { acls: ['*'], keyAcls: [] }, 'adminKey', 'MISSING_ACL'],
    ['exactly the ACLs on both', { acls: exact, keyAcls: ofKey }, 'adminKey', IN],
    ['a look-alike of the wildcard', { acls: [gate, 'user:*', '**'] }, 'session', lacking],
  ];
}

/** The routes that an extension adds to the built-in routes, and all service policies. */
async function ownRoutes({ app }: Gatehouse): Promise<RoutePlan[]> {
  // The built-in routes of the same configuration, read without a database.
  const config: Config = Object.create(app.get(Config), { databaseUrl: { value: undefined } });
  const { routes } = await readRoutes(config);
  const ours = new Set(routes.all.map(({ controller }) => controller));
  const own = [
    ...app.get(Routes).all.filter(({ controller }) => !ours.has(controller)),
    ...app.get(ServicePolicies).all.map(({ plan }) => plan),
  ];
  if (own.length === 0) throw new Error('The extension adds no route. Pass its features or modules to gatehouse()');
  return own;
}

/**
 * Calls every route of an extension with every kind of credential: valid, invalid, without a scope, without an ACL, and
 * of a suspicious account. Asserts that each caller is admitted or rejected as the policy of the route specifies. The
 * service needs `RATE_LIMITS` off, which is the default of the test kit.
 * @param ofHandlers see `Matrix`
 */
export async function expectMatrix(service: Gatehouse, ofHandlers: readonly string[] = []): Promise<void> {
  const matrix = new Matrix(service, await ownRoutes(service), ofHandlers);
  const surprises = [...(await matrix.ofCallers()), ...(await matrix.ofCredentialFree()), ...(await matrix.ofAcls())];
  if (surprises.length > 0)
    throw new Error(`Callers are not treated as the policies specify:\n${surprises.join('\n')}`);
}

const letsMoreIn = ({ kind, allowSuspicious, cors, sudo, caseInsensitiveScheme }: RoutePlan['policy']): boolean =>
  ['Public', 'CredentialFree', 'ClientAuth'].includes(kind) ||
  (cors !== 'default' && cors !== 'none') ||
  (sudo?.issuesProof === false && !sudo.byProof) ||
  caseInsensitiveScheme ||
  allowSuspicious;

/**
 * Asserts which routes and gateway commands of an extension admit more callers than a policy does by default. Such
 * callers have no credential, are suspicious, or come from any origin. Each line has the format of `gatehouse routes`.
 * An added or removed line is a change that needs a review.
 */
export async function expectExposure(service: Gatehouse, ...expected: string[]): Promise<void> {
  const routes = await ownRoutes(service);
  const commands = service.app.get(Commands).all.filter(({ isOurs }) => !isOurs);
  const found = [
    ...routes.map((route) => ({ name: nameOf(route), policy: route.policy })),
    ...commands.map((plan) => ({ name: `WS ${commandName(plan)}`, policy: plan.policy })),
  ].filter(({ policy }) => letsMoreIn(policy));
  const lines = found.map(({ name, policy }) => `${name} ${describePolicy(policy)}`);
  const strays = [
    ...lines.filter((line) => !expected.includes(line)).map((line) => `+ ${line}`),
    ...expected.filter((line) => !lines.includes(line)).map((line) => `- ${line}`),
  ];
  if (strays.length > 0)
    throw new Error(
      `The list of expectExposure differs from the policies. Correct the policy, or add (+) or remove (-) the line:\n${strays.join('\n')}`,
    );
}
