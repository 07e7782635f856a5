import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Button, type ButtonProps } from './button.js';

/** Clicks before the user can have read the question are ignored (clickjacking protection). */
const READING_MS = 1000;
const PRESS_KEYS: ReadonlySet<string> = new Set(['Enter', ' ']);
const VIEW_EVENTS = ['focus', 'blur', 'pageshow'] as const;

const isInFront = (): boolean => !document.hidden && document.hasFocus();

interface Reading {
  readonly isEarly: ReadonlySignal<boolean>;
  /** True if the press began after the reading time and is not a key repeat or a double click. */
  readonly acceptsClick: (click: MouseEvent) => boolean;
}

/**
 * Measures the reading time. It starts when the question is shown, and again when the window gets the focus. A window
 * on top may have received the first of two clicks.
 */
function useReading(): Reading {
  const isEarly = useSignal(true);
  const readFrom = useRef(Number.POSITIVE_INFINITY);
  const pressedAt = useRef<number | null>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const restart = () => {
      clearTimeout(timer);
      isEarly.value = true;
      readFrom.current = Number.POSITIVE_INFINITY;
      if (!isInFront()) return;
      readFrom.current = performance.now() + READING_MS;
      timer = setTimeout(() => {
        isEarly.value = false;
      }, READING_MS);
    };
    const press = (event: KeyboardEvent | PointerEvent) => {
      if (event instanceof PointerEvent) pressedAt.current = event.timeStamp;
      else if (PRESS_KEYS.has(event.key)) pressedAt.current = event.repeat ? Number.NEGATIVE_INFINITY : event.timeStamp;
    };
    const release = () => {
      pressedAt.current = null;
    };
    restart();
    for (const name of VIEW_EVENTS) addEventListener(name, restart);
    document.addEventListener('visibilitychange', restart);
    document.addEventListener('pointerdown', press, true);
    document.addEventListener('keydown', press, true);
    document.addEventListener('click', release);
    return () => {
      clearTimeout(timer);
      for (const name of VIEW_EVENTS) removeEventListener(name, restart);
      document.removeEventListener('visibilitychange', restart);
      document.removeEventListener('pointerdown', press, true);
      document.removeEventListener('keydown', press, true);
      document.removeEventListener('click', release);
    };
  }, [isEarly]);
  const acceptsClick = ({ detail, timeStamp }: MouseEvent) =>
    detail <= 1 && (pressedAt.current ?? timeStamp) >= readFrom.current;
  return { isEarly, acceptsClick };
}

/**
 * A button on a page that attackers can link to. It is enabled after the page was visible and focused for one second.
 */
export function DecisionButton({ disabled = false, ...props }: ButtonProps) {
  const { isEarly, acceptsClick } = useReading();
  return <Button {...props} disabled={disabled || isEarly.value} acceptsClick={acceptsClick} />;
}
