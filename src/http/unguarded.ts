import { StartError } from '../core/config/start-error.js';

/** Registrations that run before or without the guards: name and reason. */
export type Unguarded = Readonly<Record<string, string>>;

/** A normalized route such as `GET /v1/notes/:`, independent of parameter names. */
const shapeOf = (method: string, path: string): string =>
  `${method} ${path.replace(/:[^/]+/g, ':').replace(/\*[^/]*/g, '*')}`;

/**
 * Watches everything that is registered on the platform outside the controllers. Rejects what the extension has not
 * declared.
 */
export class PlatformWatch {
  /** Whether anything is registered. */
  hasAny = false;
  private readonly expected = new Map<string, number>();
  private readonly gets = new Set<string>();
  private isOwn = false;

  constructor(private readonly declared: Unguarded) {}

  /** Whether an extension declared something that needs the middleware engine of the platform. */
  get takesMiddleware(): boolean {
    return Object.keys(this.declared).some((name) => /^(?:middleware of|use)\b/.test(name));
  }

  /** Allows the framework to register each of these routes once. */
  expect(routes: readonly { readonly method: string; readonly path: string }[]): void {
    for (const { method, path } of routes) {
      const shape = shapeOf(method, path);
      this.expected.set(shape, (this.expected.get(shape) ?? 0) + 1);
    }
  }

  /** @throws StartError if the route was not audited and is not declared */
  route(method: string, path: string): void {
    const shape = shapeOf(method, path);
    const left = this.expected.get(shape) ?? 0;
    if (left > 0) this.expected.set(shape, left - 1);
    // Fastify adds a HEAD route to every GET route.
    else if (method !== 'HEAD' || !this.gets.has(path)) this.demand(`${method} ${path}`);
    if (method === 'GET') this.gets.add(path);
  }

  /** @throws StartError if `name` is not declared */
  demand(name: string): void {
    if (this.isOwn) return;
    if (!(name in this.declared)) throw new StartError(undeclared(name));
    this.hasAny = true;
  }

  /** Runs `work` without checks. What it registers belongs to the framework or was checked before. */
  own<T>(work: () => T): T {
    const before = this.isOwn;
    this.isOwn = true;
    try {
      return work();
    } finally {
      this.isOwn = before;
    }
  }

  /** Wraps a method so that calls are checked first. Calls that the method makes itself are not checked. */
  method(target: object, key: string, demand: (given: unknown[]) => void): void {
    const methods = target as Record<string, (...given: unknown[]) => unknown>;
    const method = methods[key];
    if (!method) return;
    const watch = this;
    methods[key] = function (this: unknown, ...given) {
      if (!watch.isOwn) demand(given);
      return watch.own(() => method.apply(this, given));
    };
  }
}

/** The error message, shared by the route audit and the platform watch. */
export const undeclared = (name: string): string =>
  `'${name}' runs without the guards. Use a controller, or declare it: unguarded: { '${name}': '<the reason>' }`;

export const middlewareOf = (module: string): string => `middleware of ${module}`;
