import { signal } from '@preact/signals';

const TOAST_DURATION_MS = 5000;
const visibleToasts = signal<readonly { readonly id: number; readonly words: string; readonly count: number }[]>([]);
let lastToastId = 0;

/** Shows a short confirmation. A repeated one replaces the first and has a count. Important messages must be on the page. */
export function toast(words: string): void {
  const id = ++lastToastId;
  const count = (visibleToasts.value.find((one) => one.words === words)?.count ?? 0) + 1;
  visibleToasts.value = [...visibleToasts.value.filter((one) => one.words !== words), { id, words, count }];
  setTimeout(() => {
    visibleToasts.value = visibleToasts.value.filter((one) => one.id !== id);
  }, TOAST_DURATION_MS);
}

export const Toasts = () => (
  <div class="toasts" role="status" aria-live="polite">
    {visibleToasts.value.map(({ id, words, count }) => (
      <div class="toast row" key={id}>
        <span>{words}</span>
        {count > 1 && <bdi class="count">× {count}</bdi>}
      </div>
    ))}
  </div>
);
