import { useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import { t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { Dialog } from '../../kit/dialog.js';
import { clampSection, MAX_ZOOM, moveSection, partOf, type Section, WHOLE } from './section.js';

/** The shape that an image is cropped to. */
export interface Shape {
  /** Aspect ratio (width divided by height). */
  readonly aspect: number;
  /** Maximum width that the service displays, in pixels. */
  readonly width: number;
  readonly isRound: boolean;
}

/** How far one key press moves the image, as a fraction of the visible part. */
const STEP = 0.05;
const ZOOM_STEP = 1.1;
const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-STEP, 0],
  ArrowRight: [STEP, 0],
  ArrowUp: [0, -STEP],
  ArrowDown: [0, STEP],
};
const ZOOMS: Readonly<Record<string, number>> = { '+': ZOOM_STEP, '=': ZOOM_STEP, '-': 1 / ZOOM_STEP };

function draw(canvas: HTMLCanvasElement, picture: ImageBitmap, aspect: number, section: Section): void {
  const { x, y, width, height } = partOf(picture, aspect, section);
  const context = canvas.getContext('2d');
  if (!context) return;
  context.imageSmoothingQuality = 'high';
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.drawImage(picture, x, y, width, height, 0, 0, canvas.width, canvas.height);
}

/**
 * Draws the selected section on a new canvas. The canvas is no larger than the section or the largest displayed size.
 */
export function cropImage(picture: ImageBitmap, { aspect, width: most }: Shape, section: Section): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(Math.min(most, partOf(picture, aspect, section).width)));
  canvas.height = Math.max(1, Math.round(canvas.width / aspect));
  draw(canvas, picture, aspect, section);
  return canvas;
}

type Pointer = PointerEvent & { readonly currentTarget: HTMLElement };

interface CropperProps {
  readonly picture: ImageBitmap;
  readonly shape: Shape;
  readonly onCut: (canvas: HTMLCanvasElement) => void;
  readonly onCancel: () => void;
}

function Cropper({ picture, shape, onCut, onCancel }: CropperProps) {
  const { aspect, isRound } = shape;
  const section = useSignal(clampSection(picture, aspect, WHOLE));
  const canvas = useRef<HTMLCanvasElement>(null);
  const lastPosition = useRef<readonly [number, number]>([0, 0]);
  const id = useId();
  const current = section.value;
  useEffect(() => {
    if (canvas.current) draw(canvas.current, picture, aspect, current);
  }, [picture, aspect, current]);
  const zoom = (by: number) => {
    section.value = clampSection(picture, aspect, { ...section.value, zoom: section.value.zoom * by });
  };
  const press = (event: KeyboardEvent) => {
    const [right, down] = ARROWS[event.key] ?? [];
    const by = ZOOMS[event.key];
    if (right !== undefined && down !== undefined)
      section.value = moveSection(picture, aspect, section.value, right, down);
    else if (by) zoom(by);
    else return;
    event.preventDefault();
  };
  const startDrag = (event: Pointer) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    lastPosition.current = [event.clientX, event.clientY];
  };
  const drag = ({ currentTarget, pointerId, clientX, clientY }: Pointer) => {
    if (!currentTarget.hasPointerCapture(pointerId)) return;
    const { width, height } = currentTarget.getBoundingClientRect();
    const [x, y] = lastPosition.current;
    lastPosition.current = [clientX, clientY];
    section.value = moveSection(picture, aspect, section.value, (clientX - x) / width, (clientY - y) / height);
  };
  return (
    <>
      <p class="quiet" id={`${id}-hint`}>
        {t('profile.cutHint')}
      </p>
      {/* biome-ignore-start lint/a11y: HTML has no element for an area that is cropped by keys and by dragging */}
      <div
        class={isRound ? 'cutting round' : 'cutting'}
        role="application"
        aria-label={t('profile.cutArea')}
        aria-describedby={`${id}-hint`}
        tabIndex={0}
        onKeyDown={press}
        onPointerDown={startDrag}
        onPointerMove={drag}
      >
        <canvas ref={canvas} width={800} height={Math.round(800 / aspect)} />
      </div>
      {/* biome-ignore-end lint/a11y: see above */}
      <div class="field">
        <label for={id}>{t('profile.zoom')}</label>
        <input
          type="range"
          id={id}
          name="zoom"
          min={1}
          max={MAX_ZOOM}
          step={0.05}
          value={current.zoom}
          onInput={(event) => zoom(Number(event.currentTarget.value) / section.value.zoom)}
        />
      </div>
      <div class="actions">
        <Button kind="plain" onClick={onCancel}>
          {t('common.cancel')}
        </Button>
        <Button onClick={() => onCut(cropImage(picture, shape, section.value))}>{t('profile.useSection')}</Button>
      </div>
    </>
  );
}

export interface CropDialogProps extends Omit<CropperProps, 'picture'> {
  /** Null while the dialog is closed. */
  readonly picture: ImageBitmap | null;
}

/** A dialog to crop an image by mouse, touch or keyboard. */
export const CropDialog = ({ picture, ...props }: CropDialogProps) => (
  <Dialog title={t('profile.cutTitle')} isOpen={picture !== null} onCancel={props.onCancel}>
    {picture && <Cropper picture={picture} {...props} />}
  </Dialog>
);
