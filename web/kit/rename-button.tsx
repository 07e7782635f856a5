import { useSignal } from '@preact/signals';
import { useAction } from '../core/action.js';
import { t } from '../core/language.js';
import { Button } from './button.js';
import { Dialog } from './dialog.js';
import { Field } from './field.js';
import { FailureNotice } from './notice.js';
import { toast } from './toast.js';

/** Texts of the button, the title of its dialog, the field, the button that saves, and the message after it. */
interface RenameWords {
  readonly label: string;
  readonly title: string;
  readonly field: string;
  readonly submit: string;
  readonly done: string;
}

export interface RenameButtonProps {
  /** The current name. */
  readonly name: string;
  readonly words: RenameWords;
  readonly rename: (name: string) => Promise<unknown>;
  readonly onRenamed: () => Promise<void>;
}

/** A button with a dialog for the name of an item in a list. */
export function RenameButton({ name, words, rename, onRenamed }: RenameButtonProps) {
  const next = useSignal<string | null>(null);
  const save = useAction(
    async () => {
      await rename(next.value ?? '');
      next.value = null;
      toast(words.done);
      await onRenamed();
    },
    { fields: ['name'] },
  );
  const close = () => {
    next.value = null;
    save.clear();
  };
  return (
    <>
      <Button
        kind="plain"
        size="small"
        label={`${words.label}: ${name}`}
        onClick={() => {
          next.value = name;
        }}
      >
        {words.label}
      </Button>
      <Dialog title={words.title} isOpen={next.value !== null} onCancel={close}>
        <form class="stack" onSubmit={save.run}>
          <FailureNotice of={save} />
          <Field
            name="name"
            label={words.field}
            value={next.value ?? ''}
            onValue={(value) => {
              next.value = value;
            }}
            wrong={save.of('name')}
            required
            maxLength={100}
          />
          <div class="actions">
            <Button kind="plain" onClick={close}>
              {t('common.cancel')}
            </Button>
            <Button submits action={save}>
              {words.submit}
            </Button>
          </div>
        </form>
      </Dialog>
    </>
  );
}
