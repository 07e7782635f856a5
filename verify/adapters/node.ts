import type { IncomingMessage, ServerResponse } from 'node:http';
import { AuthError } from '../auth-error.js';
import { Auth, type AuthOptions } from './auth.js';
import { addressOf, credentialsOf } from './headers.js';

export { AuthError };
/** Options of `gatehouse` for `node:http`. */
export type NodeOptions = AuthOptions<IncomingMessage>;

type Next = (error?: unknown) => void;

/** Protects a server of `node:http`, and everything that accepts its middleware. */
export class NodeAuth extends Auth<IncomingMessage> {
  constructor(options: NodeOptions) {
    super(options, credentialsOf, ({ socket }) => addressOf(socket));
  }

  /** Calls `next` for admitted requests. For others, it sends the response of the guard. */
  middleware(policy: string) {
    return (request: IncomingMessage, response: ServerResponse, next: Next): void => {
      this.check(request, policy, next, (error) => this.handleError(error, request, response, next));
    };
  }

  /** Sends an `AuthError` as the response of the guard. Other errors are passed to `next`. */
  readonly handleError = (error: unknown, _request: IncomingMessage, response: ServerResponse, next: Next): void => {
    if (error instanceof AuthError) error.send(response);
    else next(error);
  };
}

/** @throws TypeError if an option is missing or invalid */
/** Connects a service on `node:http` with Gatehouse. */
export const gatehouse = (options: NodeOptions): NodeAuth => new NodeAuth(options);
