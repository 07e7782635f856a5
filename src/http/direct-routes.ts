import type { Call } from '../policy/call.js';

/** A route whose handler can be called with nothing of the framework between the door and it. */
export interface DirectRoute {
  /**
   * Runs the guards, then the handler, and answers what it returns. Status and headers of a success are set by then.
   * @throws Refusal, and whatever the handler throws
   */
  run(call: Call): Promise<unknown>;
  /** Has the framework answer with what a handler returned that is more than JSON, by its own request and response. */
  respond(value: unknown, request: unknown, response: unknown): Promise<unknown>;
}

/** The routes of which that is known. */
export abstract class DirectRoutes {
  /** By method and path; whoever asks for the head alone is answered by what answers GET. */
  abstract find(method: string, path: string): DirectRoute | undefined;
}

/** Whether a value is JSON and nothing else: files, streams, texts and errors are the framework's to answer. */
export function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === Array.prototype || prototype === null;
}
