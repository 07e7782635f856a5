import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { formatAgo, formatDateTime } from '../core/language.js';

const TICK_MS = 30_000;

/** Renders again twice a minute, so that relative times stay true while the page is open. */
export function useCurrentAgo(): void {
  const tick = useSignal(0);
  useEffect(() => {
    const timer = setInterval(() => {
      tick.value++;
    }, TICK_MS);
    return () => clearInterval(timer);
  }, [tick]);
  // Reading the signal subscribes the component.
  void tick.value;
}

/** A relative time. The exact time is shown on hover, and in a list also while a control of the item has the focus. */
export function Ago({ time }: { readonly time: string }) {
  useCurrentAgo();
  return (
    <time class="ago" dateTime={time}>
      {formatAgo(time)} <span class="unseen exact">({formatDateTime(time)})</span>
    </time>
  );
}
