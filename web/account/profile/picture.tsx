import { useSignal } from '@preact/signals';
import { useId, useRef } from 'preact/hooks';
import { type TranslationKey, t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { CropDialog, type Shape } from './crop-dialog.js';
import { encodeWithinLimit, KINDS, type Opened, openImage, UnusableImage } from './pictures.js';

export interface PictureProps {
  readonly name: 'avatar' | 'banner';
  readonly shape: Shape;
  readonly label: TranslationKey;
  readonly choose: TranslationKey;
  readonly remove: TranslationKey;
  /** The value in `Profile`. */
  readonly value: string | null;
  readonly onPicture: (data: string | null) => void;
  /** The error from the service. */
  readonly wrong: string | undefined;
}

type Still = Extract<Opened, { readonly kind: 'still' }>;

/** An image of the profile: selected from a file and cropped here. It is sent together with the rest of the profile. */
export function Picture({ name, shape, label, choose, remove, value, onPicture, wrong }: PictureProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const group = useRef<HTMLFieldSetElement>(null);
  const still = useSignal<Still | null>(null);
  const isMoving = useSignal(false);
  const unusable = useSignal<(() => string) | null>(null);
  const attempt = async (work: () => Promise<void>) => {
    unusable.value = null;
    try {
      await work();
    } catch (error) {
      if (!(error instanceof UnusableImage)) throw error;
      unusable.value = error.words;
    }
  };
  const take = (data: string | null, moves: boolean) => {
    isMoving.value = moves;
    onPicture(data);
  };
  const read = (file: File) =>
    attempt(async () => {
      const opened = await openImage(file);
      if (opened.kind === 'still') still.value = opened;
      else take(opened.data, true);
    });
  const end = () => {
    still.value?.bitmap.close();
    still.value = null;
  };
  const problem = unusable.value?.() ?? wrong;
  return (
    <fieldset class="field picture" ref={group} aria-describedby={`${id}-hint ${id}-wrong`}>
      <legend class="label">{t(label)}</legend>
      <div class="row">
        <Button kind="plain" size="small" onClick={() => input.current?.click()}>
          {t(choose)}
        </Button>
        {value !== null && (
          <Button
            kind="bare"
            size="small"
            onClick={() => {
              unusable.value = null;
              take(null, false);
              group.current?.querySelector('button')?.focus();
            }}
          >
            {t(remove)}
          </Button>
        )}
      </div>
      <input
        ref={input}
        type="file"
        name={name}
        accept={KINDS.join()}
        hidden
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          if (file) void read(file);
          // Reset the input, so that the same file can be selected again.
          currentTarget.value = '';
        }}
      />
      <div class="hint" id={`${id}-hint`}>
        <span role="status">{isMoving.value && value?.startsWith('data:') && t('profile.moving')}</span>{' '}
        {t('profile.pictureHint')}
      </div>
      <div class="wrong" id={`${id}-wrong`} role="alert">
        {problem}
      </div>
      <CropDialog
        picture={still.value?.bitmap ?? null}
        shape={shape}
        onCancel={end}
        onCut={(canvas) => {
          const isDrawn = still.value?.isDrawn ?? false;
          end();
          void attempt(async () => take(await encodeWithinLimit(canvas, isDrawn), false));
        }}
      />
    </fieldset>
  );
}
