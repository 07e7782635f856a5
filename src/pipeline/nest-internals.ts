/**
 * All that Gatehouse uses of Nest outside its documented interface. `test/pipeline/nest-internals.spec.ts` and
 * `test/policy/team-enhancers.e2e-spec.ts` fail on the upgrade that changes it.
 */
import type { HttpAdapterHost } from '@nestjs/core';
import { RouterExecutionContext } from '@nestjs/core/router/router-execution-context.js';

export {
  EXCEPTION_FILTERS_METADATA,
  GUARDS_METADATA,
  HEADERS_METADATA,
  HOST_METADATA,
  HTTP_CODE_METADATA,
  INTERCEPTORS_METADATA,
  METHOD_METADATA,
  MODULE_PATH,
  PATH_METADATA,
  PIPES_METADATA,
  REDIRECT_METADATA,
  RENDER_METADATA,
  ROUTE_ARGS_METADATA,
  RouteParamtypes,
  SSE_METADATA,
  VERSION_METADATA,
} from '@nestjs/common/internal';
export type { InstanceWrapper } from '@nestjs/core/internal';
export {
  GATEWAY_METADATA,
  GATEWAY_OPTIONS,
  MESSAGE_MAPPING_METADATA,
  MESSAGE_METADATA,
  PORT_METADATA,
} from '@nestjs/websockets/internal';

type HttpAdapter = HttpAdapterHost['httpAdapter'];
type Respond = (value: unknown, request: unknown, response: unknown) => Promise<unknown>;

/** Position of the HTTP adapter in the constructor of Nest's class. Responses need none of the other arguments. */
const ADAPTER_POSITION = 7;

/** Returns a function that sends the result of a handler as Nest does: a file, a stream, a text or an observable. */
export function createResponder(adapter: HttpAdapter, handler: object): Respond {
  const context: RouterExecutionContext = Reflect.construct(RouterExecutionContext, [
    ...Array(ADAPTER_POSITION),
    adapter,
  ]);
  const send = context.createHandleResponseFn(handler as () => unknown, false) as Respond;
  return (value, request, response) => send(value, response, request);
}
