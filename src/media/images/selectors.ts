import { ApiError } from '../../core/errors.js';
import type { AssetKind } from '../addresses/keys.js';
import { FORMATS, type ImageFormat, type Quality } from './images.service.js';

/** A requested transformation of an image. Missing values depend on the image. */
export interface Transform {
  readonly format: ImageFormat;
  readonly quality: Quality | undefined;
  readonly animated: boolean;
  /** One of width and height scales; both crop from the center to cover. */
  readonly width?: number;
  readonly height?: number;
  /** Fit the whole image into a square with this edge. */
  readonly size?: number;
}

const MAX_EDGE = 16384;
const SIZES = [
  ...[16, 20, 22, 24, 28, 32, 40, 44, 48, 56, 60, 64, 80, 96, 100, 128, 160, 240, 256, 300, 320, 480, 512, 600, 640],
  ...[1024, 1280, 1536, 2048, 3072, 4096, 8192, 16384],
];
const DEFAULT_SIZE = 128;
const SIZE_BOUNDS: Readonly<Record<AssetKind, readonly [min: number, max: number]>> = {
  avatars: [128, 1024],
  banners: [480, 2400],
};
const QUALITIES: ReadonlySet<string> = new Set<Quality>(['low', 'auto', 'high', 'lossless']);
/** Attachments and external media are transformed only if one of these parameters is present. */
const TRANSFORM_PARAMETERS = ['width', 'height', 'format', 'quality'];

/** Parses a format name; `jpg` is an alias of `jpeg`. Returns `undefined` for unsupported formats. */
export const parseFormat = (name: string): ImageFormat | undefined => {
  const wanted = name.toLowerCase();
  return FORMATS.find((format) => format === (wanted === 'jpg' ? 'jpeg' : wanted));
};

/** Replaces the extension of a file name with that of the format. */
export const withFormatExtension = (filename: string, format: ImageFormat): string =>
  parseFormat(/\.([A-Za-z0-9]+)$/.exec(filename)?.[1] ?? '') === format
    ? filename
    : `${filename.replace(/\.[A-Za-z0-9]{1,16}$/, '')}.${format}`;

/** `1`, or `true` in any case. */
const isTrue = (value: string): boolean => value === '1' || value.toLowerCase() === 'true';

/**
 * The form-decoded query parameters of a media URL (media.md 7.1). The last value of a name counts. Unknown names are
 * ignored.
 */
export class Selectors {
  private readonly lastValues: ReadonlyMap<string, string>;

  constructor(url: string) {
    this.lastValues = new Map(new URLSearchParams(url.split('?').slice(1).join('?')));
  }

  private flag(name: string): boolean | undefined {
    const value = this.lastValues.get(name);
    return value === undefined ? undefined : isTrue(value);
  }

  get download(): boolean {
    return this.flag('download') ?? false;
  }

  private get quality(): Quality | undefined {
    const value = this.lastValues.get('quality');
    if (value === undefined) return undefined;
    return QUALITIES.has(value) ? (value as Quality) : 'high';
  }

  private edge(name: 'width' | 'height'): number | undefined {
    const value = this.lastValues.get(name);
    if (value === undefined) return undefined;
    if (!/^[1-9]\d{0,4}$/.test(value) || Number(value) > MAX_EDGE) throw new ApiError('BAD_REQUEST');
    return Number(value);
  }

  /**
   * The transformation of an attachment or of external media. `null`: send it unchanged.
   * The format is that of the source unless the request specifies one.
   * @throws ApiError BAD_REQUEST
   */
  transform(): (Omit<Transform, 'format'> & { readonly format: ImageFormat | undefined }) | null {
    const animated = this.flag('animated') ?? false;
    const [width, height] = [this.edge('width'), this.edge('height')];
    const named = this.lastValues.get('format');
    const format = named === undefined ? undefined : parseFormat(named);
    if (named !== undefined && !format) throw new ApiError('BAD_REQUEST');
    if (!animated && !TRANSFORM_PARAMETERS.some((name) => this.lastValues.has(name))) return null;
    return {
      ...{ format, quality: this.quality, animated },
      ...(width === undefined ? {} : { width }),
      ...(height === undefined ? {} : { height }),
    };
  }

  /** The transformation of an avatar or a banner. Invalid values fall back to defaults instead of being rejected. */
  asset(kind: AssetKind, { extension, isAnimated }: { extension: string; isAnimated: boolean }): Transform {
    const named = this.lastValues.get('fmt')?.toLowerCase() ?? '';
    const format = (named === 'auto' ? 'webp' : parseFormat(named)) ?? parseFormat(extension) ?? 'webp';
    const animated = this.flag('animated') ?? isAnimated;
    return { format, quality: this.quality ?? 'high', animated, size: this.size(kind) };
  }

  private size(kind: AssetKind): number {
    const value = this.lastValues.get('size') ?? '';
    const wanted = /^[1-9]\d{0,4}$/.test(value) ? Number(value) : DEFAULT_SIZE;
    const step = SIZES.find((candidate) => candidate >= wanted) ?? DEFAULT_SIZE;
    const [min, max] = SIZE_BOUNDS[kind];
    return Math.min(max, Math.max(min, step));
  }
}
