import { Injectable, type NestModule, type OnApplicationBootstrap, type Type } from '@nestjs/common';
import {
  EXCEPTION_FILTERS_METADATA,
  HEADERS_METADATA,
  INTERCEPTORS_METADATA,
  PIPES_METADATA,
  REDIRECT_METADATA,
  RENDER_METADATA,
  ROUTE_ARGS_METADATA,
  SSE_METADATA,
  VERSION_METADATA,
} from '@nestjs/common/internal';
import { ApplicationConfig, DiscoveryService, HttpAdapterHost, ModulesContainer } from '@nestjs/core';
import { RouterExecutionContext } from '@nestjs/core/router/router-execution-context.js';
import { findPlatformWatch } from '../http/adapter.js';
import { type FastPathRoute, FastPathRoutes } from '../http/fast-path-routes.js';
import { ApiErrorFilter } from '../http/front-door/error-responder.js';
import type { Call } from '../policy/call.js';
import { currentCall, findCallReader } from '../policy/decorators.js';
import { type AuditedRoute, CompiledRoutes } from './compiled-routes.js';
import { GuardStack } from './guard-stack.js';
import { inputPartOf } from './route-input.js';

/** Metadata on classes and handlers that only the framework can execute. */
const ENHANCERS = [INTERCEPTORS_METADATA, PIPES_METADATA, EXCEPTION_FILTERS_METADATA, VERSION_METADATA];
/** Metadata of responses that only the framework can send. */
const RESPONSE_METADATA = [REDIRECT_METADATA, RENDER_METADATA, SSE_METADATA];

type ResponseHandler = (value: unknown, response: unknown, request: unknown) => Promise<unknown>;
type Method = (...given: unknown[]) => unknown;
type Reader = (call: Call) => unknown;
type Header = { readonly name: string; readonly value: unknown };
type Argument = {
  readonly index: number;
  readonly factory?: object;
  readonly data?: unknown;
  readonly pipes: unknown[];
};

const hasMetadata = (target: object, keys: readonly string[]): boolean =>
  keys.some((key) => Reflect.getMetadata(key, target) !== undefined);

/** Reads each argument from the call; `null` if the framework must supply one. */
function buildReaders(controller: Type, name: string): Reader[] | null {
  const bound: Record<string, Argument> = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {};
  const readers: Reader[] = [];
  for (const [key, { index, factory, data, pipes }] of Object.entries(bound)) {
    const part = inputPartOf(key);
    const reader = part ? ({ input }: Call) => input?.[part] : factory && findCallReader(factory);
    if (!reader || data !== undefined || pipes.length > 0) return null;
    readers[index] = reader;
  }
  return Array.from(readers, (reader) => reader ?? (() => undefined));
}

/** The headers that a handler declares; `null` if the framework must process one of them. */
function headersOf(handler: object): readonly (readonly [name: string, value: string])[] | null {
  const declared: Header[] = Reflect.getMetadata(HEADERS_METADATA, handler) ?? [];
  const isPlain = ({ name, value }: Header) => typeof value === 'string' && name.toLowerCase() !== 'content-type';
  return declared.every(isPlain) ? declared.map(({ name, value }) => [name, value as string]) : null;
}

/**
 * The routes without parameters that the front door can call without the framework. Routes with interceptors, pipes,
 * filters or external argument decorators stay with the framework. All routes do if a module has middleware or the
 * platform has other registrations.
 */
@Injectable()
export class StaticFastPathRoutes extends FastPathRoutes implements OnApplicationBootstrap {
  private readonly byMethod = new Map<string, Map<string, FastPathRoute>>();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly modules: ModulesContainer,
    private readonly application: ApplicationConfig,
    private readonly platform: HttpAdapterHost,
    private readonly compiled: CompiledRoutes,
    private readonly stack: GuardStack,
  ) {
    super();
  }

  /** Only its response handling is used, which needs just the HTTP adapter. */
  private get executionContext(): RouterExecutionContext {
    return Reflect.construct(RouterExecutionContext, [
      ...Array(7),
      this.platform.httpAdapter,
    ]) as RouterExecutionContext;
  }

  find(method: string, path: string): FastPathRoute | undefined {
    if (findPlatformWatch(this.platform.httpAdapter)?.hasRegistrations) return undefined;
    return this.byMethod.get(method === 'HEAD' ? 'GET' : method)?.get(path);
  }

  /** The framework has compiled its routes by now, and ignores what is added later. */
  onApplicationBootstrap(): void {
    if (this.hasGlobalEnhancers() || this.hasMiddleware()) return;
    for (const wrapper of this.discovery.getControllers()) {
      if (!wrapper.instance || !wrapper.isDependencyTreeStatic()) continue;
      for (const route of this.compiled.ofController(wrapper.metatype as Type)) this.add(route, wrapper.instance);
    }
  }

  private hasGlobalEnhancers(): boolean {
    const { application } = this;
    const theirs = [
      ...[application.getGlobalInterceptors(), application.getGlobalRequestInterceptors()],
      ...[application.getGlobalPipes(), application.getGlobalRequestPipes()],
      ...[application.getGlobalFilters().filter((filter) => !(filter instanceof ApiErrorFilter))],
      application.getGlobalRequestFilters(),
    ];
    return theirs.some(({ length }) => length > 0);
  }

  private hasMiddleware(): boolean {
    return [...this.modules.values()].some(({ instance }) => (instance as Partial<NestModule> | undefined)?.configure);
  }

  private add(route: AuditedRoute, instance: object): void {
    const { plan, controller, handler } = route;
    const hasParameters = plan.path.includes(':') || plan.path.includes('*');
    if (hasParameters || plan.responses.length > 0) return;
    if (hasMetadata(controller, ENHANCERS) || hasMetadata(handler, [...ENHANCERS, ...RESPONSE_METADATA])) return;
    const readers = buildReaders(controller, plan.handler);
    const headers = headersOf(handler);
    if (!readers || !headers) return;
    const { stack } = this;
    const answer = this.executionContext.createHandleResponseFn(handler as Method, false) as ResponseHandler;
    const isSeen = readers.includes(currentCall);
    const method = (instance as Record<string, Method>)[plan.handler] as Method;
    const run = async (call: Call): Promise<unknown> => {
      await stack.admit(call, route);
      call.res.statusCode = plan.status;
      if (isSeen || headers.length > 0) call.flushHeaders();
      for (const [name, value] of headers) call.res.setHeader(name, value);
      return method.apply(
        instance,
        readers.map((read) => read(call)),
      );
    };
    const ofMethod = this.byMethod.get(plan.method) ?? new Map<string, FastPathRoute>();
    const respond: FastPathRoute['respond'] = (value, request, response) => answer(value, response, request);
    this.byMethod.set(plan.method, ofMethod.set(plan.path, { run, respond }));
  }
}
