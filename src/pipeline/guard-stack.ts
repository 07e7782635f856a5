import { isNativeError } from 'node:util/types';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Refusal, refusalOf } from '../core/errors.js';
import { CrossOrigin } from '../http/cross-origin.js';
import { type Call, callOf } from '../policy/call.js';
import { type CompiledRoute, CompiledRoutes } from './compiled-routes.js';
import { handOver } from './route-input.js';

/** The only APP_GUARD: runs the rows that the plan of the route holds, in order. */
@Injectable()
export class GuardStack implements CanActivate {
  constructor(
    private readonly routes: CompiledRoutes,
    private readonly cors: CrossOrigin,
  ) {}

  canActivate(context: ExecutionContext): true | Promise<true> {
    const route = this.routes.of(context.getClass(), context.getHandler());
    const { plan } = route;
    const request = context.switchToHttp().getRequest();
    const call = callOf(request);
    call.plan = plan;
    call.params = request.params;
    this.cors.apply(call, plan);
    return run(call, route, request);
  }
}

async function run(call: Call, { plan, guards }: CompiledRoute, request: object): Promise<true> {
  for (const guard of guards) {
    try {
      const pending = guard.check(call, plan);
      if (pending) await pending;
    } catch (error) {
      throw deny(error);
    }
  }
  if (plan.input) handOver(plan.input, call, request);
  return true;
}

/** A guard that throws something unexpected denies with 500, whatever status the thrown thing would have had. */
const deny = (error: unknown): unknown =>
  error instanceof Refusal || refusalOf(error).code === 'SERVICE_UNAVAILABLE' ? error : new GuardFault(error);

class GuardFault extends Error {
  constructor(cause: unknown) {
    super(`a guard failed: ${isNativeError(cause) ? cause.message : 'thrown value'}`, { cause });
    if (isNativeError(cause) && cause.stack) this.stack = cause.stack;
  }
}
