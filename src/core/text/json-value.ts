const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

/** What a value is, for an error message. */
const kindOf = (value: unknown): string =>
  typeof value === 'object' && value !== null
    ? value.constructor.name
    : `${typeof value === 'number' ? value : typeof value}`;

/**
 * Accepts a value that JSON stores without loss: `JSON.parse` returns an equal one. Members that are undefined count as
 * absent.
 * @throws Error that names the path of the first other value
 */
export function assertJson(value: unknown, path: string, parents: readonly object[] = []): void {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)) return;
  const isContainer = typeof value === 'object' && (Array.isArray(value) || isPlain(value));
  if (!isContainer)
    throw new Error(`${path} must be JSON, but is a ${kindOf(value)}. Convert it to a string or a number`);
  if (parents.includes(value)) throw new Error(`${path} must be JSON, but contains itself`);
  for (const [member, each] of Object.entries(value)) {
    if (each !== undefined || Array.isArray(value)) assertJson(each, `${path}.${member}`, [...parents, value]);
  }
}
