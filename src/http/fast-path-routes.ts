import type { Call } from '../policy/call.js';

/** A route whose handler the front door can call without the framework. */
export interface FastPathRoute {
  /**
   * Runs the guards and the handler, and returns the handler's result. Status and headers of a success are set by then.
   * @throws ApiError, and whatever the handler throws
   */
  run(call: Call): Promise<unknown>;
  /** Lets the framework send a handler result that is not plain JSON. */
  respond(value: unknown, request: unknown, response: unknown): Promise<unknown>;
}

/** Finds routes that qualify for the fast path, which skips the framework. */
export abstract class FastPathRoutes {
  /** By method and path. HEAD finds the route of GET. */
  abstract find(method: string, path: string): FastPathRoute | undefined;
}

/** Whether a value is plain JSON. The framework sends files, streams, texts and errors. */
export function isPlainJson(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === Array.prototype || prototype === null;
}
