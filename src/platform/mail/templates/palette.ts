import { type Accent, BACKGROUNDS, type Scheme } from '../../brand/accent.js';

/** Colors of text, secondary text, borders and code backgrounds, the same as on the web pages (web/kit/tokens.css). */
const TEXT_COLORS = {
  light: { ink: '#16191d', quiet: '#59616d', edge: '#d9dde3', sunken: '#f0f2f5' },
  dark: { ink: '#eceef2', quiet: '#a3abb8', edge: '#2c323c', sunken: '#1f232b' },
} as const;

export type Palette = Readonly<(typeof BACKGROUNDS)[Scheme] & (typeof TEXT_COLORS)[Scheme] & Accent>;

export const createPalette = (scheme: Scheme, accent: Readonly<Record<Scheme, Accent>>): Palette => ({
  ...BACKGROUNDS[scheme],
  ...TEXT_COLORS[scheme],
  ...accent[scheme],
});

/** CSS rules for email clients that support dark mode. The inline styles have the light colors. */
export const darkRules = ({ page, raised, ink, quiet, edge, sunken, accent, on, text }: Palette): string =>
  [
    `body, .page { background: ${page} !important }`,
    `.card { background: ${raised} !important; border-color: ${edge} !important }`,
    `.ink { color: ${ink} !important }`,
    `.quiet { color: ${quiet} !important }`,
    `.code { background: ${sunken} !important; border-color: ${edge} !important }`,
    `.button { background: ${accent} !important; color: ${on} !important }`,
    `.link { color: ${text} !important }`,
  ].join('\n');
