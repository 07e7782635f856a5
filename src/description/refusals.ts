import { type ErrorCode, errorTable } from '../core/errors.js';
import { OPERATIONAL } from '../http/front-door.js';
import type { RoutePlan } from '../policy/plan.js';
import type { Described, DescribedHandler, Schema } from './described.js';

/** What any route may answer before a guard has spoken, and when it fails. */
const ALWAYS: readonly ErrorCode[] = ['BAD_REQUEST', 'INTERNAL_SERVER_ERROR', 'SERVICE_UNAVAILABLE'];
/** Where `ADMIN_ALLOW_NETWORKS` does not list the caller. */
const OF_ADMINISTRATION: readonly ErrorCode[] = ['NOT_FOUND'];
const ON_ARRIVAL: readonly ErrorCode[] = ['GLOBAL_IP_BANNED', 'GLOBAL_IP_TEMPORARILY_BANNED', 'FORBIDDEN'];
/** What the parser of HTTP does not take or wait for has no route yet, whatever its path. */
const OF_PARSER: Readonly<Record<string, readonly ErrorCode[]>> = { 408: ['BAD_REQUEST'], 431: ['BAD_REQUEST'] };
export const isOfParser = (status: string): boolean => status in OF_PARSER;
/** The one that has the status of somebody else. */
export const KEPT_STATUS: ErrorCode = 'UPSTREAM_FETCH_FAILED';

export const REFUSAL_HEADERS: Readonly<Record<number, readonly string[]>> = {
  429: ['Retry-After', 'X-RateLimit-Scope', 'X-RateLimit-Global'],
  503: ['Retry-After'],
};

/** Every code that a route can answer: of what stands before it, of its guards, of its handler. */
export function codesOf(plan: RoutePlan, handler: DescribedHandler | undefined): string[] {
  const ofBodies = plan.accepts.kind === 'none' ? [] : ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'RATE_LIMITED'];
  const onArrival = OPERATIONAL.has(plan.path) ? [] : ON_ARRIVAL;
  const ofAdministration = plan.policy.kind === 'AdminAcl' ? OF_ADMINISTRATION : [];
  const before = [...ALWAYS, ...onArrival, ...ofAdministration];
  return [...new Set([...before, ...plan.refusals, ...ofBodies, ...(handler?.codes ?? [])])].sort();
}

/** `RATE_LIMITED` is a `RateLimitedRefusal`. */
export const refusalName = (code: string): string =>
  `${code
    .split('_')
    .map((word) => word.charAt(0) + word.slice(1).toLowerCase())
    .join('')}Refusal`;

/** The bodies of all codes, as components. */
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

/** The refusals of a route by status; `4XX` and `5XX` where the status is that of somebody else. */
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
