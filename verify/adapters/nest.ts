import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type ArgumentsHost,
  applyDecorators,
  type CanActivate,
  Catch,
  createParamDecorator,
  type ExceptionFilter,
  type ExecutionContext,
  UseFilters,
  UseGuards,
} from '@nestjs/common';
import { AuthError } from '../auth-error.js';
import type { Caller } from '../decision.js';
import { Auth, type AuthOptions } from './auth.js';
import { type FastifyReply, reply } from './fastify.js';
import { addressOf, credentialsOf } from './headers.js';

export { AuthError };

/** A request of `@nestjs/platform-express` or `@nestjs/platform-fastify`. */
export interface NestRequest {
  readonly ip?: string | undefined;
  /** The request of Node, on Fastify. */
  readonly raw?: IncomingMessage;
}
/** Options of `gatehouse` for Nest. */
export type NestOptions = AuthOptions<NestRequest>;

type Next = (error?: unknown) => void;

const rawOf = (request: NestRequest): IncomingMessage => request.raw ?? (request as IncomingMessage);

/** Sends an `AuthError` as the response of the guard. Register it globally if handlers call `auth.require`. */
@Catch(AuthError)
export class AuthErrorFilter implements ExceptionFilter<AuthError> {
  catch(error: AuthError, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<ServerResponse | FastifyReply>();
    if ('code' in response) reply(error, response);
    else error.send(response);
  }
}

/** Protects handlers of NestJS, on Express and on Fastify. */
export class NestAuth extends Auth<NestRequest> {
  constructor(options: NestOptions) {
    super(
      options,
      (request) => credentialsOf(rawOf(request)),
      ({ ip }) => addressOf({ remoteAddress: ip }),
    );
  }

  /** A decorator of a handler or controller: only requests that the policy admits reach it. */
  Require(policy: string): ClassDecorator & MethodDecorator {
    return applyDecorators(UseGuards(this.guard(policy)), UseFilters(AuthErrorFilter));
  }

  /** A decorator of a parameter of a handler: the caller. */
  readonly Caller = createParamDecorator((_data: unknown, context: ExecutionContext) =>
    this.caller(context.switchToHttp().getRequest<NestRequest>()),
  );

  /** A guard for `@UseGuards`. It throws an `AuthError`, which needs the `AuthErrorFilter`. */
  guard(policy: string): CanActivate {
    return {
      canActivate: async (context) => {
        await this.require(context.switchToHttp().getRequest<NestRequest>(), policy);
        return true;
      },
    };
  }

  /** Middleware for `consumer.apply`. For requests that are not admitted, it sends the response of the guard. */
  middleware(policy: string) {
    return (request: NestRequest, response: ServerResponse, next: Next): void => {
      this.check(request, policy, next, (error) => {
        if (error instanceof AuthError) error.send(response);
        else next(error);
      });
    };
  }

  protected override carrierOf(request: NestRequest): Record<symbol, Caller | undefined> {
    return rawOf(request) as never;
  }
}

/** @throws TypeError if an option is missing or invalid */
/** Connects a service on Nest with Gatehouse. */
export const gatehouse = (options: NestOptions): NestAuth => new NestAuth(options);
