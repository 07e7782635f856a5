import { AuthError } from '../auth-error.js';
import { Auth, type AuthOptions } from './auth.js';
import { addressOf, fetchCredentialsOf } from './headers.js';

export { AuthError };

/** The context of Hono. `env.incoming` is the request of Node, if the server is `@hono/node-server`. */
export interface HonoContext {
  readonly req: { readonly raw: Request };
  readonly env: unknown;
}
/** Options of `gatehouse` for Hono. */
export type HonoOptions = AuthOptions<HonoContext>;

interface NodeBindings {
  readonly incoming?: { readonly socket: { readonly remoteAddress?: string | undefined } };
}

/** Protects routes of Hono on Node.js. Errors of `auth.require` need no handler. */
export class HonoAuth extends Auth<HonoContext> {
  constructor(options: HonoOptions) {
    super(
      options,
      ({ req }) => fetchCredentialsOf(req.raw),
      ({ env }) => addressOf((env as NodeBindings | undefined)?.incoming?.socket ?? {}),
    );
  }

  /** Calls the next handler for admitted requests. For others, it returns the response of the guard. */
  middleware(policy: string) {
    return async (context: HonoContext, next: () => Promise<void>): Promise<Response | undefined> => {
      try {
        await this.require(context, policy);
      } catch (error) {
        if (error instanceof AuthError) return error.getResponse();
        throw error;
      }
      await next();
      return undefined;
    };
  }
}

/** @throws TypeError if an option is missing or invalid */
/** Connects a service on Hono with Gatehouse. */
export const gatehouse = (options: HonoOptions): HonoAuth => new HonoAuth(options);
