import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { SecretDialog } from './secret.js';

/** New secrets, and what to do after the user has saved them. */
export interface ShownSecrets {
  readonly title: string;
  readonly secrets: Readonly<Record<string, string>>;
  readonly onKept?: () => void;
}

export const secretsToShow = signal<ShownSecrets | null>(null);

/** Must be rendered once per view. The component that created the secret may be unmounted while it is shown. */
export function SecretsDialogHost() {
  const now = secretsToShow.value;
  useEffect(
    () => () => {
      secretsToShow.value = null;
    },
    [],
  );
  return (
    <SecretDialog
      title={now?.title ?? ''}
      secrets={now?.secrets ?? null}
      onKept={() => {
        secretsToShow.value = null;
        now?.onKept?.();
      }}
    />
  );
}
