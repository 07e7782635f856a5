/** A JSON Schema (2020-12) as plain data. */
export type Schema = { readonly [keyword: string]: unknown };

/** Handler metadata extracted at build time. */
export interface DescribedHandler {
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
}

export interface DescribedController {
  /** The folder of the module that the controller belongs to. */
  readonly tag: string;
  readonly handlers: Readonly<Record<string, DescribedHandler>>;
}

/** A gateway message. Without a schema, it has no `d`. */
export interface DescribedPayload {
  readonly summary: string;
  readonly schema?: Schema;
}

/** Metadata of a gateway command handler, extracted at build time. */
export type DescribedCommand = Pick<DescribedHandler, 'summary' | 'codes'>;

/** The messages of the gateway and its clients, by name. */
export interface DescribedGateway {
  readonly events: Readonly<Record<string, DescribedPayload>>;
  readonly client: Readonly<Record<string, DescribedPayload>>;
  readonly server: Readonly<Record<string, DescribedPayload>>;
  /** By class, then by method. */
  readonly commands: Readonly<Record<string, Readonly<Record<string, DescribedCommand>>>>;
}

/** API metadata of a program. `gatehouse describe` writes it, and the OpenAPI document is generated from it. */
export interface Described {
  /** By name, for references such as `#/components/schemas/<name>`. */
  readonly schemas: Readonly<Record<string, Schema>>;
  /** Members of an error body besides `code` and `message`, by error code. */
  readonly extras: Readonly<Record<string, Schema>>;
  /** By class name. */
  readonly controllers: Readonly<Record<string, DescribedController>>;
  /** The docstrings of modules, by tag. */
  readonly tags: Readonly<Record<string, string>>;
  /** Error codes by guard class. */
  readonly guards: Readonly<Record<string, readonly string[]>>;
  /** What functions and methods of the package throw, for programs that see only their declarations. */
  readonly calls: Readonly<Record<string, Thrown>>;
  readonly gateway: DescribedGateway;
}

export interface Thrown {
  readonly codes: readonly string[];
  readonly fieldCodes: readonly string[];
}

const NO_GATEWAY: DescribedGateway = { events: {}, client: {}, server: {}, commands: {} };
const NOTHING: Described = {
  ...{ schemas: {}, extras: {}, controllers: {}, tags: {}, guards: {}, calls: {} },
  gateway: NO_GATEWAY,
};

/** Merges the metadata of several programs: the service and its extensions. */
export function merged(parts: readonly Described[]): Described {
  return parts.reduce((whole, part) => {
    const fit = withoutClashes(part, whole);
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
    };
  }, NOTHING);
}

/** Renames types of `part` that clash with types of `whole`, including all references. */
function withoutClashes(part: Described, whole: Described): Described {
  const clashing = Object.keys(part.schemas).filter(
    (name) => name in whole.schemas && JSON.stringify(whole.schemas[name]) !== JSON.stringify(part.schemas[name]),
  );
  if (clashing.length === 0) return part;
  const renamed = clashing.reduce(
    (text, name) => text.replaceAll(`"#/components/schemas/${name}"`, `"#/components/schemas/${name}.2"`),
    JSON.stringify(part),
  );
  const fit = JSON.parse(renamed) as Described;
  const schemas = Object.fromEntries(
    Object.entries(fit.schemas).map(([name, schema]) => [clashing.includes(name) ? `${name}.2` : name, schema]),
  );
  return { ...fit, schemas };
}
