import type { Config } from '../core/config/config.js';

/** Where the widgets of others come from; of nobody else anything is loaded. */
const WIDGETS: Readonly<Record<string, string>> = {
  hcaptcha: 'https://hcaptcha.com https://*.hcaptcha.com',
  turnstile: 'https://challenges.cloudflare.com',
};

interface PageSources {
  readonly gateway: string;
  readonly media: string;
  readonly logo?: string | undefined;
}

const sourcesOf = ({ gatewayUrl, media, brand }: Config): PageSources => ({
  gateway: new URL(gatewayUrl).origin,
  media: new URL(media.baseUrl).origin,
  logo: brand.logo && new URL(brand.logo.url).origin,
});

/** What a page may load and reach (web.md section 1). @param captcha its provider, on a page that may ask for one */
function contentPolicy({ gateway, media, logo }: PageSources, captcha?: string): string {
  const widgets = WIDGETS[captcha ?? ''];
  const rule = (name: string, ...sources: readonly (string | undefined)[]) =>
    [name, ...new Set(sources.filter(Boolean))].join(' ');
  return [
    rule('default-src', "'none'"),
    rule('script-src', "'self'", widgets),
    rule('style-src', "'self'"),
    rule('img-src', "'self'", 'data:', 'blob:', media, logo),
    rule('connect-src', "'self'", gateway, media, widgets),
    ...(widgets ? [rule('frame-src', widgets)] : []),
    rule('form-action', "'none'"),
    rule('base-uri', "'none'"),
    rule('frame-ancestors', "'none'"),
    rule('require-trusted-types-for', "'script'"),
  ].join('; ');
}

const UNUSED = `accelerometer autoplay camera display-capture fullscreen geolocation gyroscope hid idle-detection magnetometer
  microphone midi payment picture-in-picture screen-wake-lock serial usb xr-spatial-tracking`;

/** What a page may ask of the browser: passkeys, and nothing else. */
export const PERMISSIONS = [
  ...['create', 'get'].map((name) => `publickey-credentials-${name}=(self)`),
  ...UNUSED.split(/\s+/).map((name) => `${name}=()`),
].join(', ');

/** Of the one rule that the theme of the guides adds while it changes between light and dark: no transitions. */
const WITHOUT_TRANSITIONS = "'sha256-skqujXORqzxt1aE0NNXxujEanPTX6raoqSscTV/Ww/Y='";

/** What a guide may load: files of this origin, which its search reads too. */
const GUIDES_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' ${WITHOUT_TRANSITIONS}`,
  "connect-src 'self'",
  "img-src 'self' data:",
  ...['form-action', 'base-uri', 'frame-ancestors'].map((name) => `${name} 'none'`),
].join('; ');

/** What keeps other pages from a page, and a page from what it does not need. */
const SHELTER = {
  'Cache-Control': 'no-cache',
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': PERMISSIONS,
};

/** What the guides are sent with. */
export const GUIDE_HEADERS: Readonly<Record<string, string>> = {
  ...SHELTER,
  'Content-Security-Policy': GUIDES_POLICY,
};

/** What every page of the service is sent with (web.md section 1), and a team's own should be. */
export const pageHeaders = (config: Config, captcha?: string): Readonly<Record<string, string>> => ({
  ...SHELTER,
  'Content-Security-Policy': contentPolicy(sourcesOf(config), captcha),
});
