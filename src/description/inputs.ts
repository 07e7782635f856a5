import { schemaOf } from '../http/input.js';
import type { RoutePlan } from '../policy/plan.js';
import type { Schema } from './api-metadata.js';
import { exampleOf } from './examples.js';

const PART = /[:*](\w+)/g;

/** Converts `/v1/users/:id` and `/media/*path` to OpenAPI path templates. */
export const templateOf = (path: string): string => path.replace(PART, '{$1}');

function parameter(where: 'path' | 'query', name: string, schema: Schema, required: boolean): Schema {
  return { name, required, in: where, schema };
}

/** Path and query parameters: those of the input classes, then those that the handler reads itself. */
export function parametersOf({ path, query, input }: RoutePlan): Schema[] {
  const inPath = input?.params ? schemaOf(input.params).properties : {};
  const inQuery = input?.query ? schemaOf(input.query) : undefined;
  const ofPath = [...path.matchAll(PART)].map(([text, name = '']) => {
    const declared = inPath[name];
    if (declared) return parameter('path', name, declared, true);
    const description = text.startsWith('*') ? { description: 'The rest of the path, with its slashes' } : {};
    return { name, in: 'path', required: true, ...description, schema: { type: 'string' } };
  });
  const ofQuery = Object.entries(inQuery?.properties ?? {}).map(([name, schema]) =>
    parameter('query', name, schema, inQuery?.required?.includes(name) === true),
  );
  const readByHand = query.map((parameter) => ({
    ...{ in: 'query', required: false, 'x-gatehouse-read-by-handler': true },
    ...parameter,
  }));
  return [...ofPath, ...ofQuery, ...readByHand];
}

/** The request body of a route: its input class with the sudo members, or the declared media types. */
export function bodyOf({ accepts, input, bodies }: RoutePlan, named: (ref: string) => Schema): Schema | undefined {
  if (accepts.kind === 'none') return undefined;
  const shapes = [input?.body, input?.sudo].filter((shape) => shape !== undefined);
  const [first, second] = shapes;
  if (!first) {
    if (bodies.length === 0) return undefined;
    const content = Object.fromEntries(
      bodies.map(({ type, members: properties, required, example }) => [
        type,
        {
          schema: properties ? { type: 'object', properties, ...(required ? { required } : {}) } : {},
          ...(example === undefined ? {} : { example }),
        },
      ]),
    );
    return { required: true, content };
  }
  // A class that extends the sudo members already contains them.
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
