import type { ErrorCode } from '../core/errors.js';
import { OPERATIONAL } from '../http/front-door/front-door.js';
import type { FeatureRegistry } from '../policy/feature-registry.js';
import { REFUSABLE_EVENTS } from '../policy/lifecycle.js';
import type { RoutePlan } from '../policy/plan.js';
import type { ApiMetadata, HandlerMetadata, Schema } from './api-metadata.js';

/** Errors that every route can return, before any guard runs or when it fails. */
const COMMON_ERRORS: readonly ErrorCode[] = ['BAD_REQUEST', 'INTERNAL_SERVER_ERROR', 'SERVICE_UNAVAILABLE'];
/** Returned if `ADMIN_ALLOW_NETWORKS` does not include the caller. */
const ADMIN_NETWORK_ERRORS: readonly ErrorCode[] = ['NOT_FOUND'];
const PRE_ROUTING_ERRORS: readonly ErrorCode[] = ['GLOBAL_IP_BANNED', 'GLOBAL_IP_TEMPORARILY_BANNED', 'FORBIDDEN'];
/** Errors of the HTTP parser. They occur before routing, so they apply to every path. */
const PARSER_ERRORS: Readonly<Record<string, readonly ErrorCode[]>> = { 408: ['BAD_REQUEST'], 431: ['BAD_REQUEST'] };
export const isParserStatus = (status: string): boolean => status in PARSER_ERRORS;
/** The only code whose status comes from another server. */
export const PASSTHROUGH_ERROR: ErrorCode = 'UPSTREAM_FETCH_FAILED';

export const ERROR_HEADERS: Readonly<Record<number, readonly string[]>> = {
  429: ['Retry-After', 'X-RateLimit-Scope', 'X-RateLimit-Global'],
  503: ['Retry-After'],
};

/**
 * All codes that a route can return: from before routing, from its guards, from its handler, and from subscribers of
 * lifecycle events.
 */
export function errorCodesOf(
  plan: RoutePlan,
  handler: HandlerMetadata | undefined,
  features: FeatureRegistry,
): string[] {
  // Without metadata, the handler of an extension may cause any event.
  const caused = handler ? handler.events : [...REFUSABLE_EVENTS];
  const ofSubscribers = plan.method === 'GET' && !handler ? [] : features.rejectionsOf(caused);
  const ofBodies = plan.accepts.kind === 'none' ? [] : ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'RATE_LIMITED'];
  const onArrival = OPERATIONAL.has(plan.path) ? [] : PRE_ROUTING_ERRORS;
  const ofAdministration = plan.policy.kind === 'AdminAcl' ? ADMIN_NETWORK_ERRORS : [];
  const before = [...COMMON_ERRORS, ...onArrival, ...ofAdministration];
  return [
    ...new Set([...before, ...plan.possibleErrors, ...ofBodies, ...ofSubscribers, ...(handler?.codes ?? [])]),
  ].sort();
}

/** `RATE_LIMITED` becomes `RateLimitedError`, and `INTERNAL_SERVER_ERROR` stays `InternalServerError`. */
export const errorSchemaName = (code: string): string =>
  `${code
    .split('_')
    .map((word) => word.charAt(0) + word.slice(1).toLowerCase())
    .join('')
    .replace(/Error$/, '')}Error`;

/** The schemas of all error bodies, as components. */
export function errorSchemas({ errors }: FeatureRegistry, { extras, schemas }: ApiMetadata): Record<string, Schema> {
  const extraOf = (code: string): Schema | undefined => {
    const { $ref } = extras[code] ?? {};
    return typeof $ref === 'string' ? schemas[$ref.slice($ref.lastIndexOf('/') + 1)] : extras[code];
  };
  return Object.fromEntries(
    [...errors].map(([code, [status, message]]) => [
      errorSchemaName(code),
      errorSchema(code, status, message, extraOf(code)),
    ]),
  );
}

function errorSchema(code: string, status: number, message: string, extra: Schema | undefined): Schema {
  const members = [extra ?? {}, ...((extra?.anyOf as Schema[] | undefined) ?? [])];
  return {
    description: message,
    type: 'object',
    properties: {
      code: { const: code },
      message: { const: message },
      ...(status >= 500 || code === PASSTHROUGH_ERROR ? { request_id: { type: 'string' } } : {}),
      ...Object.assign({}, ...members.map(({ properties }) => properties)),
    },
    required: [
      ...['code', 'message'],
      ...(status >= 500 && code !== PASSTHROUGH_ERROR ? ['request_id'] : []),
      ...((extra?.required as string[] | undefined) ?? []),
    ],
  };
}

/** The error codes of a route by status. `4XX` and `5XX` stand for the status of another server. */
export function errorsByStatus(codes: readonly string[], { errors }: FeatureRegistry): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const code of codes) {
    const status = errors.get(code)?.[0].toString();
    if (status && code !== PASSTHROUGH_ERROR) found.set(status, [...(found.get(status) ?? []), code]);
  }
  for (const [status, ofParser] of Object.entries(PARSER_ERRORS)) found.set(status, [...ofParser]);
  if (!codes.includes(PASSTHROUGH_ERROR)) return found;
  for (const [status, others] of found) found.set(status, [...others, PASSTHROUGH_ERROR]);
  return found.set('4XX', [PASSTHROUGH_ERROR]).set('5XX', [PASSTHROUGH_ERROR]);
}
