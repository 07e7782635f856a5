import type { RoutePlan } from '../policy/plan.js';
import type { Schema } from './described.js';
import { exampleOf } from './examples.js';

/** A framework's operation, as far as it is used here. */
export interface FrameworkOperation {
  readonly parameters?: readonly Schema[];
  readonly requestBody?: Schema;
}

/** What OpenAPI 3.0 says in its own words, in those of JSON Schema 2020-12. */
export function modern(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(modern);
  if (typeof value !== 'object' || value === null) return value;
  const { nullable, example, ...rest } = value as Record<string, unknown>;
  const schema: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(rest)) {
    schema[name] =
      name === 'properties'
        ? Object.fromEntries(Object.entries(member as object).map(([key, part]) => [key, modern(part)]))
        : modern(member);
  }
  if (example !== undefined) schema.examples = [example];
  if (nullable !== true) return schema;
  if (Array.isArray(schema.enum)) return { ...schema, type: [schema.type, 'null'], enum: [...schema.enum, null] };
  return typeof schema.type === 'string' ? { ...schema, type: [schema.type, 'null'] } : schema;
}

const PART = /[:*](\w+)/g;

/** `/v1/users/:id` and `/media/*path` as OpenAPI writes them. */
export const templateOf = (path: string): string => path.replace(PART, '{$1}');

/** The parameters of the path, each of them, then what the framework knows of the query. */
export function parametersOf({ path, query }: RoutePlan, known: FrameworkOperation | undefined): Schema[] {
  const ofFramework = (known?.parameters ?? []).map((parameter) => modern(parameter) as Schema);
  const ofPath = [...path.matchAll(PART)].map(([text, name]) => {
    const declared = ofFramework.find((parameter) => parameter.in === 'path' && parameter.name === name);
    if (declared) return declared;
    const description = text.startsWith('*') ? { description: 'The rest of the path, with its slashes' } : {};
    return { name, in: 'path', required: true, ...description, schema: { type: 'string' } };
  });
  const readByHand = query.map((parameter) => ({
    ...{ in: 'query', required: false, 'x-gatehouse-read-by-handler': true },
    ...parameter,
  }));
  return [...ofPath, ...ofFramework.filter((parameter) => parameter.in === 'query'), ...readByHand];
}

/** The body of a route: the class that it is bound to, with the factors of sudo mode, or the declared media types. */
export function bodyOf({ accepts, input, takes }: RoutePlan, named: (ref: string) => Schema): Schema | undefined {
  if (accepts.kind === 'none') return undefined;
  const shapes = [input?.body, input?.sudo].filter((shape) => shape !== undefined);
  const [first, second] = shapes;
  if (!first) {
    if (takes.length === 0) return undefined;
    const content = Object.fromEntries(
      takes.map(({ type, members: properties, required, example }) => [
        type,
        {
          schema: properties ? { type: 'object', properties, ...(required ? { required } : {}) } : {},
          ...(example === undefined ? {} : { example }),
        },
      ]),
    );
    return { required: true, content };
  }
  // A class that extends the factors has them already.
  const isOne = !second || first.prototype instanceof second;
  const schemas = (isOne ? [first] : [first, second]).map(({ name }) => refTo(name));
  const isRequired = schemas.some(({ $ref }) => ((named($ref as string).required as string[]) ?? []).length > 0);
  return { required: isRequired, content: { 'application/json': contentOf(schemas, named) } };
}

const refTo = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

function contentOf(schemas: readonly Schema[], named: (ref: string) => Schema): Schema {
  const schema = schemas.length === 1 ? (schemas[0] as Schema) : { allOf: schemas };
  return { schema, example: exampleOf(schema, named) };
}
