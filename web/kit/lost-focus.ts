import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

/** Moves the focus to an element when the focused one was removed, for example the button of a deleted item. */
export function useLostFocus(place: RefObject<HTMLElement | null>): void {
  const last = useRef<Element | null>(null);
  useEffect(() => {
    const note = ({ target }: FocusEvent) => {
      last.current = target as Element;
    };
    document.addEventListener('focusin', note);
    return () => document.removeEventListener('focusin', note);
  }, []);
  useLayoutEffect(() => {
    if (document.activeElement !== document.body || last.current?.isConnected !== false) return;
    last.current = null;
    place.current?.focus();
  });
}
