/**
 * Reads by id that wait in one turn of the event loop, as one read of many. An id that the read does not answer is
 * `undefined`.
 */
export function gather<T>(
  read: (ids: string[]) => Promise<ReadonlyMap<string, T>>,
): (id: string) => Promise<T | undefined> {
  let next: { ids: Set<string>; found: Promise<ReadonlyMap<string, T>> } | undefined;
  return async (id) => {
    if (!next) {
      const ids = new Set<string>();
      const found = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
        next = undefined;
        return read([...ids]);
      });
      next = { ids, found };
    }
    next.ids.add(id);
    return (await next.found).get(id);
  };
}
