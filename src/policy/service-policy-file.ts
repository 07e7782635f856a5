import { readFileSync } from 'node:fs';
import { RULES } from '../core/text/name-rules.js';
import { findServicePolicyFaults, type ServicePolicyDeclaration } from './service-policy.js';

/** The service policies of a file, by name. */
export type ServicePolicies = Readonly<Record<string, ServicePolicyDeclaration>>;

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:,]/g;

/** The first member that an object of valid JSON has twice. `JSON.parse` would silently keep the last one. */
function findDuplicateMember(json: string): string | undefined {
  const objects: Set<string>[] = [];
  const tokens = json.match(TOKEN) ?? [];
  for (const [index, token] of tokens.entries()) {
    if (token === '{' || token === '[') objects.push(new Set());
    else if (token === '}' || token === ']') objects.pop();
    else if (tokens[index + 1] === ':') {
      const member = JSON.parse(token) as string;
      const known = objects.at(-1);
      if (known?.has(member)) return member;
      known?.add(member);
    }
  }
  return undefined;
}

function parse(json: string): { readonly value: unknown } | { readonly fault: string } {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return { fault: 'is not valid JSON' };
  }
  const duplicate = findDuplicateMember(json);
  return duplicate === undefined ? { value } : { fault: `has the member ${JSON.stringify(duplicate)} twice` };
}

function read(file: string): { readonly value: unknown } | { readonly fault: string } {
  try {
    return parse(readFileSync(file, 'utf8'));
  } catch (error) {
    return { fault: `cannot be read (${(error as NodeJS.ErrnoException).code})` };
  }
}

/**
 * Reads `{"policies": {"<name>": {...}}}`.
 * @param fault receives each error, with the file and the name of the policy
 */
export function readServicePolicyFile(file: string, fault: (text: string) => void): ServicePolicies {
  const found = read(file);
  if ('fault' in found) {
    fault(`${file} ${found.fault}`);
    return {};
  }
  const { policies, ...others } = Object(found.value) as Record<string, unknown>;
  const isPlain = typeof policies === 'object' && policies !== null && !Array.isArray(policies);
  if (!isPlain || Object.keys(others).length > 0) {
    fault(`${file} must contain {"policies": {...}} and nothing else`);
    return {};
  }
  for (const [name, declared] of Object.entries(policies)) {
    const label = `${file}: the service policy ${JSON.stringify(name)}`;
    if (!RULES.servicePolicies.shape.test(name))
      fault(`${label} has an invalid name. Use a lower-case letter, then letters, digits and hyphens, at most 64`);
    for (const one of findServicePolicyFaults(declared)) fault(`${label} ${one}`);
  }
  return policies as ServicePolicies;
}
