import { type ComponentChildren, Fragment } from 'preact';
import { useId, useRef } from 'preact/hooks';

export interface TabsProps<Name extends string> {
  readonly label: string;
  readonly tabs: Readonly<Record<Name, string>>;
  readonly current: Name;
  readonly onChange: (name: Name) => void;
  readonly children: ComponentChildren;
}

/** Tabs. Arrow keys, Home and End select a tab as in the WAI-ARIA pattern. */
export function Tabs<Name extends string>({ label, tabs, current, onChange, children }: TabsProps<Name>) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const names = Object.keys(tabs) as Name[];
  const move = (event: KeyboardEvent) => {
    const isBack = document.documentElement.dir === 'rtl';
    const steps: Record<string, number> = { ArrowRight: isBack ? -1 : 1, ArrowLeft: isBack ? 1 : -1 };
    const targets: Record<string, number> = { Home: 0, End: names.length - 1 };
    const step = steps[event.key];
    const target = step === undefined ? targets[event.key] : names.indexOf(current) + step;
    if (target === undefined) return;
    event.preventDefault();
    const index = (target + names.length) % names.length;
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
  /** Shown below a row over its full width; null for none. */
  readonly details?: (row: Row) => ComponentChildren | null;
  /** A first column with controls for the rows, such as checkboxes. */
  readonly lead?: { readonly head: ComponentChildren; readonly cell: (row: Row) => ComponentChildren };
}

export const Table = <Row,>({ caption, columns, rows, keyOf, details = () => null, lead }: TableProps<Row>) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard
  <section class="scroll" aria-label={caption} tabIndex={0}>
    <table class="table">
      <caption class="unseen">{caption}</caption>
      <thead>
        <tr>
          {lead && <th scope="col">{lead.head}</th>}
          {Object.keys(columns).map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => {
          const below = details(row);
          return (
            <Fragment key={keyOf(row)}>
              <tr>
                {lead && <td>{lead.cell(row)}</td>}
                {Object.entries(columns).map(([name, cell]) => (
                  <td key={name}>{cell(row)}</td>
                ))}
              </tr>
              {below !== null && (
                <tr class="details">
                  <td colSpan={Object.keys(columns).length + (lead ? 1 : 0)}>{below}</td>
                </tr>
              )}
            </Fragment>
          );
        })}
      </tbody>
    </table>
  </section>
);
