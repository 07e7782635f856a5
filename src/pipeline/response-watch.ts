import { Injectable } from '@nestjs/common';
import { Log } from '../core/log.js';
import { requestDetails } from '../http/recorder.js';
import type { Call } from '../policy/call.js';
import type { RoutePlan } from '../policy/plan.js';
import type { DiscoveredRoute } from './compiled-routes.js';
import { RESPONSE_PASSTHROUGH_METADATA, ROUTE_ARGS_METADATA, RouteParamtypes } from './nest-internals.js';

/** How long a handler with `@Res()` may take until it is reported. */
export const RESPONSE_PATIENCE_MS = 10_000;

/** Whether the framework sends nothing for a handler, because the handler takes the response or the next handler. */
function sendsResponseItself({ controller, name }: Pick<DiscoveredRoute, 'controller' | 'name'>): boolean {
  if (Reflect.getMetadata(RESPONSE_PASSTHROUGH_METADATA, controller, name)) return false;
  const bound: object = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {};
  const kinds: readonly number[] = [RouteParamtypes.RESPONSE, RouteParamtypes.NEXT];
  return Object.keys(bound).some((key) => kinds.some((kind) => key.startsWith(`${kind}:`)));
}

/** Reports handlers that take the response with `@Res()` and do not end it. Their clients would wait forever. */
@Injectable()
export class ResponseWatch {
  private readonly known = new Map<object, boolean>();

  constructor(private readonly log: Log) {}

  watch(call: Call, controller: DiscoveredRoute['controller'], handler: object, plan: RoutePlan): void {
    let isWatched = this.known.get(handler);
    if (isWatched === undefined) {
      isWatched = sendsResponseItself({ controller, name: plan.handler });
      this.known.set(handler, isWatched);
    }
    if (!isWatched) return;
    const timer = setTimeout(() => this.report(call, plan), RESPONSE_PATIENCE_MS).unref();
    call.res.once('close', () => clearTimeout(timer));
  }

  private report(call: Call, { controller, handler }: RoutePlan): void {
    if (call.res.headersSent) return;
    const fault = `${controller}.${handler} takes @Res() and has sent no response for ${RESPONSE_PATIENCE_MS / 1000} seconds`;
    const fix = 'End the response, such as with res.end(), or use @Res({ passthrough: true }) and return a value';
    this.log.warn(`${fault}. ${fix}`, requestDetails(call));
  }
}
