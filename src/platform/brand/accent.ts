/** Background colors behind text in pages and emails: the page itself and raised surfaces. */
export const BACKGROUNDS = {
  light: { page: '#f6f7f9', raised: '#ffffff' },
  dark: { page: '#0f1115', raised: '#171a20' },
} as const;

export type Scheme = keyof typeof BACKGROUNDS;

/** The accent colors of one scheme: for buttons, for text on buttons, and for links and focus on the page. */
export interface Accent {
  readonly accent: string;
  readonly on: string;
  readonly text: string;
}

const TEXT_CONTRAST = 4.5; // WCAG 2.2, 1.4.3
const SHAPE_CONTRAST = 3; // 1.4.11
/** Maximum percentage of black or white. With more, the color no longer resembles the chosen one. */
const MAX_MIX_PERCENT = 50;

type Channels = readonly [number, number, number];

const HEX = /^#[0-9a-f]{6}$/i;
export const isColor = (text: string): boolean => HEX.test(text);

const toChannels = (colour: string): Channels => {
  const bits = Number.parseInt(colour.slice(1), 16);
  return [bits >> 16, (bits >> 8) & 255, bits & 255];
};

const linear = (channel: number): number => {
  const part = channel / 255;
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
};

function luminance(colour: string): number {
  const [red, green, blue] = toChannels(colour);
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

/** The contrast ratio of two colors, from 1 to 21 (WCAG 2.2). */
export function contrast(one: string, other: string): number {
  const [dim, bright] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (bright + 0.05) / (dim + 0.05);
}

/** Mixes `hundredths` percent of another color into a color. */
const mixColors = (colour: string, other: string, hundredths: number): string => {
  const others = toChannels(other);
  const parts = toChannels(colour).map((part, i) => part + (((others[i] as number) - part) * hundredths) / 100);
  return `#${parts.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;
};

/** The lowest contrast of a color against the backgrounds of a scheme. */
const lowestContrast = (colour: string, scheme: Scheme): number =>
  Math.min(...Object.values(BACKGROUNDS[scheme]).map((ground) => contrast(colour, ground)));

/** Returns the least changed variant with enough contrast, or the variant with the highest contrast. */
function variant(colour: string, scheme: Scheme, least: number): string {
  const target = scheme === 'light' ? '#000000' : '#ffffff';
  for (let hundredths = 0; hundredths < MAX_MIX_PERCENT; hundredths += 1) {
    const tried = mixColors(colour, target, hundredths);
    if (lowestContrast(tried, scheme) >= least) return tried;
  }
  return mixColors(colour, target, MAX_MIX_PERCENT);
}

/** The accent colors for a scheme, or the contrast of the best variant if it is too low. */
export function accentFor(colour: string, scheme: Scheme): Accent | { readonly reached: number } {
  const text = variant(colour, scheme, TEXT_CONTRAST);
  const reached = lowestContrast(text, scheme);
  if (reached < TEXT_CONTRAST) return { reached };
  const accent = variant(colour, scheme, SHAPE_CONTRAST);
  // White or black always has a contrast of at least 4.58 to 1.
  const on = contrast(accent, '#ffffff') >= TEXT_CONTRAST ? '#ffffff' : '#000000';
  return { accent, on, text };
}
