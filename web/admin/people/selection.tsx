import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { nameOf } from '../account-actions/account.js';
import type { AdminUser } from '../rights.js';
import { type BulkAction, offeredActions } from './bulk-actions.js';

/** The selected accounts. They stay selected on other pages of the list. */
export interface Selection {
  readonly users: readonly AdminUser[];
  readonly has: (user: AdminUser) => boolean;
  readonly set: (users: readonly AdminUser[], isSelected: boolean) => void;
  /** Selects only these IDs, if they are selected now. */
  readonly keep: (ids: readonly string[]) => void;
}

/** @param shown the current page, whose accounts are newer than the selected ones */
export function useSelection(shown: readonly AdminUser[]): Selection {
  const selected = useSignal<ReadonlyMap<string, AdminUser>>(new Map());
  return {
    users: [...selected.value.values()].map((user) => shown.find(({ id }) => id === user.id) ?? user),
    has: ({ id }) => selected.value.has(id),
    set: (users, isSelected) => {
      const next = new Map(selected.value);
      for (const user of users) isSelected ? next.set(user.id, user) : next.delete(user.id);
      selected.value = next;
    },
    keep: (ids) => {
      selected.value = new Map([...selected.value].filter(([id]) => ids.includes(id)));
    },
  };
}

interface CheckboxProps {
  readonly label: string;
  readonly name: string;
  readonly isChecked: boolean;
  readonly isMixed?: boolean;
  readonly onChecked: (isChecked: boolean, withShift: boolean) => void;
}

function Checkbox({ label, name, isChecked, isMixed = false, onChecked }: CheckboxProps) {
  const box = useRef<HTMLInputElement>(null);
  const withShift = useRef(false);
  useLayoutEffect(() => {
    if (box.current) box.current.indeterminate = isMixed;
  }, [isMixed]);
  return (
    <label class="people-check">
      <span class="unseen">{label}</span>
      <input
        ref={box}
        type="checkbox"
        name={name}
        checked={isChecked}
        onClick={(event) => {
          withShift.current = event.shiftKey;
        }}
        onChange={(event) => onChecked(event.currentTarget.checked, withShift.current)}
      />
    </label>
  );
}

interface SelectingProps {
  readonly of: Selection;
  readonly shown: readonly AdminUser[];
}

/** The column of checkboxes. With the Shift key, a click also selects all rows since the last one. */
export function useCheckboxes({ of: selection, shown }: SelectingProps) {
  const last = useRef<string | null>(null);
  const select = (user: AdminUser, isSelected: boolean, withShift: boolean) => {
    const [from, to] = [shown.findIndex(({ id }) => id === last.current), shown.indexOf(user)];
    const rows = withShift && from >= 0 ? shown.slice(Math.min(from, to), Math.max(from, to) + 1) : [user];
    last.current = user.id;
    selection.set(rows, isSelected);
  };
  const count = shown.filter(selection.has).length;
  return {
    head: (
      <Checkbox
        label={t('adminPeople.selectAll')}
        name="all"
        isChecked={count > 0 && count === shown.length}
        isMixed={count > 0 && count < shown.length}
        onChecked={(isChecked) => selection.set(shown, isChecked)}
      />
    ),
    cell: (user: AdminUser) => (
      <Checkbox
        label={t('adminPeople.select', { name: user.global_name ?? nameOf(user) })}
        name={`select-${user.id}`}
        isChecked={selection.has(user)}
        onChecked={(isChecked, withShift) => select(user, isChecked, withShift)}
      />
    ),
  };
}

interface SelectionBarProps {
  readonly of: Selection;
  readonly ask: (action: BulkAction) => void;
}

/** The number of selected accounts, and what can be done with them. */
export const SelectionBar = ({ of: { users, set }, ask }: SelectionBarProps) => (
  <section class="people-bar row" aria-label={t('adminPeople.selection')}>
    <strong role="status">{t('adminRegistrations.chosen', { count: users.length })}</strong>
    <Button kind="bare" size="small" onClick={() => set(users, false)}>
      {t('adminPeople.clearSelection')}
    </Button>
    {offeredActions().map((action) => (
      <Button key={action.name} kind="plain" size="small" onClick={() => ask(action)}>
        {t(`adminActions.${action.name}`)}
      </Button>
    ))}
  </section>
);
