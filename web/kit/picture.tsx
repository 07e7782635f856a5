import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { t, wordsOfCode } from '../core/language.js';
import { Button } from './button.js';
import { describedBy, Notes } from './field.js';
import { Icon } from './icon.js';

/** Accepted types and maximum size (media.md). */
const KINDS = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'];
const MAX_BYTES = 2 * 1024 * 1024;

/** A new image as a `data:` URL. Null removes the current one, undefined keeps it. */
export type Picture = string | null | undefined;

const read = (file: File): Promise<string> =>
  new Promise((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.readAsDataURL(file);
  });

export interface PictureFieldProps {
  readonly label: string;
  readonly hint: string;
  readonly name: string;
  readonly chosen: Signal<Picture>;
  /** The current image; null if there is none. */
  readonly present: ComponentChildren;
  readonly look: 'portrait' | 'banner';
  /** Label of the remove button. */
  readonly removeLabel: string;
  readonly wrong?: string | undefined;
}

const faultOf = ({ type, size }: File): string | undefined => {
  if (!KINDS.includes(type)) return 'INVALID_IMAGE_FORMAT';
  return size > MAX_BYTES ? 'IMAGE_SIZE_EXCEEDS_LIMIT' : undefined;
};

/** A file input for an image, with a preview. The input covers its zone, so that the browser accepts dropped files. */
export function PictureField({ label, hint, name, chosen, present, look, removeLabel, wrong }: PictureFieldProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const unusable = useSignal<string | undefined>(undefined);
  const isDraggedOver = useSignal(false);
  const picture = chosen.value;
  useEffect(() => {
    if (picture === undefined && input.current) input.current.value = '';
  }, [picture]);
  const choose = async (file: File | undefined) => {
    unusable.value = file && faultOf(file);
    chosen.value = file && !unusable.value ? await read(file) : undefined;
  };
  const over = (isOver: boolean) => () => {
    isDraggedOver.value = isOver;
  };
  const remove = () => {
    chosen.value = present ? null : undefined;
    input.current?.focus();
  };
  const fault = unusable.value ? wordsOfCode(unusable.value) : wrong;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="row">
        {picture ? <img class={look} alt="" src={picture} /> : picture === undefined && present}
        {(picture || (picture === undefined && present)) && (
          <Button kind="plain" size="small" onClick={remove}>
            {removeLabel}
          </Button>
        )}
      </div>
      <div class={isDraggedOver.value ? 'drop-zone is-over' : 'drop-zone'}>
        <Icon name="upload" />
        <span aria-hidden="true">{t('common.chooseImage')}</span>
        <input
          ref={input}
          id={id}
          name={name}
          type="file"
          accept={KINDS.join()}
          aria-invalid={fault ? 'true' : undefined}
          aria-describedby={describedBy({ id, hint, wrong: fault })}
          onChange={(event) => void choose(event.currentTarget.files?.[0])}
          onDragEnter={over(true)}
          onDragLeave={over(false)}
          onDrop={over(false)}
        />
      </div>
      <Notes id={id} hint={hint} wrong={fault} />
    </div>
  );
}
