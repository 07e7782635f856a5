import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { Action } from '../core/action.js';
import { t } from '../core/language.js';
import { Button } from './button.js';
import { Dialog } from './dialog.js';
import { FailureNotice } from './notice.js';

export interface ConfirmDialogProps {
  /** Label of the button that confirms. */
  readonly label: string;
  readonly title: string;
  /** A description of the effect. */
  readonly children: ComponentChildren;
  /** Runs after confirmation. The dialog stays open after an error. */
  readonly action: Action;
  readonly isOpen: boolean;
  /** Called after success, and when the user cancels. */
  readonly onClose: () => void;
  readonly isDanger?: boolean;
}

/** A dialog that describes an effect and asks for a confirmation. */
export function ConfirmDialog({ label, title, children, action, isOpen, onClose, isDanger }: ConfirmDialogProps) {
  const close = () => {
    onClose();
    action.clear();
  };
  const confirm = async (event: Event) => {
    event.preventDefault();
    await action.run();
    if (!action.failure.value) onClose();
  };
  return (
    <Dialog title={title} isOpen={isOpen} onCancel={close}>
      <form class="stack" onSubmit={(event) => void confirm(event)}>
        {children}
        <FailureNotice of={action} />
        <div class="actions">
          <Button kind="plain" onClick={close}>
            {t('common.cancel')}
          </Button>
          <Button submits kind={isDanger ? 'danger' : 'main'} action={action}>
            {label}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

export interface ConfirmButtonProps extends Omit<ConfirmDialogProps, 'isOpen' | 'onClose' | 'isDanger'> {
  /** `danger` shows the button of the dialog in red; `main` also shows the button that opens it as the primary one. */
  readonly kind?: 'main' | 'plain' | 'danger';
  readonly size?: 'small';
}

/** A button with a confirmation dialog that describes the effect. */
export function ConfirmButton({ label, kind = 'danger', size, ...props }: ConfirmButtonProps) {
  const isOpen = useSignal(false);
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
      <ConfirmDialog
        {...props}
        label={label}
        isDanger={kind === 'danger'}
        isOpen={isOpen.value}
        onClose={() => {
          isOpen.value = false;
        }}
      />
    </>
  );
}
