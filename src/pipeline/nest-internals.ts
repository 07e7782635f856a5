/**
 * All that Gatehouse uses of Nest outside its documented interface. `test/pipeline/nest-internals.spec.ts` and
 * `test/policy/team-enhancers.e2e-spec.ts` fail on the upgrade that changes it.
 */
import type { InjectionToken } from '@nestjs/common';
import type { HttpAdapterHost, NestContainer, NestFactory } from '@nestjs/core';
import { UnknownDependenciesException } from '@nestjs/core/errors/exceptions/unknown-dependencies.exception.js';
import { NestFactoryStatic } from '@nestjs/core/nest-factory.js';
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
  RESPONSE_PASSTHROUGH_METADATA,
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

/** The class that Nest could not create and the dependency that it could not find. */
export function findUnknownDependency(error: unknown): { ofClass: string; token: unknown } | undefined {
  if (!(error instanceof UnknownDependenciesException)) return undefined;
  const { type, context } = error;
  // Nest's declaration leaves out that the type is usually a class.
  const { name = String(type) } = type as { name?: string };
  return { ofClass: name, token: context.dependencies?.[context.index ?? 0] };
}

/** Returns a function that sends the result of a handler as Nest does: a file, a stream, a text or an observable. */
export function createResponder(adapter: HttpAdapter, handler: object): Respond {
  const context: RouterExecutionContext = Reflect.construct(RouterExecutionContext, [
    ...Array(ADAPTER_POSITION),
    adapter,
  ]);
  const send = context.createHandleResponseFn(handler as () => unknown, false) as Respond;
  return (value, request, response) => send(value, response, request);
}

/** A value in place of a provider. */
export type Override = readonly [token: InjectionToken, value: unknown];

type Initialize = (module: unknown, container: NestContainer, ...others: unknown[]) => Promise<void>;

/**
 * Creates a factory whose applications have these values in place of providers, as `overrideProvider` of
 * `@nestjs/testing` does. The HTTP adapter of a testing module is set too late for providers that use it.
 */
export function createFactory(overrides: readonly Override[]): Pick<typeof NestFactory, 'create'> {
  const factory = new NestFactoryStatic();
  const initialize = Reflect.get(factory, 'initialize') as Initialize;
  const initializeWith: Initialize = (module, container, ...others) => {
    const bindGlobalScope = container.bindGlobalScope.bind(container);
    // Nest calls this when all providers are known and none is created.
    container.bindGlobalScope = () => {
      bindGlobalScope();
      for (const override of overrides) replaceProvider(container, override);
    };
    return initialize.call(factory, module, container, ...others);
  };
  Reflect.set(factory, 'initialize', initializeWith);
  return factory;
}

function replaceProvider(container: NestContainer, [token, value]: Override): void {
  const hosts = [...container.getModules().values()].filter((host) => host.hasProvider(token));
  if (hosts.length === 0) {
    const name = typeof token === 'function' ? token.name : String(token);
    throw new Error(`No module provides ${name}, so it cannot be replaced. Pass the token of a provider`);
  }
  for (const host of hosts) host.replace(token, { isProvider: true, useValue: value });
}
