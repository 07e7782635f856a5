import { readFileSync } from 'node:fs';
import type { Env, Setting } from './reader.js';
import { ConfigurationError } from './start-error.js';

const SUFFIX = '_FILE';

/** Reads the value of a secret, or returns the rule that the variable breaks. */
function readValue(env: Env, name: string, path: string): { value: string } | { fault: string } {
  if (env[name]?.trim()) return { fault: `cannot be set together with ${name}` };
  try {
    const value = readFileSync(path, 'utf8').trim();
    return value === '' ? { fault: 'names an empty file' } : { value };
  } catch (error) {
    return { fault: `names a file that cannot be read: ${(error as NodeJS.ErrnoException).code}` };
  }
}

/**
 * Returns an environment with the values of all secrets that are in files. `<NAME>_FILE` is the path of the file with
 * the value of `<NAME>`.
 * @throws ConfigurationError if a file cannot be read or is empty, or if a secret is set twice
 */
export function withSecretFiles(env: Env, settings: readonly Setting[]): Env {
  const read: Record<string, string | undefined> = { ...env };
  const faults: string[] = [];
  for (const { name, secret } of settings) {
    const variable = `${name}${SUFFIX}`;
    const path = env[variable]?.trim();
    if (!secret || !path) continue;
    const found = readValue(env, name, path);
    if ('fault' in found) faults.push(`${variable} ${found.fault}`);
    else read[name] = found.value;
    delete read[variable];
  }
  if (faults.length > 0) throw new ConfigurationError(faults);
  return read;
}
