import type { Schema } from './api-metadata.js';

/** Examples for formats that a pattern or name does not determine. */
const BY_FORMAT: Readonly<Record<string, string>> = {
  email: 'ada@example.com',
  password: 'correct horse battery staple',
  uri: 'https://example.com/',
  'date-time': '2026-05-05T20:07:32.877Z',
  byte: 'iVBORw0KGgo=',
};

const TEXT = 'example';

/** A value that an input schema accepts: its own example or the simplest valid value. */
export function exampleOf(schema: Schema, named: (ref: string) => Schema): unknown {
  if (typeof schema.$ref === 'string') return exampleOf(named(schema.$ref), named);
  if (Array.isArray(schema.examples)) return schema.examples[0];
  if ('example' in schema) return schema.example;
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (Array.isArray(schema.allOf)) {
    return Object.assign({}, ...schema.allOf.map((part: Schema) => exampleOf(part, named)));
  }
  const [choice] = (schema.anyOf ?? schema.oneOf ?? []) as Schema[];
  if (choice) return exampleOf(choice, named);
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'object':
      return exampleOfObject(schema, named);
    case 'array':
      return schema.minItems ? [exampleOf((schema.items as Schema | undefined) ?? {}, named)] : [];
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return (schema.minimum as number | undefined) ?? 0;
    case 'string':
      return exampleOfText(schema);
    default:
      return null;
  }
}

/** Contains only required members, or the first member if none is required. */
function exampleOfObject({ properties = {}, required }: Schema, named: (ref: string) => Schema): unknown {
  const known = properties as Record<string, Schema>;
  const wanted = (required as string[] | undefined) ?? Object.keys(known).slice(0, 1);
  return Object.fromEntries(wanted.map((name) => [name, exampleOf(known[name] ?? {}, named)]));
}

function exampleOfText({ format, minLength = 0, maxLength = TEXT.length }: Schema): string {
  return BY_FORMAT[format as string] ?? TEXT.padEnd(minLength as number, '0').slice(0, maxLength as number);
}
