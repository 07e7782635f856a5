import { StartError } from '../core/config/start-error.js';

/** Registrations that run before or without the guards: name and reason. */
export type Unguarded = Readonly<Record<string, string>>;

/** A normalized route such as `GET /v1/notes/:`, independent of parameter names. */
const normalizeRoute = (method: string, path: string): string =>
  `${method} ${path.replace(/:[^/]+/g, ':').replace(/\*[^/]*/g, '*')}`;

/**
 * Watches everything that is registered on the platform outside the controllers. Rejects what the extension has not
 * declared.
 */
export class PlatformWatch {
  /** Whether anything is registered. */
  hasRegistrations = false;
  private readonly expected = new Map<string, number>();
  private readonly getPaths = new Set<string>();
  private isUnchecked = false;

  constructor(private readonly declared: Unguarded) {}

  /** Whether an extension declared something that needs the middleware engine of the platform. */
  get takesMiddleware(): boolean {
    return Object.keys(this.declared).some((name) => /^(?:middleware of|use)\b/.test(name));
  }

  /** Allows the framework to register each of these routes once. */
  expectRoutes(routes: readonly { readonly method: string; readonly path: string }[]): void {
    for (const { method, path } of routes) {
      const shape = normalizeRoute(method, path);
      this.expected.set(shape, (this.expected.get(shape) ?? 0) + 1);
    }
  }

  /** @throws StartError if the route was not audited and is not declared */
  checkRoute(method: string, path: string): void {
    const shape = normalizeRoute(method, path);
    const left = this.expected.get(shape) ?? 0;
    if (left > 0) this.expected.set(shape, left - 1);
    // Fastify adds a HEAD route to every GET route.
    else if (method !== 'HEAD' || !this.getPaths.has(path)) this.assertDeclared(`${method} ${path}`);
    if (method === 'GET') this.getPaths.add(path);
  }

  /** @throws StartError if `name` is not declared */
  assertDeclared(name: string): void {
    if (this.isUnchecked) return;
    if (!(name in this.declared)) throw new StartError(undeclaredPlatformMessage(name));
    this.hasRegistrations = true;
  }

  /** Runs `work` without checks. What it registers belongs to the framework or was checked before. */
  runUnchecked<T>(work: () => T): T {
    const before = this.isUnchecked;
    this.isUnchecked = true;
    try {
      return work();
    } finally {
      this.isUnchecked = before;
    }
  }

  /** Wraps a method so that calls are checked first. Calls that the method makes itself are not checked. */
  wrapMethod(target: object, key: string, demand: (given: unknown[]) => void): void {
    const methods = target as Record<string, (...given: unknown[]) => unknown>;
    const method = methods[key];
    if (!method) return;
    const watch = this;
    methods[key] = function (this: unknown, ...given) {
      if (!watch.isUnchecked) demand(given);
      return watch.runUnchecked(() => method.apply(this, given));
    };
  }
}

/** The error message, shared by the route audit and the platform watch. */
export const undeclaredPlatformMessage = (name: string): string =>
  `'${name}' runs without the guards. Use a controller, or declare it: unguarded: { '${name}': '<the reason>' }`;

export const middlewareName = (module: string): string => `middleware of ${module}`;
