import type { IncomingMessage } from 'node:http';
import { AuthError } from '../auth-error.js';
import { Auth, type AuthOptions } from './auth.js';
import { addressOf, credentialsOf } from './headers.js';

export { AuthError };

/** A request of Fastify. `ip` follows the option `trustProxy`. */
export interface FastifyRequest {
  readonly raw: IncomingMessage;
  readonly ip: string;
}
/** Options of `gatehouse` for Fastify. */
export type FastifyOptions = AuthOptions<FastifyRequest>;

/** The part of a reply of Fastify that the adapter uses. */
export interface FastifyReply {
  code(status: number): unknown;
  header(name: string, value: unknown): unknown;
  send(body: unknown): unknown;
}

/** Sends an error as a response of Fastify. */
export function reply(error: AuthError, to: FastifyReply): unknown {
  to.code(error.status);
  for (const [name, value] of Object.entries(error.headers)) to.header(name, value);
  // Fastify may add a charset to the type of a text.
  return to.send(Buffer.from(error.body));
}

/** Protects routes of Fastify 4 and 5. */
export class FastifyAuth extends Auth<FastifyRequest> {
  constructor(options: FastifyOptions) {
    super(
      options,
      ({ raw }) => credentialsOf(raw),
      ({ ip }) => addressOf({ remoteAddress: ip }),
    );
  }

  /** A hook for `onRequest` or `preHandler`. If a request is not admitted, it sends the response of the guard. */
  middleware(policy: string) {
    return async (request: FastifyRequest, to: FastifyReply): Promise<unknown> => {
      try {
        await this.require(request, policy);
      } catch (error) {
        return this.errorHandler(error, request, to);
      }
      return undefined;
    };
  }

  /** For `app.setErrorHandler`: sends errors of `auth.require` as the response of the guard. Rethrows others. */
  readonly errorHandler = (error: unknown, _request: FastifyRequest, to: FastifyReply): unknown => {
    if (error instanceof AuthError) return reply(error, to);
    throw error;
  };
}

/** @throws TypeError if an option is missing or invalid */
/** Connects a service on Fastify with Gatehouse. */
export const gatehouse = (options: FastifyOptions): FastifyAuth => new FastifyAuth(options);
