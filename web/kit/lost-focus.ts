import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

/** Gives the focus a place when what had it is gone, such as the button of an item that was removed. */
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
