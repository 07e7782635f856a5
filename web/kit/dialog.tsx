import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

export interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  /** The person wants out: by Escape or by a button within. */
  readonly onCancel: () => void;
  readonly children: ComponentChildren;
}

/** Where the focus may go when a dialog is closed, the best place first. */
const waysBack = new WeakMap<Element, readonly Element[]>();

/** What opened the dialog may be gone by then: a thing that was removed, or another dialog. */
function wayBack(): readonly Element[] {
  const opener = document.activeElement;
  const outer = opener?.closest('dialog');
  const further = (outer && waysBack.get(outer)) ?? [opener?.closest('[tabindex="-1"]'), document.querySelector('h1')];
  return [opener, ...further].filter((place) => place instanceof Element);
}

function goBack(places: readonly Element[]): void {
  if (document.activeElement !== document.body) return;
  const place = places.find(({ isConnected }) => isConnected);
  if (place instanceof HTMLElement) place.focus();
}

/** A question that nothing else can be done before. The browser keeps the focus within. */
export function Dialog({ title, isOpen, onCancel, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const dialog = element.current;
    if (!isOpen || !dialog) return undefined;
    const places = wayBack();
    waysBack.set(dialog, places);
    dialog.showModal();
    return () => {
      dialog.close();
      // Once it is gone: a browser gives the focus back to what opened it only where it stays in the document.
      queueMicrotask(() => goBack(places));
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
