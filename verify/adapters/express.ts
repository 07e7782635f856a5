import type { IncomingMessage, ServerResponse } from 'node:http';
import { AuthError } from '../auth-error.js';
import { Auth, type AuthOptions } from './auth.js';
import { addressOf, credentialsOf } from './headers.js';

export { AuthError };

/** A request of Express. `ip` follows the setting `trust proxy`. */
export type ExpressRequest = IncomingMessage & { readonly ip?: string | undefined };
/** Options of `gatehouse` for Express. */
export type ExpressOptions = AuthOptions<ExpressRequest>;

type Next = (error?: unknown) => void;

/** Protects routes of Express 4 and 5. */
export class ExpressAuth extends Auth<ExpressRequest> {
  constructor(options: ExpressOptions) {
    super(options, credentialsOf, ({ ip }) => addressOf({ remoteAddress: ip }));
  }

  /** Calls the next handler for admitted requests. For others, it sends the response of the guard. */
  middleware(policy: string) {
    return (request: ExpressRequest, response: ServerResponse, next: Next): void => {
      this.check(request, policy, next, (error) => this.errorHandler(error, request, response, next));
    };
  }

  /** For `app.use`, after the routes: sends errors of `auth.require` as the response of the guard. */
  readonly errorHandler = (error: unknown, _request: ExpressRequest, response: ServerResponse, next: Next): void => {
    if (error instanceof AuthError) error.send(response);
    else next(error);
  };
}

/** @throws TypeError if an option is missing or invalid */
/** Connects a service on Express with Gatehouse. */
export const gatehouse = (options: ExpressOptions): ExpressAuth => new ExpressAuth(options);
