import { Refusal } from '../../core/errors.js';
import type { AssetKind } from '../addresses/keys.js';
import { FORMATS, type ImageFormat, type Quality } from './images.service.js';

/** What a request wants done with an image; what is absent is decided by the image itself. */
export interface Transform {
  readonly format: ImageFormat;
  readonly quality: Quality | undefined;
  readonly animated: boolean;
  /** One scales, both crop to cover from the centre. */
  readonly width?: number;
  readonly height?: number;
  /** The whole of it fits into a square of this edge. */
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
/** Any of these asks for a transform of what else is sent as it is stored. */
const TRIGGERS = ['width', 'height', 'format', 'quality'];

/** `jpg` is another word for `jpeg`; `undefined` for what no image is encoded to. */
export const formatOf = (name: string): ImageFormat | undefined => {
  const wanted = name.toLowerCase();
  return FORMATS.find((format) => format === (wanted === 'jpg' ? 'jpeg' : wanted));
};

/** A file name with the extension of what it was made into. */
export const renamed = (filename: string, format: ImageFormat): string =>
  formatOf(/\.([A-Za-z0-9]+)$/.exec(filename)?.[1] ?? '') === format
    ? filename
    : `${filename.replace(/\.[A-Za-z0-9]{1,16}$/, '')}.${format}`;

/** `true` in any case, or `1`. */
const isTrue = (value: string): boolean => value === '1' || value.toLowerCase() === 'true';

/** The parameters of a media URL (media.md 7.1): form-decoded, of several the last, unknown ones ignored. */
export class Selectors {
  private readonly last: ReadonlyMap<string, string>;

  constructor(url: string) {
    this.last = new Map(new URLSearchParams(url.split('?').slice(1).join('?')));
  }

  private flag(name: string): boolean | undefined {
    const value = this.last.get(name);
    return value === undefined ? undefined : isTrue(value);
  }

  get download(): boolean {
    return this.flag('download') ?? false;
  }

  private get quality(): Quality | undefined {
    const value = this.last.get('quality');
    if (value === undefined) return undefined;
    return QUALITIES.has(value) ? (value as Quality) : 'high';
  }

  private edge(name: 'width' | 'height'): number | undefined {
    const value = this.last.get(name);
    if (value === undefined) return undefined;
    if (!/^[1-9]\d{0,4}$/.test(value) || Number(value) > MAX_EDGE) throw new Refusal('BAD_REQUEST');
    return Number(value);
  }

  /**
   * What attachments and foreign media are to become; `null` for those that are sent as they are. The format is that
   * of the source unless the request names one.
   * @throws Refusal BAD_REQUEST
   */
  transform(): (Omit<Transform, 'format'> & { readonly format: ImageFormat | undefined }) | null {
    const animated = this.flag('animated') ?? false;
    const [width, height] = [this.edge('width'), this.edge('height')];
    const named = this.last.get('format');
    const format = named === undefined ? undefined : formatOf(named);
    if (named !== undefined && !format) throw new Refusal('BAD_REQUEST');
    if (!animated && !TRIGGERS.some((name) => this.last.has(name))) return null;
    return {
      ...{ format, quality: this.quality, animated },
      ...(width === undefined ? {} : { width }),
      ...(height === undefined ? {} : { height }),
    };
  }

  /** What an avatar or a banner is to become. Nothing is refused here: what cannot be meant has a default. */
  asset(kind: AssetKind, { extension, isAnimated }: { extension: string; isAnimated: boolean }): Transform {
    const named = this.last.get('fmt')?.toLowerCase() ?? '';
    const format = (named === 'auto' ? 'webp' : formatOf(named)) ?? formatOf(extension) ?? 'webp';
    const animated = this.flag('animated') ?? isAnimated;
    return { format, quality: this.quality ?? 'high', animated, size: this.size(kind) };
  }

  private size(kind: AssetKind): number {
    const value = this.last.get('size') ?? '';
    const wanted = /^[1-9]\d{0,4}$/.test(value) ? Number(value) : DEFAULT_SIZE;
    const step = SIZES.find((candidate) => candidate >= wanted) ?? DEFAULT_SIZE;
    const [min, max] = SIZE_BOUNDS[kind];
    return Math.min(max, Math.max(min, step));
  }
}
