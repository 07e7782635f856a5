/**
 * Batches lookups by ID: all calls in one turn of the event loop become one read. An ID that the read does not return
 * resolves to `undefined`.
 */
export function batchById<T>(
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

/** Batches work: all calls in one turn of the event loop become one call of `work`, with at most `atOnce` items. */
export function batchCalls<I, O>(
  work: (items: readonly I[]) => Promise<readonly O[]>,
  atOnce: number,
): (item: I) => Promise<O> {
  let next: { items: I[]; done: Promise<readonly O[]> } | undefined;
  return async (item) => {
    if (!next || next.items.length === atOnce) {
      const items: I[] = [];
      const batch = {
        items,
        done: new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
          if (next === batch) next = undefined;
          return work(items);
        }),
      };
      next = batch;
    }
    const { items, done } = next;
    const place = items.push(item) - 1;
    return (await done)[place] as O;
  };
}
