import { StartError } from '../core/config/start-error.js';

/** What runs before the guards or without them, by name, with the reason. */
export type Unguarded = Readonly<Record<string, string>>;

/** `GET /v1/notes/:`, whatever the platform calls a parameter. */
const shapeOf = (method: string, path: string): string =>
  `${method} ${path.replace(/:[^/]+/g, ':').replace(/\*[^/]*/g, '*')}`;

/**
 * Everything that is registered on the platform itself, past the controllers. What a team has not declared is refused when
 * it is registered.
 */
export class PlatformWatch {
  /** Whether something is registered. */
  hasAny = false;
  private readonly expected = new Map<string, number>();
  private readonly gets = new Set<string>();
  private isOwn = false;

  constructor(private readonly declared: Unguarded) {}

  /** Whether a team declared something that needs the middleware engine of the platform. */
  get takesMiddleware(): boolean {
    return Object.keys(this.declared).some((name) => /^(?:middleware of|use)\b/.test(name));
  }

  /** From here on the framework may register each of these routes once. */
  expect(routes: readonly { readonly method: string; readonly path: string }[]): void {
    for (const { method, path } of routes) {
      const shape = shapeOf(method, path);
      this.expected.set(shape, (this.expected.get(shape) ?? 0) + 1);
    }
  }

  /** @throws StartError when a route was not audited and is not declared */
  route(method: string, path: string): void {
    const shape = shapeOf(method, path);
    const left = this.expected.get(shape) ?? 0;
    if (left > 0) this.expected.set(shape, left - 1);
    // Fastify adds HEAD to every GET by itself.
    else if (method !== 'HEAD' || !this.gets.has(path)) this.demand(`${method} ${path}`);
    if (method === 'GET') this.gets.add(path);
  }

  /** @throws StartError when this is not declared */
  demand(name: string): void {
    if (this.isOwn) return;
    if (!(name in this.declared)) throw new StartError(undeclared(name));
    this.hasAny = true;
  }

  /** What is registered by `work` belongs to the framework, or was examined before. */
  own<T>(work: () => T): T {
    const before = this.isOwn;
    this.isOwn = true;
    try {
      return work();
    } finally {
      this.isOwn = before;
    }
  }

  /** Replaces a method, so that a call of it is examined first; what the method calls in turn is not. */
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

/** For the audit and for the platform, in the same words. */
export const undeclared = (name: string): string =>
  `'${name}' runs without the guards. Use a controller, or declare it: unguarded: { '${name}': '<the reason>' }`;

export const middlewareOf = (module: string): string => `middleware of ${module}`;
