import type { paths, ResponseBody } from '@gatehouse-auth/client';
import { type TranslationKey, t } from '../../core/language.js';
import { linePaths, linesOf } from '../parts/lines-field.js';

export type Config = ResponseBody<paths, '/v1/admin/instance/config', 'get'>;

/** The value of a control. For a secret: empty until one is entered, null to remove it. */
export type Value = string | boolean | number | null;

interface MemberBase {
  /** Path in the configuration and in errors. */
  readonly path: string;
  readonly label: TranslationKey;
  readonly hint?: TranslationKey;
  /** Affects which identities the instance trusts. Changing it requires `*` (admin.md section 2). */
  readonly isTrust?: true;
}

/** One setting with its kind of control. */
export type Member = MemberBase &
  (
    | { readonly kind: 'switch' | 'mode' | 'requirements' | 'secret' | 'domains' }
    | { readonly kind: 'text' | 'url'; readonly maxLength: number; readonly isRequired?: true }
  );

const URL_LENGTH = 2048;

const url = (
  path: string,
  label: TranslationKey,
  more: { readonly hint?: TranslationKey; readonly isTrust?: true } = {},
): Member => ({
  ...{ kind: 'url', path, label, maxLength: URL_LENGTH },
  ...more,
});

export const REGISTRATION: readonly Member[] = [
  { kind: 'mode', path: 'registration.mode', label: 'adminInstance.mode', hint: 'adminInstance.modeHint' },
  {
    ...{ kind: 'switch', path: 'registration.hide_existing_accounts' },
    ...{ label: 'adminInstance.hideExisting', hint: 'adminInstance.hideExistingHint' },
  },
  { kind: 'requirements', path: 'registration.initial_suspicious_flags', label: 'adminInstance.initialFlags' },
];

export const PRODUCT_NAME: Member = {
  ...{ kind: 'text', path: 'app_public.branding.product_name', label: 'adminInstance.productName' },
  ...{ hint: 'adminInstance.productNameHint', maxLength: 64, isRequired: true },
};

export const APPEARANCE: readonly Member[] = [
  PRODUCT_NAME,
  url('app_public.legal.terms_url', 'adminInstance.terms', { hint: 'adminInstance.legalHint' }),
  url('app_public.legal.privacy_url', 'adminInstance.privacy', { hint: 'adminInstance.legalHint' }),
];

const TRUST = { isTrust: true } as const;

export const SSO_SWITCHES: readonly Member[] = [
  { kind: 'switch', path: 'sso.enabled', label: 'adminInstance.ssoEnabled', ...TRUST },
  {
    ...{ kind: 'switch', path: 'sso.enforced', label: 'adminInstance.ssoEnforced', ...TRUST },
    ...{ hint: 'adminInstance.ssoEnforcedHint' },
  },
];

export const SSO_NAME: Member = {
  ...{ kind: 'text', path: 'sso.display_name', label: 'adminInstance.ssoName', maxLength: 64 },
  ...{ hint: 'adminInstance.ssoNameHint' },
};

export const SSO_ISSUER: Member = url('sso.issuer', 'adminInstance.ssoIssuer', {
  hint: 'adminInstance.ssoIssuerHint',
  ...TRUST,
});

export const SSO_CLIENT: readonly Member[] = [
  { kind: 'text', path: 'sso.client_id', label: 'adminInstance.ssoClientId', maxLength: 256, ...TRUST },
  { kind: 'secret', path: 'sso.client_secret', label: 'adminInstance.ssoClientSecret', ...TRUST },
  {
    ...{ kind: 'domains', path: 'sso.allowed_domains', label: 'adminInstance.ssoDomains', ...TRUST },
    ...{ hint: 'adminInstance.ssoDomainsHint' },
  },
  {
    ...{ kind: 'switch', path: 'sso.auto_provision', label: 'adminInstance.ssoProvision', ...TRUST },
    ...{ hint: 'adminInstance.ssoProvisionHint' },
  },
];

export const SSO_ENDPOINTS: readonly Member[] = [
  url('sso.authorization_url', 'adminInstance.ssoAuthorization', { hint: 'adminInstance.ssoUrlHint', ...TRUST }),
  url('sso.token_url', 'adminInstance.ssoToken', { hint: 'adminInstance.ssoUrlHint', ...TRUST }),
  url('sso.userinfo_url', 'adminInstance.ssoUserinfo', { hint: 'adminInstance.ssoUrlHint', ...TRUST }),
  url('sso.jwks_url', 'adminInstance.ssoJwks', { hint: 'adminInstance.ssoUrlHint', ...TRUST }),
];

