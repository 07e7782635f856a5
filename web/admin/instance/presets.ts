import { type TranslationKey, t } from '../../core/language.js';

/** A known identity provider. One input determines its issuer, and the issuer determines the endpoints by discovery. */
interface Preset {
  readonly name: string;
  /** Null if the issuer is always the same. */
  readonly input: { readonly label: TranslationKey; readonly hint: TranslationKey } | null;
  /** The issuer for an input; null if the input is invalid. */
  readonly issuerOf: (input: string) => string | null;
  /** The input for an issuer; null if the issuer belongs to another provider. */
  readonly inputOf: (issuer: string) => string | null;
}

const GOOGLE = 'https://accounts.google.com';
const ENTRA_HOST = 'login.microsoftonline.com';
const OKTA_DOMAINS = ['.okta.com', '.oktapreview.com', '.okta-emea.com'];
const REALMS = '/realms/';
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

/** An entered or pasted URL. The scheme may be missing. */
function urlOf(text: string): URL | null {
  const whole = text.includes('://') ? text : `https://${text}`;
  return text !== '' && URL.canParse(whole) ? new URL(whole) : null;
}

export const PRESETS = {
  google: { name: 'Google', input: null, issuerOf: () => GOOGLE, inputOf: (issuer) => (issuer === GOOGLE ? '' : null) },
  entra: {
    name: 'Microsoft Entra ID',
    input: { label: 'adminInstance.entraTenant', hint: 'adminInstance.entraTenantHint' },
    issuerOf: (input) => (UUID.test(input) ? `https://${ENTRA_HOST}/${input.toLowerCase()}/v2.0` : null),
    inputOf: (issuer) => {
      const url = urlOf(issuer);
      return url?.host === ENTRA_HOST ? (url.pathname.split('/')[1] ?? '') : null;
    },
  },
  okta: {
    name: 'Okta',
    input: { label: 'adminInstance.oktaDomain', hint: 'adminInstance.oktaDomainHint' },
    issuerOf: (input) => {
      const url = urlOf(input);
      if (!url?.host.includes('.')) return null;
      // The issuer of an administrator's URL is the one for users.
      const host = url.host.replace('-admin.okta', '.okta');
      // A custom authorization server has its own issuer.
      return `https://${host}${url.pathname.startsWith('/oauth2/') ? url.pathname.replace(/\/$/, '') : ''}`;
    },
    inputOf: (issuer) => {
      const url = urlOf(issuer);
      const isOkta = url !== null && OKTA_DOMAINS.some((domain) => url.host.endsWith(domain));
      return isOkta ? `${url.host}${url.pathname === '/' ? '' : url.pathname}` : null;
    },
  },
  keycloak: {
    name: 'Keycloak',
    input: { label: 'adminInstance.keycloakRealm', hint: 'adminInstance.keycloakRealmHint' },
    issuerOf: (input) => {
      const url = urlOf(input);
      const [base, rest = ''] = url?.pathname.split(REALMS) ?? [];
      const realm = rest.split('/')[0];
      return url && realm ? `${url.origin}${base}${REALMS}${realm}` : null;
    },
    inputOf: (issuer) => (urlOf(issuer)?.pathname.includes(REALMS) ? issuer : null),
  },
} as const satisfies Record<string, Preset>;

export type PresetName = keyof typeof PRESETS;
export const PRESET_NAMES = Object.keys(PRESETS) as PresetName[];
/** Any other provider. */
export const CUSTOM = 'custom';
export type Choice = PresetName | typeof CUSTOM;

export const presetOf = (choice: Choice): Preset | null => (choice === CUSTOM ? null : PRESETS[choice]);

/** The provider of an issuer. */
export const choiceFor = (issuer: string): Choice =>
  PRESET_NAMES.find((name) => PRESETS[name].inputOf(issuer) !== null) ?? CUSTOM;

export const choices = (): Record<string, string> => ({
  [CUSTOM]: t('adminInstance.presetCustom'),
  ...Object.fromEntries(PRESET_NAMES.map((name) => [name, PRESETS[name].name])),
});
