/** A rectangle of an image in pixels. */
export interface Part {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** The center of the section, from 0 to 1, and the zoom factor. */
export interface Section {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

export const MAX_ZOOM = 8;
export const WHOLE: Section = { x: 0.5, y: 0.5, zoom: 1 };

const clamp = (least: number, value: number, most: number): number => Math.min(most, Math.max(least, value));

/** The size of the section in pixels, within the image. */
function sizeOf({ width, height }: Size, aspect: number, zoom: number): Size {
  const most = Math.min(width, height * aspect);
  return { width: most / zoom, height: most / aspect / zoom };
}

/** Moves a section so that it lies within the image. */
export function clampSection(picture: Size, aspect: number, { x, y, zoom }: Section): Section {
  const kept = clamp(1, zoom, MAX_ZOOM);
  const { width, height } = sizeOf(picture, aspect, kept);
  const [halfX, halfY] = [width / picture.width / 2, height / picture.height / 2];
  return { x: clamp(halfX, x, 1 - halfX), y: clamp(halfY, y, 1 - halfY), zoom: kept };
}

export function partOf(picture: Size, aspect: number, { x, y, zoom }: Section): Part {
  const { width, height } = sizeOf(picture, aspect, zoom);
  return { x: x * picture.width - width / 2, y: y * picture.height - height / 2, width, height };
}

/** Moves the image under the section by fractions of the visible part. */
export function moveSection(picture: Size, aspect: number, section: Section, right: number, down: number): Section {
  const { width, height } = sizeOf(picture, aspect, section.zoom);
  const [x, y] = [section.x - (right * width) / picture.width, section.y - (down * height) / picture.height];
  return clampSection(picture, aspect, { ...section, x, y });
}
