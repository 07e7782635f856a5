import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

const secondsUntil = (time: number): number => Math.max(0, Math.ceil((time - Date.now()) / 1000));

/** Seconds left until a time in milliseconds, by the clock of this device. */
export function useSecondsUntil(time: number): ReadonlySignal<number> {
  const left = useSignal(secondsUntil(time));
  useEffect(() => {
    left.value = secondsUntil(time);
    const timer = setInterval(() => {
      left.value = secondsUntil(time);
    }, 1000);
    return () => clearInterval(timer);
  }, [time, left]);
  return left;
}
