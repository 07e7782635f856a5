import type { ErrorCode } from '../core/errors.js';
import type { ApiResponse, QueryParameter, RequestBody } from './answers.js';
import type { RoutePolicy } from './route-policy.js';

/** A class whose members have rules. */
export type Shape = new () => object;

/** The input classes that are validated for a route. */
export interface InputPlan {
  readonly params?: Shape;
  readonly query?: Shape;
  readonly body?: Shape;
  readonly sudo?: Shape;
}

/** A route as the guards see it. The route audit compiles it once during startup and freezes it. */
export interface RoutePlan {
  readonly controller: string;
  readonly handler: string;
  readonly method: string;
  /** The route template, with `:name` and `*name` for parameters. */
  readonly path: string;
  readonly policy: RoutePolicy;
  readonly accepts: { readonly kind: 'json' | 'form' | 'raw' | 'none'; readonly limit: number };
  readonly input: InputPlan | undefined;
  readonly bucketId: string | undefined;
  /** Status of a successful response, unless the response sets another one. */
  readonly status: number;
  /** Responses of the route other than the JSON that its handler returns. */
  readonly responses: readonly ApiResponse[];
  /** Bodies that the handler reads itself. */
  readonly bodies: readonly RequestBody[];
  /** Query parameters that the handler reads itself. */
  readonly query: readonly QueryParameter[];
  /** The error codes that guards can return for the route. */
  readonly possibleErrors: readonly ErrorCode[];
}

/** Whether browsers open the route. Browsers then also get its 404 as a page. */
export const servesPages = ({ responses }: RoutePlan): boolean =>
  responses.some(({ type }) => [type].flat().includes('text/html'));
