import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Schema } from './api-metadata.js';

/** Descriptions of members by name. A member has the same meaning wherever it occurs. */
const DESCRIPTIONS: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(join(import.meta.dirname, 'members.json'), 'utf8'),
);

/** Returns a copy in which every member without a description of its own has the description of its name. */
export function describeMembers<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(describeMembers) as T;
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      key === 'properties' ? describeProperties(value) : describeMembers(value),
    ]),
  ) as T;
}

function describeProperties(properties: Readonly<Record<string, Schema>>): Record<string, Schema> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      const description = schema.description ?? DESCRIPTIONS[name];
      return [name, { ...describeMembers(schema), ...(description ? { description } : {}) }];
    }),
  );
}
