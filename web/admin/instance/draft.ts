import { useSignal } from '@preact/signals';
import { can, hasAcl } from '../rights.js';
import { type Config, isChanged, MEMBERS, type Member, storedIn, type Value } from './members.js';

/** Unsaved changes. */
export interface Draft {
  readonly current: (member: Member) => Value;
  readonly set: (member: Member, value: Value) => void;
  /** Members that differ from the stored configuration. */
  readonly changes: ReadonlyMap<Member, Value>;
  readonly clear: () => void;
}

/** True if the user may change a member. The service enforces this. */
export const mayChange = ({ isTrust }: Member): boolean =>
  can('patch', '/v1/admin/instance/config') && (!isTrust || hasAcl('*'));

export function useDraft(config: Config): Draft {
  const typed = useSignal<ReadonlyMap<Member, Value>>(new Map());
  const current = (member: Member): Value => {
    const value = typed.value.get(member);
    return value === undefined ? storedIn(config, member) : value;
  };
  const differing = MEMBERS.filter((member) => typed.value.has(member) && isChanged(config, member, current(member)));
  return {
    current,
    set: (member, value) => {
      typed.value = new Map(typed.value).set(member, value);
    },
    changes: new Map(differing.map((member) => [member, current(member)])),
    clear: () => {
      typed.value = new Map();
    },
  };
}
