import { signal } from '@preact/signals';

const TOAST_DURATION_MS = 5000;
const visibleToasts = signal<readonly { readonly id: number; readonly words: string }[]>([]);
let lastToastId = 0;

/** Shows a short confirmation. Important messages must be on the page instead. */
export function toast(words: string): void {
  const id = ++lastToastId;
  visibleToasts.value = [...visibleToasts.value, { id, words }];
  setTimeout(() => {
    visibleToasts.value = visibleToasts.value.filter((one) => one.id !== id);
  }, TOAST_DURATION_MS);
}

export const Toasts = () => (
  <div class="toasts" role="status" aria-live="polite">
    {visibleToasts.value.map(({ id, words }) => (
      <div class="toast" key={id}>
        {words}
      </div>
    ))}
  </div>
);
