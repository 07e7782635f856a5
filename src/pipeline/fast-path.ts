import { Injectable, type NestModule, type OnApplicationBootstrap, type Type } from '@nestjs/common';
import { ApplicationConfig, DiscoveryService, HttpAdapterHost, ModulesContainer } from '@nestjs/core';
import { findPlatformWatch, type RequestListener } from '../http/adapter.js';
import { ApiErrorFilter, JSON_TYPE } from '../http/front-door/error-responder.js';
import { type Call, RESPONSE_HANDLED } from '../policy/call.js';
import { currentCall, findCallReader } from '../policy/decorators.js';
import { type AuditedRoute, CompiledRoutes } from './compiled-routes.js';
import { GuardStack } from './guard-stack.js';
import {
  createResponder,
  EXCEPTION_FILTERS_METADATA,
  HEADERS_METADATA,
  INTERCEPTORS_METADATA,
  PIPES_METADATA,
  REDIRECT_METADATA,
  RENDER_METADATA,
  ROUTE_ARGS_METADATA,
  SSE_METADATA,
} from './nest-internals.js';
import { inputPartOf } from './route-input.js';

/** Metadata on classes and handlers that only the framework can execute. */
const ENHANCERS = [INTERCEPTORS_METADATA, PIPES_METADATA, EXCEPTION_FILTERS_METADATA];
/** Metadata of responses that only the framework can send. */
const RESPONSE_METADATA = [REDIRECT_METADATA, RENDER_METADATA, SSE_METADATA];

type Method = (...given: unknown[]) => unknown;
type Reader = (call: Call) => unknown;
type Header = { readonly name: string; readonly value: unknown };
/** A route whose handler is called without the framework. */
interface FastPathRoute {
  /**
   * Runs the guards and the handler, and returns the handler's result. Status and headers of a success are set by then.
   * @throws ApiError, and whatever the handler throws
   */
  run(call: Call): Promise<unknown>;
  /** Lets the framework send a handler result that is not plain JSON. */
  respond(value: unknown, request: unknown, response: unknown): Promise<unknown>;
}

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

/** Whether a value is plain JSON. The framework sends files, streams, texts and errors. */
function isPlainJson(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === Array.prototype || prototype === null;
}

/**
 * Calls the handlers of routes without parameters directly, and passes all other requests to the framework. On Express,
 * a request of such a route then costs less than half of the CPU time. Routes with interceptors, pipes,
 * filters or external argument decorators stay with the framework. All routes do if a module has middleware or the
 * platform has other registrations.
 */
@Injectable()
export class FastPath implements OnApplicationBootstrap {
  private readonly byMethod = new Map<string, Map<string, FastPathRoute>>();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly modules: ModulesContainer,
    private readonly application: ApplicationConfig,
    private readonly platform: HttpAdapterHost,
    private readonly compiled: CompiledRoutes,
    private readonly stack: GuardStack,
  ) {}

  /** Passes a request to its handler, directly or through the framework. Rejects with the error of a direct call. */
  dispatch(call: Call, path: string, next: RequestListener): Promise<void> | undefined {
    const route = this.find(call.req.method ?? '', path);
    if (route) return serve(call, route, next);
    passToFramework(call, next);
  }

  /** The route of a method and a path. HEAD finds the route of GET. */
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
    const respond = createResponder(this.platform.httpAdapter, handler);
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
    this.byMethod.set(plan.method, ofMethod.set(plan.path, { run, respond }));
  }
}

async function serve(call: Call, route: FastPathRoute, next: RequestListener): Promise<void> {
  const { res } = call;
  const value = await route.run(call);
  if (value === RESPONSE_HANDLED || res.headersSent) return;
  if (isPlainJson(value))
    call.sendText(JSON.stringify(value), (res.getHeader('Content-Type') as string | undefined) ?? JSON_TYPE);
  else if (value === undefined || value === null) {
    call.flushHeaders();
    res.end();
  } else {
    call.respondThroughFramework = (request, response) => route.respond(value, request, response);
    passToFramework(call, next);
  }
}

function passToFramework(call: Call, next: RequestListener): void {
  call.flushHeaders();
  next(call.req, call.res);
}
