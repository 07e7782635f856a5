import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

export interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  /** Called when the user cancels with Escape or a button. */
  readonly onCancel: () => void;
  readonly children: ComponentChildren;
}

/** Elements that can get the focus when a dialog closes, best first. */
const fallbacksByDialog = new WeakMap<Element, readonly Element[]>();

/** Collects fallbacks, because the element that opened the dialog may have been removed by then. */
function focusFallbacks(): readonly Element[] {
  const opener = document.activeElement;
  const outer = opener?.closest('dialog');
  const further = (outer && fallbacksByDialog.get(outer)) ?? [
    opener?.closest('[tabindex="-1"]'),
    document.querySelector('h1'),
  ];
  return [opener, ...further].filter((place) => place instanceof Element);
}

function restoreFocus(places: readonly Element[]): void {
  if (document.activeElement !== document.body) return;
  const place = places.find(({ isConnected }) => isConnected);
  if (place instanceof HTMLElement) place.focus();
}

/** A modal dialog. The browser keeps the focus inside. */
export function Dialog({ title, isOpen, onCancel, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const dialog = element.current;
    if (!isOpen || !dialog) return undefined;
    const places = focusFallbacks();
    fallbacksByDialog.set(dialog, places);
    dialog.showModal();
    return () => {
      dialog.close();
      // Afterwards, because browsers restore the focus only if the opener is still in the document.
      queueMicrotask(() => restoreFocus(places));
    };
  }, [isOpen]);
  if (!isOpen) return null;
  return (
    <dialog
      ref={element}
      class="dialog"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onCancel();
      }}
    >
      <div class="stack">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}
