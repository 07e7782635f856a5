import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { Action } from '../core/action.js';
import { t } from '../core/language.js';
import { Button } from './button.js';
import { Dialog } from './dialog.js';
import { FailureNotice } from './notice.js';

export interface ConfirmButtonProps {
  /** Label of the button that opens the dialog and of the one that confirms. */
  readonly label: string;
  readonly title: string;
  /** A description of the effect. */
  readonly children: ComponentChildren;
  /** Runs after confirmation. The dialog stays open after an error. */
  readonly action: Action;
  /** `danger` shows the button of the dialog in red; `main` also shows the button that opens it as the primary one. */
  readonly kind?: 'main' | 'plain' | 'danger';
  readonly size?: 'small';
}

/** A button with a confirmation dialog that describes the effect. */
export function ConfirmButton({ label, title, children, action, kind = 'danger', size }: ConfirmButtonProps) {
  const isOpen = useSignal(false);
  const close = () => {
    isOpen.value = false;
    action.clear();
  };
  const confirm = async (event: Event) => {
    event.preventDefault();
    await action.run();
    if (!action.failure.value) isOpen.value = false;
  };
  return (
    <>
      <Button
        kind={kind === 'main' ? 'main' : 'plain'}
        {...(size ? { size } : {})}
        onClick={() => {
          isOpen.value = true;
        }}
      >
        {label}
      </Button>
      <Dialog title={title} isOpen={isOpen.value} onCancel={close}>
        <form class="stack" onSubmit={(event) => void confirm(event)}>
          {children}
          <FailureNotice of={action} />
          <div class="actions">
            <Button kind="plain" onClick={close}>
              {t('common.cancel')}
            </Button>
            <Button submits kind={kind === 'danger' ? 'danger' : 'main'} action={action}>
              {label}
            </Button>
          </div>
        </form>
      </Dialog>
    </>
  );
}
