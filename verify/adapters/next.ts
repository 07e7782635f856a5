import { AuthError } from '../auth-error.js';
import { Auth, type AuthOptions } from './auth.js';
import { fetchCredentialsOf } from './headers.js';

export { AuthError };
/** Options of `gatehouse` for Next.js. */
export type NextOptions = AuthOptions<Request>;

/** A route handler of Next.js. */
type Handler<R extends Request, C> = (request: R, context: C) => Response | Promise<Response>;

/** Protects route handlers of Next.js in the Node.js runtime. Next.js does not provide the address of the connection. */
export class NextAuth extends Auth<Request> {
  constructor(options: NextOptions) {
    super(options, fetchCredentialsOf, () => undefined);
  }

  /**
   * Wraps a route handler: `export const GET = auth.middleware('documents-read')(handler)`. For requests that are not
   * admitted, it returns the response of the guard. This includes errors of `auth.require` in the handler.
   */
  middleware(policy: string) {
    return <R extends Request, C>(handler: Handler<R, C>): ((request: R, context: C) => Promise<Response>) =>
      this.respond(async (request: R, context: C) => {
        await this.require(request, policy);
        return handler(request, context);
      });
  }

  /** Wraps a route handler that calls `auth.require` itself: its errors become the response of the guard. */
  respond<R extends Request, C>(handler: Handler<R, C>): (request: R, context: C) => Promise<Response> {
    return async (request, context) => {
      try {
        return await handler(request, context);
      } catch (error) {
        if (error instanceof AuthError) return error.getResponse();
        throw error;
      }
    };
  }
}

/** @throws TypeError if an option is missing or invalid */
/** Connects a service on Next.js with Gatehouse. */
export const gatehouse = (options: NextOptions): NextAuth => new NextAuth(options);
