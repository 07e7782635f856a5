import type { Schema } from '../../src/description/api-metadata.js';
import type { Gatehouse } from '../support/index.js';

export interface Parameter {
  readonly in: 'path' | 'query' | 'header';
  readonly name: string;
  readonly required: boolean;
  readonly schema: Schema;
  readonly 'x-gatehouse-read-by-handler'?: true;
}

/** An operation from the OpenAPI document of a running service, with all references resolved. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** Whether a successful response does not end. */
  readonly isStream: boolean;
  readonly policy: string;
  readonly scope: string | undefined;
  readonly parameters: readonly Parameter[];
  readonly body: Body | undefined;
  /** Kinds of credentials that it accepts. An empty string means that it needs none. */
  readonly credentials: readonly string[];
  readonly takesSudo: boolean;
  /** Codes of field errors that the service reports in addition to those of input validation. */
  readonly fieldCodes: ReadonlySet<string>;
}

export interface Body {
  readonly type: string;
  readonly schema: Schema;
  /** Whether a class validates the body before the handler runs. Otherwise the handler reads the body itself. */
  readonly isRuled: boolean;
}

type Named = { readonly [name: string]: Schema };

/** Resolves the references of a schema and merges the parts of `allOf` into one object. */
function resolved(schema: Schema, named: Named): Schema {
  const { $ref, allOf } = schema as { $ref?: string; allOf?: Schema[] };
  if ($ref) return resolved(named[$ref.slice($ref.lastIndexOf('/') + 1)] ?? {}, named);
  if (allOf) {
    const parts = allOf.map((part) => resolved(part, named));
    return {
      type: 'object',
      properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
      required: parts.flatMap(({ required }) => (required as string[] | undefined) ?? []),
    };
  }
  const { properties, items } = schema as { properties?: Named; items?: Schema };
  return {
    ...schema,
    ...(items ? { items: resolved(items, named) } : {}),
    ...(properties
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, member]) => [name, resolved(member, named)]),
          ),
        }
      : {}),
  };
}

const isStream = ({ responses }: Described): boolean =>
  Object.values(responses).some(({ content = {} }) => 'text/event-stream' in content);

interface Described {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: { readonly [type: string]: { readonly schema: Schema } } };
  readonly responses: { readonly [status: string]: { readonly content?: Readonly<Record<string, unknown>> } };
  readonly security: readonly { readonly [kind: string]: unknown }[];
  readonly 'x-gatehouse-policy': string;
  readonly 'x-gatehouse-scope'?: string;
  readonly 'x-gatehouse-sudo'?: string;
  readonly 'x-gatehouse-field-codes'?: readonly string[];
}

function operationOf(method: string, path: string, described: Described, named: Named): Operation {
  const [content] = Object.entries(described.requestBody?.content ?? {});
  return {
    id: described.operationId,
    method: method.toUpperCase(),
    isStream: isStream(described),
    path,
    policy: described['x-gatehouse-policy'],
    scope: described['x-gatehouse-scope'],
    parameters: (described.parameters ?? []).map((one) => ({ ...one, schema: resolved(one.schema, named) })),
    body: content && {
      type: content[0],
      schema: resolved(content[1].schema, named),
      isRuled: '$ref' in content[1].schema || 'allOf' in content[1].schema,
    },
    credentials: described.security.length === 0 ? [''] : described.security.map((one) => Object.keys(one)[0] ?? ''),
    takesSudo: described['x-gatehouse-sudo'] !== undefined,
    fieldCodes: new Set(described['x-gatehouse-field-codes']),
  };
}

/** Every operation of a running service, in the order of its OpenAPI document. */
export async function operationsOf(service: Gatehouse): Promise<Operation[]> {
  const { body } = await service.anonymous.get('/openapi.json');
  return Object.entries<Record<string, Described>>(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) =>
      operationOf(method, path, described, body.components.schemas as Named),
    ),
  );
}

/** Whether a path matches a path template. A `{path}` at the end matches several segments. */
export const isAt = (template: string, path: string): boolean =>
  new RegExp(
    `^${template
      .replace(/[.*+?^$()|[\]\\]/g, '\\$&')
      .replace(/\{path\}$/, '.+')
      .replace(/\{\w+\}/g, '[^/]+')}$`,
  ).test(path);
