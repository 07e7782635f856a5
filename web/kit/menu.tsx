import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from './icon.js';

export interface MenuItem {
  readonly label: string;
  readonly onChoose: () => void;
  /** The language of the label, if it is not that of the page. */
  readonly lang?: string;
  /** For an option of its group: true if it is the current one. */
  readonly isChecked?: boolean;
  /** The option is independent of the others, and the menu stays open. */
  readonly isToggle?: boolean;
}

/** An item that shows and hides further items below itself. */
export interface Submenu {
  readonly label: string;
  /** The current choice. */
  readonly value: string;
  readonly items: readonly MenuItem[];
}

export interface MenuProps {
  readonly label: string;
  /** Shown on the button instead of the label. */
  readonly face?: ComponentChildren;
  readonly groups: readonly { readonly label?: string; readonly items: readonly (MenuItem | Submenu)[] }[];
}

const rolesOf = ({ isChecked, isToggle }: MenuItem) =>
  isChecked === undefined
    ? ({ role: 'menuitem' } as const)
    : ({ role: isToggle ? 'menuitemcheckbox' : 'menuitemradio', 'aria-checked': isChecked } as const);

/** The item to focus for a key. A letter selects the next item that starts with it. */
function itemFor(key: string, items: readonly HTMLElement[]): HTMLElement | undefined {
  const index = items.indexOf(document.activeElement as HTMLElement);
  const targets: Record<string, number> = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: -1 };
  const target = targets[key];
  if (target !== undefined) return items.at(target % items.length);
  if (key.length > 1) return undefined;
  const next = [...items.slice(index + 1), ...items.slice(0, index + 1)];
  return next.find((item) => item.textContent?.toLowerCase().startsWith(key.toLowerCase()));
}

interface ItemProps<T> {
  readonly of: T;
  readonly close: (isFocused: boolean) => void;
}

const Item = ({ of: item, close }: ItemProps<MenuItem>) => (
  <button
    type="button"
    {...rolesOf(item)}
    lang={item.lang}
    tabIndex={-1}
    onClick={() => {
      if (!item.isToggle) close(true);
      item.onChoose();
    }}
  >
    {item.label}
    {item.isChecked && <Icon name="check" size={16} />}
  </button>
);

/** The arrow keys open and close it, as in the WAI-ARIA pattern of a submenu. */
function Expandable({ of: { label, value, items }, close }: ItemProps<Submenu>) {
  const isOpen = useSignal(false);
  const root = useRef<HTMLDivElement>(null);
  const open = isOpen.value;
  useLayoutEffect(() => {
    if (open) root.current?.querySelector<HTMLElement>('[aria-checked="true"]')?.focus();
  }, [open]);
  const onKeyDown = (event: KeyboardEvent) => {
    const isRtl = document.documentElement.dir === 'rtl';
    const [forward, back] = isRtl ? ['ArrowLeft', 'ArrowRight'] : ['ArrowRight', 'ArrowLeft'];
    if (event.key !== (open ? back : forward)) return;
    event.preventDefault();
    isOpen.value = !open;
    if (open) root.current?.querySelector<HTMLElement>('button')?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the key handler is for the menu items
    <div ref={root} onKeyDown={onKeyDown}>
      <button
        type="button"
        role="menuitem"
        aria-expanded={open}
        tabIndex={-1}
        onClick={() => {
          isOpen.value = !open;
        }}
      >
        {label}
        <span class="row small quiet">
          {value}
          <Icon name="chevron-down" size={16} />
        </span>
      </button>
      {open && (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is not allowed in a menu
        <div role="group" aria-label={label} class="submenu">
          {items.map((item) => (
            <Item key={item.label} of={item} close={close} />
          ))}
        </div>
      )}
    </div>
  );
}

/** A button with a menu of grouped items. Keys work as in the WAI-ARIA pattern. */
export function Menu({ label, face, groups }: MenuProps) {
  const isOpen = useSignal(false);
  const opensAtEnd = useRef(false);
  const root = useRef<HTMLDivElement>(null);
  const items = () => [...(root.current?.querySelectorAll<HTMLElement>('[role^=menuitem]') ?? [])];
  const close = (isFocused: boolean) => {
    isOpen.value = false;
    if (isFocused) root.current?.querySelector<HTMLElement>('button')?.focus();
  };
  const open = isOpen.value;
  // Before the browser paints the items, so that no key goes to another one.
  useLayoutEffect(() => {
    if (!open) return undefined;
    items()
      .at(opensAtEnd.current ? -1 : 0)
      ?.focus();
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
  const onKeyDown = (event: KeyboardEvent) => {
    const { key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (open) {
      if (key === 'Escape') close(true);
      const item = itemFor(key, items());
      if (item) event.preventDefault();
      item?.focus();
    } else if (key === 'ArrowDown' || key === 'ArrowUp') {
      event.preventDefault();
      opensAtEnd.current = key === 'ArrowUp';
      isOpen.value = true;
    }
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the key handler is for the button and the menu items
    <div class="menu" ref={root} onKeyDown={onKeyDown}>
      <button
        type="button"
        class={face ? 'face' : 'button plain small'}
        aria-label={face ? label : undefined}
        aria-haspopup="menu"
        aria-expanded={open}
        onClick={() => {
          opensAtEnd.current = false;
          isOpen.value = !open;
        }}
      >
        {face ?? (
          <>
            {label}
            <Icon name="chevron-down" size={16} />
          </>
        )}
      </button>
      {open && (
        <div class="items" role="menu" aria-label={label}>
          {groups.map((group, index) => (
            // biome-ignore lint/a11y/useSemanticElements: a fieldset is not allowed in a menu
            <div key={index} role="group" aria-label={group.label}>
              {group.label && (
                <div class="title" aria-hidden="true">
                  {group.label}
                </div>
              )}
              {group.items.map((item, position) =>
                'items' in item ? (
                  <Expandable key={position} of={item} close={close} />
                ) : (
                  <Item key={position} of={item} close={close} />
                ),
              )}
            </div>
          ))}
        </div>
      )}
    </div>
  );
}
