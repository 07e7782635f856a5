import type { paths, ResponseBody } from '@gatehouse-auth/client';
import type { TranslationKey } from '../../core/language.js';

export const CONNECTIONS = '/v1/admin/connections';
export const CONNECTION = '/v1/admin/connections/{id}';
export const LIST = '/admin/connections';
export const pathOf = (id: string): string => `${LIST}?${new URLSearchParams({ id })}`;

export type Connection = ResponseBody<paths, typeof CONNECTION, 'get'>;
export type Kind = Connection['kind'];

/** Names of the presets. Product names are the same in every language. */
export const KIND_NAMES: Readonly<Record<Exclude<Kind, 'oidc' | 'oauth2'>, string>> = {
  ...{ google: 'Google', microsoft: 'Microsoft', github: 'GitHub', gitlab: 'GitLab', discord: 'Discord' },
};

const OAUTH2_KINDS: ReadonlySet<Kind> = new Set<Kind>(['github', 'discord', 'oauth2']);

/** True if the provider has user information but no ID token. */
export const isOAuth2 = (kind: Kind): boolean => OAUTH2_KINDS.has(kind);

/** Maximum number of connections (connections.md section 1). */
export const MAX_CONNECTIONS = 20;

/** Facts about a user that the claim map can name. */
export const CLAIMS = ['id', 'email', 'email_verified', 'name', 'username', 'picture'] as const;
export type Claim = (typeof CLAIMS)[number];

export type TextName =
  | 'display_name'
  | 'icon'
  | 'client_id'
  | 'issuer'
  | 'authorization_url'
  | 'token_url'
  | 'userinfo_url'
  | 'jwks_url'
  | 'emails_url'
  | 'scope';

export const TEXT_LABELS: Readonly<Record<TextName, TranslationKey>> = {
  display_name: 'adminConnections.name',
  icon: 'adminConnections.icon',
  client_id: 'adminInstance.ssoClientId',
  issuer: 'adminInstance.ssoIssuer',
  authorization_url: 'adminInstance.ssoAuthorization',
  token_url: 'adminInstance.ssoToken',
  userinfo_url: 'adminInstance.ssoUserinfo',
  jwks_url: 'adminInstance.ssoJwks',
  emails_url: 'adminConnections.emailsUrl',
  scope: 'adminInstance.ssoScope',
};

export type SwitchName = 'enabled' | 'allow_sign_up' | 'link_by_email' | 'require_second_factor';

export const SWITCHES: Readonly<Record<SwitchName, readonly [label: TranslationKey, hint: TranslationKey]>> = {
  enabled: ['adminConnections.enabled', 'adminConnections.enabledHint'],
  allow_sign_up: ['adminConnections.signUp', 'adminConnections.signUpHint'],
  link_by_email: ['adminConnections.linkByEmail', 'adminConnections.linkByEmailHint'],
  require_second_factor: ['adminConnections.factor', 'adminConnections.factorHint'],
};

/** Texts that each kind needs from the administrator, besides the name and the client. */
export const mainTexts = (kind: Kind): readonly TextName[] => (isOAuth2(kind) || kind === 'google' ? [] : ['issuer']);

export const advancedTexts = (kind: Kind): readonly TextName[] => [
  ...(kind === 'google' ? (['issuer'] as const) : []),
  ...(['icon', 'scope', 'authorization_url', 'token_url', 'userinfo_url'] as const),
  isOAuth2(kind) ? 'emails_url' : 'jwks_url',
];
