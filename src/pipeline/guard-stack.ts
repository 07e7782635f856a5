import { isNativeError } from 'node:util/types';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { ApiError } from '../core/errors.js';
import { toApiError } from '../core/to-api-error.js';
import type { Command } from '../gateway/commands/command.js';
import { Commands } from '../gateway/commands/commands.service.js';
import { ClosingError, MessageDropped } from '../gateway/protocol/protocol.js';
import { AdminNetworks } from '../http/admin-networks.js';
import { CrossOrigin } from '../http/cross-origin.js';
import { type Call, ClientGone, callOf } from '../policy/call.js';
import { type CompiledRoute, CompiledRoutes } from './compiled-routes.js';
import { ResponseWatch } from './response-watch.js';
import { bindValidatedInput } from './route-input.js';

/** The only APP_GUARD. Runs the guards in the plan of the route or gateway command, in order. */
@Injectable()
export class GuardStack implements CanActivate {
  constructor(
    private readonly routes: CompiledRoutes,
    private readonly cors: CrossOrigin,
    private readonly adminNetworks: AdminNetworks,
    private readonly commands: Commands,
    private readonly responses: ResponseWatch,
  ) {}

  canActivate(context: ExecutionContext): Promise<true> {
    return context.getType() === 'ws' ? this.admitCommand(context) : this.admitRequest(context);
  }

  /** Runs the guards of a route for a request. @throws ApiError */
  admit(call: Call, { plan, guards }: CompiledRoute): Promise<void> {
    // Nothing reveals the route: neither its headers nor its name in metrics.
    if (this.adminNetworks.hides(plan, call.address)) throw new ApiError('NOT_FOUND');
    call.plan = plan;
    this.cors.apply(call, plan);
    return runGuards(call, plan, guards);
  }

  private async admitRequest(context: ExecutionContext): Promise<true> {
    const route = this.routes.requireRoute(context.getClass(), context.getHandler());
    const request = context.switchToHttp().getRequest();
    const call = callOf(request);
    call.params = request.params;
    await this.admit(call, route);
    this.responses.watch(call, context.getClass(), context.getHandler(), route.plan);
    if (route.plan.input) bindValidatedInput(route.plan.input, call, request);
    return true;
  }

  private async admitCommand(context: ExecutionContext): Promise<true> {
    const plan = this.commands.planOf(context.getClass(), context.getHandler());
    const given = context.getArgs<[connection: unknown, payload: unknown, command: Command]>();
    const [, , command] = given;
    await runGuards(command, plan, plan.guards);
    given[1] = command.payload;
    return true;
  }
}

interface Row<C, P> {
  check(call: C, plan: P): void | Promise<void>;
}

/** Runs guards in order. @throws ApiError the error of the first one that rejects the call */
export async function runGuards<C, P>(call: C, plan: P, guards: readonly Row<C, P>[]): Promise<void> {
  for (const guard of guards) {
    try {
      const pending = guard.check(call, plan);
      if (pending) await pending;
    } catch (error) {
      throw deny(error);
    }
  }
}

/** Whether the error ends a connection or a message. Guards may throw these in addition to an `ApiError`. */
const isConnectionEnd = (error: unknown): boolean =>
  error instanceof ClientGone || error instanceof ClosingError || error instanceof MessageDropped;

/** If a guard throws something unexpected, the response is 500, whatever status the thrown value has. */
const deny = (error: unknown): unknown =>
  error instanceof ApiError || isConnectionEnd(error) || toApiError(error).code === 'SERVICE_UNAVAILABLE'
    ? error
    : new GuardFault(error);

class GuardFault extends Error {
  constructor(cause: unknown) {
    super(`a guard failed: ${isNativeError(cause) ? cause.message : 'thrown value'}`, { cause });
    if (isNativeError(cause) && cause.stack) this.stack = cause.stack;
  }
}
