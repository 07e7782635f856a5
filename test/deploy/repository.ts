import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../src/core/config/config.js';
import { allSettings, loadConfig } from '../../src/features.js';

export const root = join(import.meta.dirname, '..', '..');
/** The text of a file of the repository. */
export const text = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Loads an environment as the service does. Every variable must be a setting. */
export function configOf(env: Record<string, string>): Config {
  const known = new Set([...allSettings().map(({ name }) => name), 'NODE_ENV']);
  expect(Object.keys(env).filter((name) => !known.has(name))).toEqual([]);
  return loadConfig(env);
}
