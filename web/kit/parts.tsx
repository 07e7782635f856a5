import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

export interface TabsProps<Name extends string> {
  readonly label: string;
  readonly tabs: Readonly<Record<Name, string>>;
  readonly current: Name;
  readonly onChange: (name: Name) => void;
  readonly children: ComponentChildren;
}

/** Tabs with arrow key navigation. */
export function Tabs<Name extends string>({ label, tabs, current, onChange, children }: TabsProps<Name>) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const names = Object.keys(tabs) as Name[];
  const move = (event: KeyboardEvent) => {
    const isBack = document.documentElement.dir === 'rtl';
    const steps: Record<string, number> = { ArrowRight: isBack ? -1 : 1, ArrowLeft: isBack ? 1 : -1 };
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    const index = (names.indexOf(current) + step + names.length) % names.length;
    onChange(names[index] as Name);
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[index]?.focus();
  };
  return (
    <div class="stack">
      <div class="tabs" role="tablist" aria-label={label} ref={list} onKeyDown={move}>
        {names.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-${name}`}
            aria-selected={name === current}
            aria-controls={`${id}-panel`}
            tabIndex={name === current ? 0 : -1}
            onClick={() => onChange(name)}
          >
            {tabs[name]}
          </button>
        ))}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a panel without controls must be reachable by keyboard */}
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${current}`} tabIndex={0}>
        {children}
      </div>
    </div>
  );
}

export interface TableProps<Row> {
  readonly caption: string;
  readonly columns: Readonly<Record<string, (row: Row) => ComponentChildren>>;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
}

export const Table = <Row,>({ caption, columns, rows, keyOf }: TableProps<Row>) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard
  <section class="scroll" aria-label={caption} tabIndex={0}>
    <table class="table">
      <caption class="unseen">{caption}</caption>
      <thead>
        <tr>
          {Object.keys(columns).map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {Object.entries(columns).map(([name, cell]) => (
              <td key={name}>{cell(row)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);

export interface MenuProps {
  readonly label: string;
  readonly items: readonly { readonly label: string; readonly onChoose: () => void }[];
}

/** A menu button. Arrow keys, Home, End and Escape work as in the WAI-ARIA pattern. */
export function Menu({ label, items }: MenuProps) {
  const isOpen = useSignal(false);
  const root = useRef<HTMLDivElement>(null);
  const buttons = () => [...(root.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
  const close = (isFocused: boolean) => {
    isOpen.value = false;
    if (isFocused) root.current?.querySelector<HTMLElement>('button')?.focus();
  };
  const open = isOpen.value;
  useEffect(() => {
    if (!open) return undefined;
    buttons()[0]?.focus();
    const leave = (event: Event) => {
      if (!root.current?.contains(event.target as Node)) close(false);
    };
    document.addEventListener('pointerdown', leave);
    document.addEventListener('focusin', leave);
    return () => {
      document.removeEventListener('pointerdown', leave);
      document.removeEventListener('focusin', leave);
    };
  }, [open]);
  const move = (event: KeyboardEvent) => {
    const all = buttons();
    const index = all.indexOf(document.activeElement as HTMLElement);
    const targets: Record<string, number> = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: -1 };
    if (event.key === 'Escape') close(true);
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    all.at(target % all.length)?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the key handler is for the menu items
    <div class="menu" ref={root} onKeyDown={open ? move : undefined}>
      <button
        type="button"
        class="button plain small"
        aria-haspopup="menu"
        aria-expanded={open}
        onClick={() => {
          isOpen.value = !open;
        }}
      >
        {label}
      </button>
      {open && (
        <div class="items" role="menu" aria-label={label}>
          {items.map((item) => (
            <button
              key={item.label}
              type="button"
              role="menuitem"
              tabIndex={-1}
              onClick={() => {
                close(true);
                item.onChoose();
              }}
            >
              {item.label}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
