import type { Config } from '../core/config/config.js';

/** Origins of third-party CAPTCHA widgets. No other third-party content is loaded. */
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

/**
 * The content security policy of a page (web.md section 1). @param captcha its provider, on a page that may ask for one
 */
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

const DISABLED_FEATURES = `accelerometer autoplay camera display-capture fullscreen geolocation gyroscope hid idle-detection magnetometer
  microphone midi payment picture-in-picture screen-wake-lock serial usb xr-spatial-tracking`;

/** The permissions policy of a page: only passkeys are allowed. */
export const PERMISSIONS = [
  ...['create', 'get'].map((name) => `publickey-credentials-${name}=(self)`),
  ...DISABLED_FEATURES.split(/\s+/).map((name) => `${name}=()`),
].join(', ');

/** The content security policy of the guides: only files of this origin, which the search also fetches. */
const GUIDES_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  ...['form-action', 'base-uri', 'frame-ancestors'].map((name) => `${name} 'none'`),
].join('; ');

/** Security headers that all pages share. */
const SECURITY_HEADERS = {
  'Cache-Control': 'no-cache',
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': PERMISSIONS,
};

/** Headers of the guides. */
export const GUIDE_HEADERS: Readonly<Record<string, string>> = {
  ...SECURITY_HEADERS,
  'Content-Security-Policy': GUIDES_POLICY,
};

/** Headers of every page of the service (web.md section 1). Extensions should send them with their own pages. */
export const pageHeaders = (config: Config, captcha?: string): Readonly<Record<string, string>> => ({
  ...SECURITY_HEADERS,
  'Content-Security-Policy': contentPolicy(sourcesOf(config), captcha),
});
