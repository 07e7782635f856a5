import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { SecretDialog } from './secret.js';

/** Secrets that the service has just told, and what is done when they are kept. */
export interface Shown {
  readonly title: string;
  readonly secrets: Readonly<Record<string, string>>;
  readonly onKept?: () => void;
}

export const shown = signal<Shown | null>(null);

/** Stands once in a view: what tells a secret may be gone while it is still shown. */
export function ShownOnce() {
  const now = shown.value;
  useEffect(
    () => () => {
      shown.value = null;
    },
    [],
  );
  return (
    <SecretDialog
      title={now?.title ?? ''}
      secrets={now?.secrets ?? null}
      onKept={() => {
        shown.value = null;
        now?.onKept?.();
      }}
    />
  );
}
