import { type ErrorCode, errorTable } from '../core/errors.js';
import { OPERATIONAL } from '../http/front-door.js';
import type { RoutePlan } from '../policy/plan.js';
import type { Described, DescribedHandler, Schema } from './described.js';

/** Errors that every route can return, before any guard runs or when it fails. */
const ALWAYS: readonly ErrorCode[] = ['BAD_REQUEST', 'INTERNAL_SERVER_ERROR', 'SERVICE_UNAVAILABLE'];
/** Returned if `ADMIN_ALLOW_NETWORKS` does not include the caller. */
const OF_ADMINISTRATION: readonly ErrorCode[] = ['NOT_FOUND'];
const ON_ARRIVAL: readonly ErrorCode[] = ['GLOBAL_IP_BANNED', 'GLOBAL_IP_TEMPORARILY_BANNED', 'FORBIDDEN'];
/** Errors of the HTTP parser. They occur before routing, so they apply to every path. */
const OF_PARSER: Readonly<Record<string, readonly ErrorCode[]>> = { 408: ['BAD_REQUEST'], 431: ['BAD_REQUEST'] };
export const isOfParser = (status: string): boolean => status in OF_PARSER;
/** The only code whose status comes from another server. */
export const KEPT_STATUS: ErrorCode = 'UPSTREAM_FETCH_FAILED';

export const REFUSAL_HEADERS: Readonly<Record<number, readonly string[]>> = {
  429: ['Retry-After', 'X-RateLimit-Scope', 'X-RateLimit-Global'],
  503: ['Retry-After'],
};

/** All codes that a route can return: from before routing, from its guards and from its handler. */
export function codesOf(plan: RoutePlan, handler: DescribedHandler | undefined): string[] {
  const ofBodies = plan.accepts.kind === 'none' ? [] : ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'RATE_LIMITED'];
  const onArrival = OPERATIONAL.has(plan.path) ? [] : ON_ARRIVAL;
  const ofAdministration = plan.policy.kind === 'AdminAcl' ? OF_ADMINISTRATION : [];
  const before = [...ALWAYS, ...onArrival, ...ofAdministration];
  return [...new Set([...before, ...plan.refusals, ...ofBodies, ...(handler?.codes ?? [])])].sort();
}

/** `RATE_LIMITED` becomes `RateLimitedRefusal`. */
export const refusalName = (code: string): string =>
  `${code
    .split('_')
    .map((word) => word.charAt(0) + word.slice(1).toLowerCase())
    .join('')}Refusal`;

/** The schemas of all error bodies, as components. */
export function refusalSchemas({ extras, schemas }: Described): Record<string, Schema> {
  const extraOf = (code: string): Schema | undefined => {
    const { $ref } = extras[code] ?? {};
    return typeof $ref === 'string' ? schemas[$ref.slice($ref.lastIndexOf('/') + 1)] : extras[code];
  };
  return Object.fromEntries(
    errorTable().map(([code, status, message]) => [
      refusalName(code),
      refusalSchema(code, status, message, extraOf(code)),
    ]),
  );
}

function refusalSchema(code: string, status: number, message: string, extra: Schema | undefined): Schema {
  const members = [extra ?? {}, ...((extra?.anyOf as Schema[] | undefined) ?? [])];
  return {
    description: message,
    type: 'object',
    properties: {
      code: { const: code },
      message: { const: message },
      ...(status >= 500 || code === KEPT_STATUS ? { request_id: { type: 'string' } } : {}),
      ...Object.assign({}, ...members.map(({ properties }) => properties)),
    },
    required: [
      ...['code', 'message'],
      ...(status >= 500 && code !== KEPT_STATUS ? ['request_id'] : []),
      ...((extra?.required as string[] | undefined) ?? []),
    ],
  };
}

/** The error codes of a route by status. `4XX` and `5XX` stand for the status of another server. */
export function refusalsByStatus(codes: readonly string[]): Map<string, string[]> {
  const statuses = new Map(errorTable().map(([code, status]) => [code, String(status)]));
  const found = new Map<string, string[]>();
  for (const code of codes) {
    const status = statuses.get(code);
    if (status && code !== KEPT_STATUS) found.set(status, [...(found.get(status) ?? []), code]);
  }
  for (const [status, ofParser] of Object.entries(OF_PARSER)) found.set(status, [...ofParser]);
  if (!codes.includes(KEPT_STATUS)) return found;
  for (const [status, others] of found) found.set(status, [...others, KEPT_STATUS]);
  return found.set('4XX', [KEPT_STATUS]).set('5XX', [KEPT_STATUS]);
}
