/** The kinds of connections. All but `oidc` and `oauth2` are presets of one provider. */
export const KINDS = ['google', 'microsoft', 'github', 'gitlab', 'discord', 'oidc', 'oauth2'] as const;

export type ConnectionKind = (typeof KINDS)[number];

/** Facts about the user that a claim map can name. */
export const CLAIMS = ['id', 'email', 'email_verified', 'name', 'username', 'picture'] as const;

/** Members of the user information by fact. A value that starts with `/` is a JSON pointer (RFC 6901). */
export type ClaimMap = Readonly<Partial<Record<(typeof CLAIMS)[number], string>>>;

/** Settings that a preset fills in. Each can be replaced, for example to test against a local provider. */
export interface ProviderFields {
  readonly issuer: string | null;
  readonly authorization_url: string | null;
  readonly token_url: string | null;
  readonly userinfo_url: string | null;
  readonly jwks_url: string | null;
  readonly emails_url: string | null;
  readonly scope: string | null;
  readonly claims: ClaimMap | null;
}

export const NO_FIELDS: ProviderFields = {
  ...{ issuer: null, authorization_url: null, token_url: null, userinfo_url: null },
  ...{ jwks_url: null, emails_url: null, scope: null, claims: null },
};

const OPENID_SCOPE = { scope: 'openid email profile' };

const PRESETS: Readonly<Record<ConnectionKind, Partial<ProviderFields>>> = {
  google: { ...OPENID_SCOPE, issuer: 'https://accounts.google.com' },
  // The issuer depends on the tenant.
  microsoft: OPENID_SCOPE,
  github: {
    authorization_url: 'https://github.com/login/oauth/authorize',
    token_url: 'https://github.com/login/oauth/access_token',
    userinfo_url: 'https://api.github.com/user',
    emails_url: 'https://api.github.com/user/emails',
    scope: 'read:user user:email',
    claims: { id: 'id', name: 'name', username: 'login', picture: 'avatar_url' },
  },
  gitlab: { ...OPENID_SCOPE, issuer: 'https://gitlab.com' },
  discord: {
    authorization_url: 'https://discord.com/oauth2/authorize',
    token_url: 'https://discord.com/api/oauth2/token',
    userinfo_url: 'https://discord.com/api/users/@me',
    scope: 'identify email',
    claims: { id: 'id', email: 'email', email_verified: 'verified', name: 'global_name', username: 'username' },
  },
  oidc: OPENID_SCOPE,
  oauth2: {},
};

const OAUTH2_KINDS: ReadonlySet<ConnectionKind> = new Set(['github', 'discord', 'oauth2']);

/** Whether providers of this kind have no issuer and no ID tokens. */
export const isOAuth2 = (kind: ConnectionKind): boolean => OAUTH2_KINDS.has(kind);

/** Whether the provider documents the client secret only in the body of the token request. */
export const postsSecret = (kind: ConnectionKind): boolean => kind === 'github';

/** The claim that states that the email address is verified. Microsoft lets administrators set any email address. */
export const proofOfEmail = (kind: ConnectionKind): string => (kind === 'microsoft' ? 'xms_edov' : 'email_verified');

/** Returns the fields with those of the preset where none is set. */
export function withPreset<F extends ProviderFields>(kind: ConnectionKind, fields: F): F {
  const preset = PRESETS[kind];
  const missing = Object.entries(preset).filter(([name]) => fields[name as keyof ProviderFields] === null);
  return { ...fields, ...Object.fromEntries(missing) };
}
