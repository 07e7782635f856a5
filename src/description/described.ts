/** A JSON Schema (2020-12) as plain data. */
export type Schema = { readonly [keyword: string]: unknown };

/** What the compiler knows of a handler. */
export interface DescribedHandler {
  readonly summary: string;
  /** What its docstring says after the first sentence. */
  readonly description?: string;
  /** Of the JSON that it returns; none where the answer has no body or is none of JSON. */
  readonly answer?: Schema;
  /** Whether it may answer on the response itself. */
  readonly answersItself: boolean;
  /** Error codes that it can throw, guards aside. */
  readonly codes: readonly string[];
  /** Codes of single fields that it can throw, the rules of its input aside. */
  readonly fieldCodes: readonly string[];
  /** Request headers that it reads, in lower case. */
  readonly headers: readonly string[];
}

export interface DescribedController {
  /** The folder of the module that it belongs to. */
  readonly tag: string;
  readonly handlers: Readonly<Record<string, DescribedHandler>>;
}

/** A message of the gateway, which has no `d` where there is no schema. */
export interface DescribedPayload {
  readonly summary: string;
  readonly schema?: Schema;
}

/** What the compiler knows of a handler of a gateway command. */
export type DescribedCommand = Pick<DescribedHandler, 'summary' | 'codes'>;

/** What the gateway and its clients send, by name. */
export interface DescribedGateway {
  readonly events: Readonly<Record<string, DescribedPayload>>;
  readonly client: Readonly<Record<string, DescribedPayload>>;
  readonly server: Readonly<Record<string, DescribedPayload>>;
  /** By class, then by method. */
  readonly commands: Readonly<Record<string, Readonly<Record<string, DescribedCommand>>>>;
}

/** What the compiler says of a program: made by `gatehouse describe`, read when the description is composed. */
export interface Described {
  /** By name, as `#/components/schemas/<name>` refers to them. */
  readonly schemas: Readonly<Record<string, Schema>>;
  /** Members beside `code` and `message`, by error code. */
  readonly extras: Readonly<Record<string, Schema>>;
  /** By class. */
  readonly controllers: Readonly<Record<string, DescribedController>>;
  /** What the modules say of themselves, by tag. */
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

/** One description of several programs: what a team's adds to that of the service. */
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

/** Both may have a type of one name; the later gives way, in all that refers to it. */
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