/** Rarely needed: the defaults fit the common providers. */
export const SSO_ADVANCED: readonly Member[] = [
  {
    ...{ kind: 'text', path: 'sso.scope', label: 'adminInstance.ssoScope', maxLength: 256 },
    ...{ hint: 'adminInstance.ssoScopeHint' },
  },
  ...SSO_ENDPOINTS,
];

export const MEMBERS: readonly Member[] = [
  ...[...REGISTRATION, ...APPEARANCE, ...SSO_SWITCHES, SSO_NAME, SSO_ISSUER],
  ...[...SSO_CLIENT, ...SSO_ADVANCED],
];

/** Every path that an error can name. */
export const FIELDS: readonly string[] = MEMBERS.flatMap(({ kind, path }) =>
  kind === 'domains' ? linePaths(path) : [path],
);

/** The defined bits of suspicious activity, in order (admin.md section 5.1). */
export const REQUIREMENTS = [
  ...(['REQUIRE_VERIFIED_EMAIL', 'REQUIRE_REVERIFIED_EMAIL'] as const),
  ...(['REQUIRE_VERIFIED_PHONE', 'REQUIRE_REVERIFIED_PHONE'] as const),
  ...(['REQUIRE_VERIFIED_EMAIL_OR_VERIFIED_PHONE', 'REQUIRE_REVERIFIED_EMAIL_OR_VERIFIED_PHONE'] as const),
  ...(['REQUIRE_VERIFIED_EMAIL_OR_REVERIFIED_PHONE', 'REQUIRE_REVERIFIED_EMAIL_OR_REVERIFIED_PHONE'] as const),
] as const;

export const wordsOfRequirement = (name: (typeof REQUIREMENTS)[number]): string => t(`required.${name}`);

const read = (config: Config, path: string): unknown =>
  path.split('.').reduce<unknown>((within, name) => (within as Readonly<Record<string, unknown>>)[name], config);

/** The stored value of a control. */
export function storedIn(config: Config, { kind, path }: Member): Value {
  if (kind === 'secret') return '';
  const value = read(config, path);
  if (kind === 'domains') return (value as readonly string[]).join('\n');
  return (value ?? '') as Value;
}

/** Converts the value of a control for the request. */
function sentOf(member: Member, value: Value): unknown {
  if (member.kind === 'domains') return linesOf(String(value));
  if (member.kind !== 'text' && member.kind !== 'url') return value;
  const text = String(value).trim();
  return text === '' && !member.isRequired ? null : text;
}

export const isChanged = (config: Config, member: Member, value: Value): boolean =>
  JSON.stringify(sentOf(member, value)) !== JSON.stringify(sentOf(member, storedIn(config, member)));

/** The request body with only the changed members. */
export function bodyOf(changes: ReadonlyMap<Member, Value>): Record<string, object> {
  const body: Record<string, Record<string, unknown>> = {};
  for (const [member, value] of changes) {
    const names = member.path.split('.');
    const last = names.pop() as string;
    let within: Record<string, unknown> = body;
    for (const name of names) {
      within[name] ??= {};
      within = within[name] as Record<string, unknown>;
    }
    within[last] = sentOf(member, value);
  }
  return body;
}

export const modes = (): Record<Config['registration']['mode'], string> => ({
  open: t('adminInstance.modeOpen'),
  approval: t('adminInstance.modeApproval'),
  closed: t('adminInstance.modeClosed'),
});

export const requirementsIn = (bits: number): string[] =>
  REQUIREMENTS.filter((_, bit) => bits & (1 << bit)).map(wordsOfRequirement);

/** A value as text. */
export function wordsOf({ kind }: Member, value: Value): string {
  if (kind === 'switch') return t(value ? 'adminInstance.on' : 'adminInstance.off');
  if (kind === 'mode') return modes()[value as Config['registration']['mode']];
  if (kind === 'requirements') return requirementsIn(Number(value)).join(' · ') || t('adminInstance.nothing');
  if (kind === 'domains') return linesOf(String(value)).join(', ') || t('adminInstance.nothing');
  return String(value).trim() || t('adminInstance.nothing');
}
