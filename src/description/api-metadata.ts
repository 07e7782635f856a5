import type { LifecycleType } from '../policy/lifecycle.js';

/** A JSON Schema (2020-12) as plain data. */
export type Schema = { readonly [keyword: string]: unknown };

/** Handler metadata extracted at build time. */
export interface HandlerMetadata {
  readonly summary: string;
  /** The docstring after the first sentence. */
  readonly description?: string;
  /** The schema of the returned JSON; absent if the response has no JSON body. */
  readonly answer?: Schema;
  /** Whether the handler may write the response itself. */
  readonly answersItself: boolean;
  /** Error codes that the handler can throw, without those of guards. */
  readonly codes: readonly string[];
  /** Field codes that the handler can throw, without those of its input rules. */
  readonly fieldCodes: readonly string[];
  /** Request headers that the handler reads, in lower case. */
  readonly headers: readonly string[];
  /** Lifecycle events that the handler can cause. */
  readonly events: readonly LifecycleType[];
}

export interface ControllerMetadata {
  /** The folder of the module that the controller belongs to. */
  readonly tag: string;
  readonly handlers: Readonly<Record<string, HandlerMetadata>>;
}

/** A gateway message, or an event for other services. Without a schema, a gateway message has no `d`. */
export interface PayloadMetadata {
  readonly summary: string;
  readonly schema?: Schema;
}

/** Metadata of a gateway command handler, extracted at build time. */
export type CommandMetadata = Pick<HandlerMetadata, 'summary' | 'codes'>;

/** The messages of the gateway and its clients, by name. */
export interface GatewayMetadata {
  readonly events: Readonly<Record<string, PayloadMetadata>>;
  readonly client: Readonly<Record<string, PayloadMetadata>>;
  readonly server: Readonly<Record<string, PayloadMetadata>>;
  /** By class, then by method. */
  readonly commands: Readonly<Record<string, Readonly<Record<string, CommandMetadata>>>>;
}

/** API metadata of a program. `gatehouse describe` writes it, and the OpenAPI document is generated from it. */
export interface ApiMetadata {
  /** By name, for references such as `#/components/schemas/<name>`. */
  readonly schemas: Readonly<Record<string, Schema>>;
  /** Members of an error body besides `code` and `message`, by error code. */
  readonly extras: Readonly<Record<string, Schema>>;
  /** By class name. */
  readonly controllers: Readonly<Record<string, ControllerMetadata>>;
  /** The docstrings of modules, by tag. */
  readonly tags: Readonly<Record<string, string>>;
  /** Error codes by guard class. */
  readonly guards: Readonly<Record<string, readonly string[]>>;
  /** What functions and methods of the package throw, for programs that see only their declarations. */
  readonly calls: Readonly<Record<string, ThrownCodes>>;
  readonly gateway: GatewayMetadata;
  /** The data of events for other services, by type. */
  readonly outgoingEvents: Readonly<Record<string, PayloadMetadata>>;
}

export interface ThrownCodes {
  readonly codes: readonly string[];
  readonly fieldCodes: readonly string[];
  readonly events: readonly LifecycleType[];
}

const EMPTY_GATEWAY: GatewayMetadata = { events: {}, client: {}, server: {}, commands: {} };
const EMPTY_METADATA: ApiMetadata = {
  ...{ schemas: {}, extras: {}, controllers: {}, tags: {}, guards: {}, calls: {} },
  gateway: EMPTY_GATEWAY,
  outgoingEvents: {},
};

/** Merges the metadata of several programs: the service and its extensions. */
export function mergeMetadata(parts: readonly ApiMetadata[]): ApiMetadata {
  return parts.reduce((whole, part) => {
    const fit = renameClashes(part, whole);
    return {
      schemas: { ...whole.schemas, ...fit.schemas },
      extras: { ...fit.extras, ...whole.extras },
      controllers: { ...whole.controllers, ...fit.controllers },
      tags: { ...fit.tags, ...whole.tags },
      guards: { ...whole.guards, ...fit.guards },
      calls: { ...whole.calls, ...fit.calls },
      gateway: {
        events: { ...fit.gateway.events, ...whole.gateway.events },
        client: { ...fit.gateway.client, ...whole.gateway.client },
        server: { ...fit.gateway.server, ...whole.gateway.server },
        commands: { ...fit.gateway.commands, ...whole.gateway.commands },
      },
      outgoingEvents: { ...fit.outgoingEvents, ...whole.outgoingEvents },
    };
  }, EMPTY_METADATA);
}

/** Renames types of `part` that clash with types of `whole`, including all references. */
function renameClashes(part: ApiMetadata, whole: ApiMetadata): ApiMetadata {
  const clashing = Object.keys(part.schemas).filter(
    (name) => name in whole.schemas && JSON.stringify(whole.schemas[name]) !== JSON.stringify(part.schemas[name]),
  );
  if (clashing.length === 0) return part;
  const renamed = clashing.reduce(
    (text, name) => text.replaceAll(`"#/components/schemas/${name}"`, `"#/components/schemas/${name}.2"`),
    JSON.stringify(part),
  );
  const fit = JSON.parse(renamed) as ApiMetadata;
  const schemas = Object.fromEntries(
    Object.entries(fit.schemas).map(([name, schema]) => [clashing.includes(name) ? `${name}.2` : name, schema]),
  );
  return { ...fit, schemas };
}
