/** A changed value. If it was added or removed, one side is empty. */
export interface Change {
  readonly kind: 'replaced' | 'listed';
  readonly name: string | null;
  readonly gone: readonly string[];
  readonly come: readonly string[];
}

/** A metadata member that is not a change. */
export interface Fact {
  readonly name: string;
  readonly value: string;
}

export interface Difference {
  readonly changes: readonly Change[];
  readonly facts: readonly Fact[];
}

/** Members whose value is a list. Only added and removed items are shown. */
const LISTS = /(?:acls|flags|traits|scopes|uris|networks|domains)$/;

const listed = (value: string): string[] => value.split(',').filter((one) => one !== '');

function replaced(name: string | null, before: string, after: string): Change {
  const isList = name !== null && LISTS.test(name);
  if (!isList) return { kind: 'replaced', name, gone: [before], come: [after] };
  const [old, now] = [listed(before), listed(after)];
  return {
    kind: 'listed',
    name,
    gone: old.filter((one) => !now.includes(one)),
    come: now.filter((one) => !old.includes(one)),
  };
}

/** Converts the metadata of an entry to changes and facts, by the names of its members. */
export function differenceOf(metadata: Readonly<Record<string, string>>): Difference {
  const rest = new Map(Object.entries(metadata));
  const take = (name: string): string | undefined => {
    const value = rest.get(name);
    rest.delete(name);
    return value;
  };
  const changes: Change[] = [];
  if (rest.has('before') && rest.has('after')) {
    changes.push(replaced(null, take('before') ?? '', take('after') ?? ''));
  }
  for (const name of Object.keys(metadata)) {
    const [, sort, of = ''] = /^(old|add|remove)_(.+)$/.exec(name) ?? [];
    const after = [`new_${of}`, of].find((one) => rest.has(one));
    if (sort === 'old' && after) changes.push(replaced(of, take(name) ?? '', take(after) ?? ''));
    else if ((sort === 'add' || sort === 'remove') && rest.has(name)) {
      const [gone, come] = [listed(take(`remove_${of}`) ?? ''), listed(take(`add_${of}`) ?? '')];
      changes.push({ kind: 'listed', name: of, gone, come });
    }
  }
  return { changes, facts: [...rest].map(([name, value]) => ({ name, value })) };
}
