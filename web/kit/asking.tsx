import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { Action } from '../core/action.js';
import { t } from '../core/language.js';
import { Button } from './button.js';
import { Dialog } from './dialog.js';
import { FailureNotice } from './notice.js';

export interface AskingProps {
  /** On the button that opens the question, and on the one that says yes. */
  readonly label: string;
  readonly title: string;
  /** What will happen. */
  readonly children: ComponentChildren;
  /** Done after a yes; the question stays open while it is refused. */
  readonly action: Action;
  readonly kind?: 'main' | 'plain' | 'danger';
  readonly size?: 'small';
}

/** A button whose action is asked about first: what it will do is said before it is done. */
export function AskingButton({ label, title, children, action, kind = 'danger', size }: AskingProps) {
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
        kind={kind}
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
            <Button submits kind={kind} action={action}>
              {label}
            </Button>
          </div>
        </form>
      </Dialog>
    </>
  );
}
