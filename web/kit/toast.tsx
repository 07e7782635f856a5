import { signal } from '@preact/signals';

const SHOWN_MS = 5000;
const shown = signal<readonly { readonly id: number; readonly words: string }[]>([]);
let last = 0;

/** Shows a short confirmation. Important messages must be on the page instead. */
export function toast(words: string): void {
  const id = ++last;
  shown.value = [...shown.value, { id, words }];
  setTimeout(() => {
    shown.value = shown.value.filter((one) => one.id !== id);
  }, SHOWN_MS);
}

export const Toasts = () => (
  <div class="toasts" role="status" aria-live="polite">
    {shown.value.map(({ id, words }) => (
      <div class="toast" key={id}>
        {words}
      </div>
    ))}
  </div>
);
