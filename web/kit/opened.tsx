import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Action } from '../core/action.js';
import { onLinkClick, openId } from '../core/views.js';
import { Button } from './button.js';
import { FailureNotice } from './notice.js';

export interface OpenedProps {
  readonly title: string;
  readonly children: (id: string | null) => ComponentChildren;
}

/** Shows the list of a view, or the item in the URL. Moves the focus along. */
export function Opened({ title, children }: OpenedProps) {
  const id = openId.value;
  const former = useRef(id);
  const place = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (former.current !== id) place.current?.focus();
    former.current = id;
  }, [id]);
  return (
    <section class="stack roomy opened" tabIndex={-1} aria-label={title} ref={place}>
      {children(id)}
    </section>
  );
}

/** A link to another view. */
export const InnerLink = ({ href, children }: { readonly href: string; readonly children: ComponentChildren }) => (
  <a href={href} onClick={(event) => onLinkClick(event, href)}>
    {children}
  </a>
);

export interface UnlessMissingProps {
  /** Reloads the item. */
  readonly again: Action;
  /** The error code for a missing item. */
  readonly code: string;
  readonly children: ComponentChildren;
}

/** Replaces an item with an error once it no longer exists. */
export const UnlessMissing = ({ again, code, children }: UnlessMissingProps) => (
  <>{again.failure.value?.code === code ? <FailureNotice of={again} /> : children}</>
);

export interface ExpandableFormProps {
  readonly label: string;
  readonly kind?: 'main' | 'plain';
  readonly children: (fold: () => void) => ComponentChildren;
}

/** A button that is replaced by a form. The focus moves into the form and back. */
export function ExpandableForm({ label, kind = 'main', children }: ExpandableFormProps) {
  const isOpen = useSignal(false);
  const former = useRef(false);
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (former.current !== isOpen.value) place.current?.querySelector<HTMLElement>('input, textarea, button')?.focus();
    former.current = isOpen.value;
  }, [isOpen.value]);
  const turn = (isNext: boolean) => () => {
    isOpen.value = isNext;
  };
  const open = (
    <Button kind={kind} onClick={turn(true)}>
      {label}
    </Button>
  );
  return <div ref={place}>{isOpen.value ? children(turn(false)) : open}</div>;
}
