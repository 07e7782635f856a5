import { settings } from '../../core/config/declared.js';
import type { SettingsReader } from '../../core/config/reader.js';
import { InstanceSettings } from '../settings/instance.settings.js';
import { type Accent, accentFor, isColor, type Scheme } from './accent.js';
import { type Logo, loadLogo } from './logo.js';

const ACCENT = '#2f5bea';
const RASTER = /\.(?:png|jpe?g|gif|webp)$/i;
const MAIL = /^mailto:[!-?A-~]+@[!-?A-~]+$/;
/** Former names of settings. */
const RENAMED = { TERMS_URL: 'BRAND_TERMS_URL', PRIVACY_URL: 'BRAND_PRIVACY_URL' };

function logo(read: SettingsReader): Logo | undefined {
  const { production, publicOrigin } = read.of(InstanceSettings);
  const url = read.url(
    'BRAND_LOGO_URL',
    'URL of the logo in pages and emails (https, or http in development). Email programs do not show SVG',
    undefined,
    production ? ['https:'] : ['https:', 'http:'],
  );
  const file = read.text('BRAND_LOGO_FILE', 'File of the logo instead: PNG, WebP or a plain SVG, at most 256 KiB');
  if (url !== undefined && file !== undefined)
    read.fault('BRAND_LOGO_FILE', 'must not be set together with BRAND_LOGO_URL');
  if (url !== undefined) return { url, inMails: RASTER.test(new URL(url).pathname) };
  if (file === undefined) return undefined;
  const found = loadLogo(file, publicOrigin);
  if (typeof found !== 'string') return found;
  read.fault('BRAND_LOGO_FILE', found);
  return undefined;
}

function accent(read: SettingsReader): Readonly<Record<Scheme, Accent>> {
  const about =
    'Color of buttons, links and focus, adjusted if the contrast is too low. In a .env file, use quotes: "#2f5bea"';
  const chosen = read.text('BRAND_ACCENT', about, { shown: ACCENT }) ?? ACCENT;
  if (!isColor(chosen)) read.fault('BRAND_ACCENT', 'must be a color such as #2f5bea');
  const colour = isColor(chosen) ? chosen.toLowerCase() : ACCENT;
  const of = (scheme: Scheme): Accent => {
    const derived = accentFor(colour, scheme);
    if ('accent' in derived) return derived;
    const changed = scheme === 'light' ? 'half black' : 'half white';
    const ratio = (Math.floor(derived.reached * 100) / 100).toFixed(2);
    read.fault(
      'BRAND_ACCENT',
      `is not readable as a link on a ${scheme} page: even ${changed}, its contrast is ${ratio} to 1. Required: 4.5 to 1`,
    );
    return { accent: colour, on: '#000000', text: colour };
  };
  return { light: of('light'), dark: of('dark') };
}

function supportUrl(read: SettingsReader): string | undefined {
  const value = read.text('BRAND_SUPPORT_URL', 'URL of help for users (https or mailto)');
  if (value === undefined || MAIL.test(value)) return value;
  if (URL.canParse(value) && new URL(value).protocol === 'https:') return value;
  read.fault('BRAND_SUPPORT_URL', 'must be a URL that begins with https:// or mailto:');
  return undefined;
}

/** The appearance of pages and emails, except for the product name. */
export class BrandSettings extends settings('Brand', (read) => {
  for (const [former, name] of Object.entries(RENAMED)) {
    if (read.peek(former) !== undefined) read.fault(former, `was renamed. Use ${name}`);
  }
  return {
    brand: {
      logo: logo(read),
      accent: accent(read),
      supportUrl: supportUrl(read),
      termsUrl: read.url(
        'BRAND_TERMS_URL',
        'URL of the terms of service (https). If it or BRAND_PRIVACY_URL is set, users must agree when they register',
        undefined,
        ['https:'],
      ),
      privacyUrl: read.url('BRAND_PRIVACY_URL', 'URL of the privacy policy (https)', undefined, ['https:']),
    },
  };
}) {}
